"""Examples to a corpus: labels, duplicates, splits, bounds, vocabulary; and the user's own file."""

from collections import Counter

import numpy as np
import pytest

from stages.corpora import corpus as storage
from stages.corpora.examples import Example
from stages.corpora.prepare import labelled, prepare
from stages.corpora.readers import read
from stages.corpora.selection import Limits
from stages.corpora.splitting import SPLITS
from stages.corpora.statistics import describe, length_counts
from stages.settings.datasets import Dataset
from stages.settings.errors import UserError
from tests.fixtures.project import catalogue_of

OPEN = Limits(None, None, None, None, None)


SST = catalogue_of().datasets["sst"].model_dump() | {
    "labels": {"bad": ("0", "1"), "good": "4"},
    "recipe": "blanks",
    "split": {"stratified": True},
    "vocabulary": {"minimum": 1, "of": "documents", "counted_on": "train"},
}


def dataset(**changes):
    return Dataset.model_validate(SST | changes)


def corpus_of(examples, settings, limits=OPEN):
    limits = dict.fromkeys(SPLITS, limits)
    return prepare("toy", examples, settings, limits, np.random.default_rng(0))[:2]


def prepared(examples, limits=OPEN, **changes):
    return corpus_of(examples, dataset(**changes), limits)


EXAMPLES = [
    Example("a b c", "0", "train"),
    Example("b c", "1", "train"),
    Example("d a", "4", "train"),
    Example("what", "2", "train"),
    Example("a e", "4", "dev"),
    Example("B  C", "0", "test"),
    Example("f", "4", "test"),
]


def test_by_hand():
    corpus, removed = prepared(EXAMPLES)
    # "b c" is in test too, so it is removed from train; label 2 is no class
    assert removed == {"outside_labels": 1, "across_splits": 1, "over_budget": 0}
    assert corpus.labels == ("bad", "good")
    # a three times, then by alphabet: B C b c d e f once each
    assert corpus.types == ("a", "B", "C", "b", "c", "d", "e", "f")
    # vocabulary of train: a b c d -> 4 5 6 7
    assert corpus.ids.tolist() == [4, 1, 1, 5, 6, 7, 1, 1]
    assert corpus.encoded("train")[0].tolist() == [2, 4, 5, 6, 3]
    assert corpus.encoded("test", add_boundary_tokens=False)[1].tolist() == [1]
    assert corpus.parts["train"].labels.tolist() == [0, 1]
    assert corpus.vocabulary_size == 8
    assert corpus.words[4:] == ["a", "b", "c", "d"]
    stats = describe(corpus, removed)
    assert stats["splits"]["train"] == {
        "documents": 2,
        "classes": {"bad": 1, "good": 1},
        "tokens": 5,
        "mean_length": 2.5,
        "min_length": 2,
        "max_length": 3,
        "unknown_rate": 0.0,
    }
    assert stats["splits"]["test"]["unknown_rate"] == 1.0
    assert stats["removed"] == {"outside_labels": 1, "across_splits": 1}
    assert length_counts(corpus)[:2] == [("train", 2, 1), ("train", 3, 1)]


def test_duplicates_are_kept_or_removed_before_a_random_split():
    corpus, removed = prepared(EXAMPLES, duplicates="keep")
    assert len(corpus.parts["train"]) == 3
    assert "across_splits" not in removed
    examples = [Example(f"text {i // 2}", "0") for i in range(100)]
    corpus, removed = prepared(examples, split={"stratified": True, "dev": 0.2, "test": 0.2})
    assert removed["copies"] == 50
    assert sum(len(part) for part in corpus.parts.values()) == 50


def test_saved_and_loaded_are_the_same(tmp_path):
    corpus, _ = prepared(EXAMPLES)
    storage.save(corpus, tmp_path)
    again = storage.load(tmp_path)
    assert (again.name, again.labels, again.types) == (corpus.name, corpus.labels, corpus.types)
    for split, part in corpus.parts.items():
        assert again.parts[split].text.values.tolist() == part.text.values.tolist()
        assert again.parts[split].labels.tolist() == part.labels.tolist()
    assert again.parts["train"].query is None


def test_length_bounds_drop_cut_or_keep():
    every = [(split, n) for split in SPLITS for n in (1, 3, 5, 9)]
    examples = [Example(f"{split} " + "a " * n, "0", split) for split, n in every]
    bounds = Limits(shortest=3, longest=8, budget=4, documents=None, tokens=None)
    for long, lengths in (("drop", [4]), ("cut", [4, 4]), ("keep", [4, 6])):
        corpus, removed = prepared(examples, bounds, long=long, labels={"only": "0"})
        assert corpus.parts["train"].text.lengths.tolist() == lengths, long
        assert removed["too_short"] == 3
        assert removed["too_long"] == (6 if long == "drop" else 3)
        assert removed["cut"] == (3 if long == "cut" else 0)


def test_budget_keeps_classes_in_their_shares():
    every = [(split, i) for split in SPLITS for i in range(400)]
    examples = [Example(f"{split} {i} x", "04"[i % 4 == 0], split) for split, i in every]
    corpus, removed = prepared(examples, Limits(None, None, None, 100, None))
    part = corpus.parts["train"]
    assert len(part) == 100
    assert abs(int(part.labels.sum()) - 25) <= 1
    assert removed["over_budget"] == 900
    by_tokens, _ = prepared(examples, Limits(None, None, None, None, 31))
    assert len(by_tokens.parts["train"]) == 10  # three tokens each


def test_an_empty_split_is_refused_with_the_reasons():
    limits = Limits(shortest=50, longest=None, budget=None, documents=None, tokens=None)
    with pytest.raises(UserError, match=r"toy: no document is left for train; removed: .*too_sh"):
        prepared(EXAMPLES, limits)


def test_pairs_and_sentences():
    pairs = [Example(f"p {s}", "0", s, query="q r") for s in SPLITS]
    corpus, removed = prepared([*pairs, Example("z", "0", "train")], task="question")
    assert removed["empty"] == 1  # a pair without a question
    assert corpus.encoded("train", "query", add_boundary_tokens=False)[0].tolist() == [5, 6]
    texts = [Example(f"One {s}. Two is it.", "0", s) for s in SPLITS]
    corpus, _ = prepared(texts, recipe="spacy", sentences=True)
    assert corpus.parts["dev"].sentences[0].tolist() == [3, 4]
    five = Limits(None, None, 5, None, None)
    cut, _ = prepared(texts, five, recipe="spacy", sentences=True, long="cut")
    assert cut.parts["dev"].sentences[0].tolist() == [3, 2]


@pytest.mark.parametrize(
    ("labels", "listed", "words", "names", "numbers"),
    [
        (["b", "a", "", "10", "2", "a"], None, (), ("10", "2", "a", "b"), [3, 2, 0, 1, 2]),
        (["k", "m", "k"], "words", ("to", "k"), ("k", "m", "to"), [0, 1, 0]),
        (["1", "4", "2", "0"], {"bad": ("0", "1"), "good": "4"}, (), ("bad", "good"), [0, 1, 0]),
    ],
    ids=["values of the column", "all words", "listed"],
)
def test_classes(labels, listed, words, names, numbers):
    examples, removed = [Example("a", label) for label in labels], Counter()
    data = labelled(examples, dataset(labels=listed), removed, words)
    assert data.names == names
    assert data.labels.tolist() == numbers
    assert removed["outside_labels"] == len(examples) - len(numbers)


@pytest.mark.parametrize("labels", [[], ["", ""], ["a", "a", ""], [str(i) for i in range(51)]])
def test_a_label_column_with_one_value_or_too_many_is_refused(labels):
    examples = [Example("a", label) for label in labels]
    n = len(set(labels) - {""})
    with pytest.raises(UserError) as caught:
        labelled(examples, dataset(labels=None), Counter())
    assert str(caught.value) == (
        f"data/own/sst: the examples have {n} different labels; allowed: 2 to 50, or those "
        "listed under the key labels in data/catalogue.yaml"
    )


def test_six_lines_are_enough_for_an_own_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    entry = catalogue_of().datasets["tickets"]
    labels = ["yes", "no"] * 50 + [""]
    rows = [f"ticket {i} has a word{i % 5},{label}\n" for i, label in enumerate(labels)]
    entry.text.parent.mkdir(parents=True)
    entry.text.write_text("body,urgent\n" + "".join(rows))
    corpus, removed = corpus_of(read(entry.text, entry.source, np.random.default_rng(0)), entry)
    assert (corpus.labels, corpus.private) == (("no", "yes"), True)
    sizes = {split: len(part) for split, part in corpus.parts.items()}
    assert sizes == {"train": 72, "dev": 8, "test": 20}
    assert np.bincount(corpus.parts["test"].labels).tolist() == [10, 10]
    # words with a digit are replaced by the recipe `clean`
    assert set(corpus.words[4:]) == {"ticket", "has", "a", "qqq"}
    assert removed["outside_labels"] == 1
