"""VADER's ground truth: snippets with the mean of human ratings on a scale from -4 to 4."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from stages.corpora.examples import Example
from stages.corpora.readers.rows import numbered_lines
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
    for where, line in numbered_lines(place / FILES[texts]):
        try:
            _, score, text = line.rstrip("\r\n").split("\t", 2)
            rating = float(score), text
        except ValueError:
            raise UserError(f"{where}: expected id, rating and text between tabs") from None
        yield rating


def read(place: Path, source: VaderBins) -> Iterator[Example]:
    """Ratings cut at their quantiles; the label is the number of the bin, from 1 for the lowest."""
    snippets = list(ratings(place, source.texts))
    scores = np.array([score for score, _ in snippets])
    edges = np.quantile(scores, np.arange(1, source.bins) / source.bins)
    for bin_, (_, text) in zip(np.searchsorted(edges, scores, side="right"), snippets, strict=True):
        yield Example(text, str(bin_ + 1))
