"""Batches of documents of like length, so that hardly a padded position is computed.

As in Jain & Wallace's code (2019, section 2.5 of our reading): sort by length with some noise, cut
consecutive batches, shuffle the batches. A cap on padded tokens splits batches of long documents
(Serrano & Smith 2019).
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stages.corpora.corpus import Corpus
from stages.corpora.ragged import Longs


@dataclass(frozen=True)
class Batch:
    """Documents as a rectangle. Attention may rest where `mask` is true; `rows` are their places
    in the split."""

    rows: Longs  # (B,)
    tokens: Longs  # (B, T)
    lengths: Longs  # (B,) with start and end
    mask: NDArray[np.bool_]  # (B, T)
    labels: NDArray[np.int64]  # (B,)
    query: Longs | None = None  # (B, Q)
    query_lengths: Longs | None = None  # (B,)
    candidates: NDArray[np.bool_] | None = None  # (B, C)


def buckets(
    lengths: Longs,
    size: int,
    draw: np.random.Generator | None = None,
    noise: float = 0.1,
    cap: int | None = None,
) -> list[Longs]:
    """Rows cut into batches of at most `size` and `cap` padded tokens; shuffled if there is a draw.

    Without a draw: by ascending length, ties in row order, the same every time.
    """
    keys = lengths.astype(float)
    if draw is not None:
        keys += draw.uniform(-noise, noise, len(lengths)) * lengths
    order = np.argsort(keys, kind="stable")
    cut = [order[start : start + size] for start in range(0, len(order), size)]
    parts = [part for batch in cut for part in _within(batch, lengths, cap)]
    if draw is not None:
        parts = [parts[i] for i in draw.permutation(len(parts))]
    return parts


def _within(batch: Longs, lengths: Longs, cap: int | None) -> list[Longs]:
    """The batch in ceil(n * longest / cap) near-equal parts."""
    if cap is None:
        return [batch]
    parts = int(-(-len(batch) * lengths[batch].max() // cap))
    size = -(-len(batch) // max(parts, 1))
    return [batch[start : start + size] for start in range(0, len(batch), size)]


class Reader:
    """The batches of one split, encoded once."""

    def __init__(self, corpus: Corpus, split: str, ends: bool = True) -> None:
        part = corpus.parts[split]
        self.labels, self.ends, self.classes = part.labels, ends, len(corpus.labels)
        self.text = corpus.encoded(split, ends=ends)
        self.query = corpus.encoded(split, "query", ends) if part.query is not None else None
        self.candidates = part.candidates

    def batch(self, rows: Longs) -> Batch:
        """The given documents, padded to the longest of them."""
        tokens, lengths = self.text.padded(rows), self.text.lengths[rows]
        place = np.arange(tokens.shape[1])
        edge = 1 if self.ends else 0  # attention never rests on <start> and <end>
        mask = (place >= edge) & (place < lengths[:, None] - edge)
        query = None if self.query is None else self.query.padded(rows)
        query_lengths = None if self.query is None else self.query.lengths[rows]
        return Batch(
            rows,
            tokens,
            lengths,
            mask,
            self.labels[rows],
            query,
            query_lengths,
            self._allowed(rows),
        )

    def batches(
        self,
        size: int,
        draw: np.random.Generator | None = None,
        noise: float = 0.1,
        cap: int | None = None,
    ) -> Iterator[Batch]:
        """All documents once."""
        for rows in buckets(self.text.lengths, size, draw, noise, cap):
            yield self.batch(rows)

    def _allowed(self, rows: Longs) -> NDArray[np.bool_] | None:
        if self.candidates is None:
            return None
        allowed = np.zeros((len(rows), self.classes), bool)
        for i, row in enumerate(rows):
            allowed[i, self.candidates[row]] = True
        return allowed
