"""Kendall's tau-b with two-sided p-values, for thousands of short rankings at once.

Equal to scipy.stats.kendalltau row by row: exact p-values for up to 33 values without ties, the
normal approximation with its correction for ties otherwise. A constant row has no tau: NaN.
"""

import math
from functools import cache
from itertools import accumulate

import numba
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
EXACT_UP_TO = 33


def kendall(x: Floats, y: Floats, offsets: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Tau and p (N,) of the rows x[offsets[i]:offsets[i+1]] and the same of y."""
    x, y = (np.ascontiguousarray(values, dtype=np.float64) for values in (x, y))
    tau, p = _rows(x, y, offsets.astype(np.int64), _exact_table())
    return tau, p


def kendall_of_samples(one: Floats, other: Floats) -> Floats:
    """Tau of each pair of samples (R, n), as a bootstrap draws them."""
    return kendall(one.ravel(), other.ravel(), np.arange(0, one.size + 1, one.shape[1]))[0]


@cache
def _exact_table() -> Floats:
    """2 P(at most c discordant pairs) by n and c: the exact two-sided p of small rankings."""
    table = np.ones((EXACT_UP_TO + 1, EXACT_UP_TO * (EXACT_UP_TO - 1) // 2 + 1))
    ways = [1]  # permutations of n by their number of inversions, exact integers
    for n in range(2, EXACT_UP_TO + 1):
        # the n-th value adds 0 to n - 1 inversions
        ways = [sum(ways[max(0, c - n + 1) : c + 1]) for c in range(n * (n - 1) // 2 + 1)]
        for c, at_most in enumerate(accumulate(ways)):
            table[n, c] = min(1.0, 2 * at_most / math.factorial(n))
    return table


@numba.njit(cache=True, nogil=True)
def _rows(x: Floats, y: Floats, offsets: NDArray[np.int64], exact: Floats) -> tuple[Floats, Floats]:
    rows = len(offsets) - 1
    tau, p = np.empty(rows), np.empty(rows)
    for row in range(rows):
        start, stop = offsets[row], offsets[row + 1]
        tau[row], p[row] = _row(x[start:stop], y[start:stop], exact)
    return tau, p


@numba.njit(cache=True, nogil=True)
def _row(x: Floats, y: Floats, exact: Floats) -> tuple[float, float]:
    n = len(x)
    if n < 2:
        return np.nan, np.nan
    balance, tied_x, tied_y = count_pairs(x, y)
    total = n * (n - 1) // 2
    if tied_x == total or tied_y == total:
        return np.nan, np.nan
    tau = balance / math.sqrt(total - tied_x) / math.sqrt(total - tied_y)
    discordant = (total - balance) // 2  # where nothing is tied
    fewer = min(discordant, total - discordant)
    if tied_x == 0 and tied_y == 0 and n <= EXACT_UP_TO:
        p = 1.0 if 4 * fewer == n * (n - 1) else exact[n, fewer]
    elif tied_x == 0 and tied_y == 0 and fewer <= 1:
        p = 2 * math.exp(-math.lgamma(n + 1.0 - fewer))  # 2 / n! or 2 / (n - 1)!
    else:
        p = _normal(x, y, balance, tied_x, tied_y)
    return min(1.0, max(-1.0, tau)), p


@numba.njit(cache=True, nogil=True, fastmath=True)
def count_pairs(x: Floats, y: Floats) -> tuple[int, int, int]:
    """Concordant minus discordant pairs, and ties of x and of y; all values finite.

    Counts are float32: exact for one row of pairs, and the compiler vectorises the loop, which it
    does not for integers.
    """
    balance, apart_x, apart_y = 0, 0, 0
    for i in range(1, len(x)):
        xi, yi = x[i], y[i]
        of_row, x_of_row, y_of_row = np.float32(0), np.float32(0), np.float32(0)
        for j in range(i):
            by_x = np.float32(xi > x[j]) - np.float32(xi < x[j])
            by_y = np.float32(yi > y[j]) - np.float32(yi < y[j])
            of_row += by_x * by_y
            x_of_row += by_x * by_x
            y_of_row += by_y * by_y
        balance += int(of_row)
        apart_x += int(x_of_row)
        apart_y += int(y_of_row)
    total = len(x) * (len(x) - 1) // 2
    return balance, total - apart_x, total - apart_y


@numba.njit(cache=True, nogil=True)
def _normal(x: Floats, y: Floats, balance: int, tied_x: int, tied_y: int) -> float:
    n = len(x)
    pairs = n * (n - 1.0)
    x0, x1 = _tie_terms(x) if tied_x else (0.0, 0.0)
    y0, y1 = _tie_terms(y) if tied_y else (0.0, 0.0)
    variance = (pairs * (2 * n + 5) - x1 - y1) / 18 + 2.0 * tied_x * tied_y / pairs
    if n > 2:
        variance += x0 * y0 / (9 * pairs * (n - 2))
    return math.erfc(abs(balance) / math.sqrt(variance) / math.sqrt(2.0))


@numba.njit(cache=True, nogil=True)
def _tie_terms(x: Floats) -> tuple[float, float]:
    """Sums of t(t-1)(t-2) and t(t-1)(2t+5) over groups of t equal values."""
    ordered = np.sort(x)
    first, second, tied = 0.0, 0.0, 1
    for i in range(1, len(ordered) + 1):
        if i < len(ordered) and ordered[i] == ordered[i - 1]:
            tied += 1
            continue
        first += tied * (tied - 1.0) * (tied - 2.0)
        second += tied * (tied - 1.0) * (2 * tied + 5.0)
        tied = 1
    return first, second
