"""Token groups by the rule of the released code, on counts by hand."""

import numpy as np
import pytest

from stages.corpora.batching import Reader
from stages.importance.token_groups import Groups, class_counts, matched, token_groups
from stages.settings.studies import TokenGroups
from tests.nn import toy

RULE = TokenGroups(
    gamma=0.5,
    count=5,
    neutral_gamma=0.1,
    neutral_difference=5,
    share=0.75,
    share_count=7,
    neutral_share=0.4,
)
WORDS = ["", "", "", ""]


@pytest.mark.parametrize(
    ("counts", "group"),
    [
        ((0, 6), "positive"),  # one class only: the open interval of the paper would exclude it
        ((0, 5), None),  # not more than five
        ((2, 6), None),  # gamma is exactly a half
        ((2, 7), "positive"),
        ((9, 2), "negative"),
        ((6, 0), "negative"),
        ((1, 1), "neutral"),
        ((20, 22), "neutral"),
        ((50, 55), None),  # near in share, too far in number
        ((3, 4), None),
        ((0, 0), None),  # not in training
        ((9, 1, 1), "x"),
        ((7, 0, 0), None),  # not more than seven
        ((6, 2, 2), None),  # share .6
        ((1, 8, 0), "y"),
        ((4, 4, 4), "neutral"),
        ((40, 36, 30), None),
        ((0, 0, 0), None),
    ],
)
def test_groups_of_two_classes_and_of_more(counts, group):
    groups = token_groups(np.array([counts]), ("x", "y", "z")[: len(counts)], ["word"], RULE)
    polar = ("negative", "positive") if len(counts) == 2 else ("x", "y", "z")
    assert groups.names == (*polar, "neutral")
    assert (groups.names[groups.member[0]] if groups.member[0] >= 0 else None) == group


def test_synthetic_words_contain_their_group():
    words = [*WORDS, "positive3", "neutral12", "negative0"]
    groups = token_groups(np.zeros((7, 2), int), ("negative", "positive"), words, RULE)
    assert groups.member.tolist() == [-1, -1, -1, -1, 1, 2, 0]
    mixed = token_groups(np.zeros((5, 2), int), ("negative", "positive"), [*WORDS, "good"], RULE)
    assert mixed.member.tolist() == [-1] * 5


def test_counts_are_of_tokens_in_the_rows_of_the_reader():
    corpus = toy.corpus()
    rows = np.array([1, 4, 7])
    reader = Reader(corpus, "train", add_boundary_tokens=False, rows=rows)
    counts = class_counts(reader, corpus.vocabulary_size)
    expected = np.zeros((corpus.vocabulary_size, 2), int)
    for row in rows:
        for token in corpus.parts["train"].text[row]:
            expected[token + 4, corpus.parts["train"].labels[row]] += 1
    assert (counts == expected).all()


def test_matched_neutrals_are_as_frequent_and_used_once():
    counts = np.array([[30, 0], [0, 10], [9, 0], [15, 15], [4, 5], [5, 5], [1, 1], [1, 1]])
    member = np.array([0, 1, 0, 2, 2, 2, 2, 2])
    tokens = matched(Groups(("negative", "positive", "neutral"), member, counts))
    assert tokens.tolist() == [3, 4, 5]


def test_fewer_neutrals_than_polarity_tokens():
    counts = np.array([[9, 0], [8, 0], [3, 3]])
    tokens = matched(Groups(("negative", "positive", "neutral"), np.array([0, 0, 2]), counts))
    assert tokens.tolist() == [2]
