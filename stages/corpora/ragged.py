"""Rows of different lengths in two flat arrays: all values, and the offset of each row."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Value = TypeVar("Value", bound=np.generic)


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
        ends = np.stack([self.offsets[:-1], self.offsets[1:]], 1).ravel()
        values = np.insert(self.values, ends, np.tile([first, last], len(self)))
        return Ragged(values, self.offsets + 2 * np.arange(len(self.offsets)))

    def rows(self, rows: Longs) -> "Ragged":
        """These rows only."""
        offsets = np.concatenate([[0], self.lengths[rows].cumsum()])
        return Ragged(np.concatenate([self[row] for row in rows]), offsets)

    def padded(self, rows: Longs) -> Longs:
        """These rows padded with zeros to (B, T), T the length of the longest."""
        return padded(self.values, self.offsets[rows], self.lengths[rows]).astype(np.int64)


def padded(values: NDArray[Value], starts: Longs, lengths: Longs) -> NDArray[Value]:
    """values[start : start + length] of each start, padded with zeros to (..., T)."""
    positions = np.arange(lengths.max(initial=0))
    real = positions < lengths[..., None]  # (..., T)
    at = np.where(real, starts[..., None] + positions, 0)
    return np.where(real, values[at], values.dtype.type(0))
