"""Statistics of two groups of values: AUC, Cliff's delta, ratios of sizes, rank correlation.

Groups are samples (R, n) and (R, m), as a bootstrap draws them; a statistic has one value for each.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

Floats = NDArray[np.float64]
WIDTH = 1.959963984540054  # standard errors to either side of a 95 % interval


def auc(one: Floats, other: Floats) -> Floats:
    """P(a value of `one` > a value of `other`), ties counted half."""
    samples, m = np.arange(len(one))[:, None], other.shape[1]
    width = max(one.max(), other.max()) - min(one.min(), other.min()) + 1
    shift = samples * width  # keeps the samples apart in one sorted array
    ordered = (np.sort(other, axis=1) + shift).ravel()
    below, up_to = (np.searchsorted(ordered, one + shift, side) for side in ("left", "right"))
    return np.asarray(((below + up_to) / (2 * m) - samples).mean(1))


def cliff(one: Floats, other: Floats) -> Floats:
    """Cliff's delta, 2 AUC - 1: from -1 (all below) to 1 (all above)."""
    return 2 * auc(one, other) - 1


def mean_ratio(one: Floats, other: Floats) -> Floats:
    """Mean |one| over mean |other|."""
    return np.asarray(np.abs(one).mean(1) / np.abs(other).mean(1))


def mean_difference(one: Floats, other: Floats) -> Floats:
    """Mean of `one` minus mean of `other`."""
    return np.asarray(one.mean(1) - other.mean(1))


def median_ratio(one: Floats, other: Floats) -> Floats:
    """Median |one| over median |other|."""
    return np.asarray(np.median(np.abs(one), 1) / np.median(np.abs(other), 1))


def spearman(one: Floats, other: Floats) -> Floats:
    """Rank correlation along the last axis; NaN where either side is constant."""
    first, second = (rankdata(values, axis=-1) for values in (one, other))
    with np.errstate(invalid="ignore"):
        return np.asarray(slope(first, second) * first.std(-1) / second.std(-1))


def slope(x: Floats, y: Floats) -> Floats:
    """Least-squares slope along the last axis; NaN or infinite where x is constant."""
    centred = x - x.mean(-1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((centred * y).sum(-1) / (centred**2).sum(-1))
