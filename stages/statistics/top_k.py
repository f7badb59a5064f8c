"""Kendall distance of two top-k lists (Fagin et al. 2003, penalty 1/2), as Jain & Wallace use it.

0 for the same list. Items in both lists count (1 - tau) / 2 * n^2, pairs that the lists order
differently 1, pairs that are in one list only 1/2; all over the squared size of the union.
"""

import numba
import numpy as np
from numpy.typing import NDArray

from stages.statistics.kendall import count_pairs

Floats = NDArray[np.float64]


@numba.njit(cache=True, nogil=True)
def top_k_distance(x: Floats, y: Floats, offsets: NDArray[np.int64], k: int) -> Floats:
    """Distance (N,) between the k largest of x and of y in each row; shorter rows use all."""
    distances = np.empty(len(offsets) - 1)
    for row in range(len(distances)):
        start, stop = offsets[row], offsets[row + 1]
        distances[row] = _distance(x[start:stop], y[start:stop], min(k, stop - start))
    return distances


@numba.njit(cache=True, nogil=True)
def _distance(x: Floats, y: Floats, k: int) -> float:
    n = len(x)
    if n == 0:
        return np.nan
    in_x, in_y = np.zeros(n, np.bool_), np.zeros(n, np.bool_)
    in_x[np.argsort(-x, kind="mergesort")[:k]] = True
    in_y[np.argsort(-y, kind="mergesort")[:k]] = True
    both = np.flatnonzero(in_x & in_y)
    only = k - len(both)
    total = only * only + 0.5 * only * (only - 1)  # one in each list; two in the same list
    if len(both) > 1:
        balance, tied_x, tied_y = count_pairs(x[both], y[both])
        pairs = len(both) * (len(both) - 1) / 2
        if tied_x < pairs and tied_y < pairs:
            tau = balance / np.sqrt(pairs - tied_x) / np.sqrt(pairs - tied_y)
            total += (1 - tau) / 2 * len(both) ** 2
    for i in both:
        for j in range(n):
            total += in_x[j] and not in_y[j] and x[i] < x[j]
            total += in_y[j] and not in_x[j] and y[i] < y[j]
    return total / (len(both) + 2 * only) ** 2
