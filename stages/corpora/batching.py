"""Batches of documents of similar length, so that little padding is computed.

As in the code of Jain & Wallace (2019): sort by length with some jitter, cut consecutive batches,
shuffle the batches. A cap on padded tokens splits batches of long documents (Serrano & Smith 2019).
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stages.corpora.corpus import Corpus
from stages.corpora.ragged import Longs, padded
from stages.settings.errors import UserError


@dataclass
class Batch:
    """Padded documents; `rows` are their indices in the split, `mask` allows attention."""

    rows: Longs  # (B,)
    tokens: Longs  # (B, T)
    lengths: Longs  # (B,) boundary tokens included
    mask: NDArray[np.bool_]  # (B, T)
    labels: NDArray[np.int64]  # (B,)
    query: Longs | None = None  # (B, Q)
    query_lengths: Longs | None = None  # (B,)
    candidates: NDArray[np.bool_] | None = None  # (B, C)
    weights: NDArray[np.float32] | None = None  # (B, T), attention of another model


def buckets(
    lengths: Longs,
    size: int,
    draw: np.random.Generator | None = None,
    length_jitter: float | None = 0.1,
    cap: int | None = None,
    widths: Longs | None = None,
) -> list[Longs]:
    """Rows in batches of at most `size` documents and `cap` padded tokens.

    The cap counts the number of documents times the largest of their `widths`, by default lengths.

    Shuffled with a `draw`; without one by ascending length, ties in row order. Without
    `length_jitter` batches are drawn from all lengths (Sun & Lu 2020).
    """
    keys = lengths.astype(float)
    if draw is not None and length_jitter is None:
        keys = draw.random(len(lengths))
    elif draw is not None and length_jitter is not None:
        keys += draw.uniform(-length_jitter, length_jitter, len(lengths)) * lengths
    order = np.argsort(keys, kind="stable")
    cut = [order[start : start + size] for start in range(0, len(order), size)]
    parts = [
        part for batch in cut for part in _within(batch, lengths if widths is None else widths, cap)
    ]
    if draw is not None:
        parts = [parts[i] for i in draw.permutation(len(parts))]
    return parts


def _within(batch: Longs, widths: Longs, cap: int | None) -> list[Longs]:
    """The batch split into ceil(n * widest / cap) nearly equal parts."""
    if cap is None:
        return [batch]
    parts = int(-(-len(batch) * widths[batch].max() // cap))
    size = -(-len(batch) // max(parts, 1))
    return [batch[start : start + size] for start in range(0, len(batch), size)]


class Reader:
    """The batches of one split, or of some of its rows, encoded once."""

    def __init__(
        self,
        corpus: Corpus,
        split: str,
        add_boundary_tokens: bool = True,
        rows: Longs | None = None,
    ) -> None:
        part = corpus.parts[split]
        self.rows = np.arange(len(part)) if rows is None else rows
        self.labels, self.all_labels = part.labels[self.rows], part.labels
        self.classes, self.candidates = len(corpus.labels), part.candidates
        self.add_boundary_tokens = add_boundary_tokens
        self.text = corpus.encoded(split, add_boundary_tokens=add_boundary_tokens)
        self.query = None
        if part.query is not None:
            self.query = corpus.encoded(split, "query", add_boundary_tokens)
        # fixed attention weights, one per value of `text`
        self.weights: NDArray[np.float32] | None = None

    @property
    def tokens(self) -> int:
        """Number of tokens in one pass."""
        return int(self.text.lengths[self.rows].sum())

    @property
    def widths(self) -> Longs:
        """What a cap counts of each document: its tokens."""
        return self.text.lengths

    def batch(self, rows: Longs) -> Batch:
        """These documents, padded to the longest of them."""
        tokens, lengths = self.text.padded(rows), self.text.lengths[rows]
        positions = np.arange(tokens.shape[1])
        edge = 1 if self.add_boundary_tokens else 0  # no attention on <start> and <end>
        mask = (positions >= edge) & (positions < lengths[:, None] - edge)
        batch = Batch(rows, tokens, lengths, mask, self.all_labels[rows])
        if self.query is not None:
            batch.query, batch.query_lengths = self.query.padded(rows), self.query.lengths[rows]
        if self.candidates is not None:
            batch.candidates = np.zeros((len(rows), self.classes), bool)
            for i, row in enumerate(rows):
                batch.candidates[i, self.candidates[row]] = True
        if self.weights is not None:
            batch.weights = padded(self.weights, self.text.offsets[rows], lengths)
        return batch

    def batches(
        self,
        size: int,
        draw: np.random.Generator | None = None,
        length_jitter: float | None = 0.1,
        cap: int | None = None,
    ) -> Iterator[Batch]:
        """All documents once."""
        lengths, widths = self.text.lengths[self.rows], self.widths[self.rows]
        for bucket in buckets(lengths, size, draw, length_jitter, cap, widths):
            yield self.batch(self.rows[bucket])


class SentenceReader(Reader):
    """Batches of documents as sentences of words, for hierarchical models; no boundary tokens."""

    def __init__(self, corpus: Corpus, split: str, rows: Longs | None = None) -> None:
        super().__init__(corpus, split, add_boundary_tokens=False, rows=rows)
        sentences = corpus.parts[split].sentences
        if sentences is None:
            raise UserError(
                f"data set {corpus.name} has no sentences, which hierarchical models need; set "
                f"sentences: true and recipe: spacy in its entry of data/catalogue.yaml"
            )
        self.sentences = sentences

    @property
    def widths(self) -> Longs:
        """A cap counts the longest sentence of each document (Serrano & Smith's code)."""
        longest: Longs = np.maximum.reduceat(self.sentences.values, self.sentences.offsets[:-1])
        return longest

    def batch(self, rows: Longs) -> Batch:
        """Tokens (B, S, T), sentence lengths (B, S) and the mask (B, S) of existing sentences."""
        lengths = self.sentences.padded(rows)  # (B, S)
        starts = self.text.offsets[rows][:, None] + lengths.cumsum(1) - lengths
        tokens = padded(self.text.values, starts, lengths).astype(np.int64)  # (B, S, T)
        return Batch(rows, tokens, lengths, lengths > 0, self.all_labels[rows])
