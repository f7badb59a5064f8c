"""VADER's ground truth: snippets with the mean of human ratings on a scale from -4 to 4."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from stages.corpora.examples import Example
from stages.settings.errors import UserError
from stages.settings.sources import VaderBins

FILES = {
    "movies": "movieReviewSnippets_GroundTruth.txt",
    "amazon": "amazonReviewSnippets_GroundTruth.txt",
    "tweets": "tweets_GroundTruth.txt",
    "editorials": "nytEditorialSnippets_GroundTruth.txt",
}


def ratings(place: Path, texts: str) -> Iterator[tuple[float, str]]:
    """(mean rating, text) of each snippet."""
    path = place / FILES[texts]
    if not path.is_file():
        raise UserError(f"{path} is not there")
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            _, score, text = line.split("\t", 2)
            rating = float(score), text
        except ValueError:
            raise UserError(
                f"{path} line {number}: expected id, rating and text between tabs"
            ) from None
        yield rating


def read(place: Path, source: VaderBins) -> Iterator[Example]:
    """Ratings cut at their quantiles; the label is the number of the bin, from 1 for the lowest."""
    snippets = list(ratings(place, source.texts))
    scores = np.array([score for score, _ in snippets])
    edges = np.quantile(scores, np.arange(1, source.bins) / source.bins)
    for bin_, (_, text) in zip(np.searchsorted(edges, scores, side="right"), snippets, strict=True):
        yield Example(text, str(bin_ + 1))
