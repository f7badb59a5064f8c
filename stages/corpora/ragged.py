"""Rows of different lengths in two flat arrays: all values, and the offset of each row."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]


@dataclass(frozen=True)
class Ragged:
    """values (sum of lengths,), offsets (rows + 1,): row i is values[offsets[i]:offsets[i+1]]."""

    values: Ints
    offsets: Longs

    @classmethod
    def of(cls, rows: Iterable[Sequence[int]]) -> "Ragged":
        """Pack lists of integers."""
        kept = list(rows)
        offsets = np.zeros(len(kept) + 1, np.int64)
        np.cumsum([len(row) for row in kept], out=offsets[1:])
        values = np.fromiter((v for row in kept for v in row), np.int32, count=int(offsets[-1]))
        return cls(values, offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, row: int) -> Ints:
        return self.values[self.offsets[row] : self.offsets[row + 1]]

    @property
    def lengths(self) -> Longs:
        """Length of each row."""
        return np.diff(self.offsets)

    def wrapped(self, first: int, last: int) -> "Ragged":
        """Each row with one value before and one after it."""
        shift = 2 * np.arange(len(self.offsets))
        offsets = self.offsets + shift  # (rows + 1,)
        values = np.empty(len(self.values) + 2 * len(self), np.int32)
        values[offsets[:-1]] = first
        values[offsets[1:] - 1] = last
        inside = np.ones(len(values), bool)
        inside[offsets[:-1]] = inside[offsets[1:] - 1] = False
        values[inside] = self.values
        return Ragged(values, offsets)

    def padded(self, rows: Longs, padding: int = 0) -> Longs:
        """These rows padded to (B, T), T the length of the longest."""
        lengths = self.lengths[rows]
        width = np.arange(lengths.max(initial=0))
        at = self.offsets[rows][:, None] + width  # (B, T)
        real = width < lengths[:, None]
        return np.where(
            real, self.values[np.where(real, at, 0)] if len(self.values) else padding, padding
        ).astype(np.int64)
