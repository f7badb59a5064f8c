"""VADER's ratings, and bins whose edges were calculated by hand."""

import re

import numpy as np
import pytest

from stages.corpora import readers
from stages.corpora.examples import Example
from stages.corpora.readers import vader
from stages.settings.errors import UserError
from stages.settings.sources import VaderBins

FILE = "tweets_GroundTruth.txt"


def bins(place, scores, number):
    """The bin of each score, as the reader labels them."""
    lines = (f"{i}\t{score}\ttext {i}\n" for i, score in enumerate(scores))
    (place / FILE).write_text("".join(lines))
    source = VaderBins(kind="registry", reader="vader-bins", texts="tweets", bins=number)
    examples = list(readers.read(place, source, np.random.default_rng(0)))
    assert examples == [Example(f"text {i}", e.label) for i, e in enumerate(examples)]
    return [int(example.label) for example in examples]


@pytest.mark.parametrize("name", vader.FILES)
def test_a_line_is_id_rating_and_text(tmp_path, name):
    lines = '1\t-2.5\tsad\tand tabbed\nx_2\t0.1\t"naïve"\n'
    (tmp_path / vader.FILES[name]).write_text(lines, encoding="utf-8")
    ratings = list(vader.ratings(tmp_path, name))
    assert ratings == [(-2.5, "sad\tand tabbed"), (0.1, '"naïve"')]


def test_equal_shares_of_distinct_scores(tmp_path):
    # quantiles 1/5 ... 4/5 of ten scores 0..9 lie at 1.8, 3.6, 5.4, 7.2
    scores = [9, 0, 8, 1, 7, 2, 6, 3, 5, 4]
    assert bins(tmp_path, scores, 5) == [5, 1, 5, 1, 4, 2, 4, 2, 3, 3]


def test_a_score_on_an_edge_goes_up(tmp_path):
    # the median of -2, -1, 0, 1, 2 is 0, which belongs to the upper half
    assert bins(tmp_path, [-2, -1, 0, 1, 2], 2) == [1, 1, 2, 2, 2]


def test_equal_scores_are_in_one_bin(tmp_path):
    # sorted: -3 0 0 0 0 3; thirds at places 5/3 and 10/3, both of them 0
    assert bins(tmp_path, [0, -3, 0, 0, 3, 0], 3) == [3, 1, 3, 3, 3, 3]


@pytest.mark.parametrize("line", ["3\t1.5", "3 1.5 text", "3\tfine\ttext", ""])
def test_a_broken_line_is_numbered(tmp_path, line):
    path = tmp_path / FILE
    path.write_text(f"1\t0.5\tgood\n{line}\n4\t1\tbad\n")
    message = f"{path} line 2: expected id, rating and text between tabs"
    with pytest.raises(UserError, match=f"^{re.escape(message)}$"):
        list(vader.ratings(tmp_path, "tweets"))


def test_a_missing_file(tmp_path):
    with pytest.raises(UserError, match=r"movieReviewSnippets_GroundTruth\.txt is not there$"):
        list(vader.ratings(tmp_path, "movies"))
