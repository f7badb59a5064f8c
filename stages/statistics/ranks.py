"""How far one group of values lies above another: AUC with DeLong's interval, Cliff's delta.

DeLong, DeLong & Clarke-Pearson (1988): the variance of an AUC from the placements of either group
among the other. An AUC over several runs is the mean of theirs; runs share their observations, so
placements are averaged before the variance is taken.
"""

import numpy as np
from numpy.typing import NDArray

from stages.statistics.bootstrap import NOTHING, Interval

Floats = NDArray[np.float64]
WIDTH = 1.959963984540054  # standard errors to either side of a 95 % interval


def placements(one: Floats, other: Floats) -> Floats:
    """Share of `other` below each value of `one`, ties counted half."""
    ordered = np.sort(other)
    below = np.searchsorted(ordered, one, "left")
    up_to = np.searchsorted(ordered, one, "right")
    return np.asarray((below + up_to) / (2 * len(other)))


def auc(one: Floats, other: Floats) -> Interval:
    """P(a value of `one` > a value of `other`), ties half, for values (n,) or runs (R, n)."""
    above, below = np.atleast_2d(one), np.atleast_2d(other)
    n, m = above.shape[1], below.shape[1]
    if min(n, m) < 2:
        return NOTHING
    pairs = list(zip(above, below, strict=True))
    high = np.mean([placements(a, b) for a, b in pairs], axis=0)  # (n,)
    low = np.mean([1 - placements(b, a) for a, b in pairs], axis=0)  # (m,)
    value = float(high.mean())
    error = WIDTH * float(np.sqrt(high.var(ddof=1) / n + low.var(ddof=1) / m))
    return Interval(value, max(value - error, 0.0), min(value + error, 1.0), n + m)


def cliff(one: Floats, other: Floats) -> Interval:
    """Cliff's delta, 2 AUC - 1: from -1 (all below) to 1 (all above)."""
    area = auc(one, other)
    if area.n == 0:
        return NOTHING
    return Interval(2 * area.value - 1, 2 * area.low - 1, 2 * area.high - 1, area.n)
