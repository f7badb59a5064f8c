"""How far one group of values lies above another: AUC, Cliff's delta, ratios of sizes.

Groups are samples (R, n) and (R, m), as a bootstrap draws them; a statistic has one value for each.
"""

import numpy as np
from numpy.typing import NDArray

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


def median_ratio(one: Floats, other: Floats) -> Floats:
    """Median |one| over median |other|."""
    return np.asarray(np.median(np.abs(one), 1) / np.median(np.abs(other), 1))
