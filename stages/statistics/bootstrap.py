"""Percentile bootstrap: 95 % intervals of means, shares, differences and anything else."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
REPEATS, BOUNDS = 1000, (2.5, 97.5)


class Interval(NamedTuple):
    """An estimate, its 95 % interval, and the number of observations."""

    value: float
    low: float
    high: float
    n: int


NOTHING = Interval(np.nan, np.nan, np.nan, 0)


def replicates(values: Floats, draw: np.random.Generator, repeats: int = REPEATS) -> Floats:
    """Means (repeats,) of samples drawn with replacement; values that are NaN are left out."""
    kept = np.asarray(values, np.float64)
    kept = kept[~np.isnan(kept)]
    if len(kept) == 0:
        return np.full(repeats, np.nan)
    taken = draw.integers(0, len(kept), (repeats, len(kept)))
    found: Floats = kept[taken].mean(1)
    return found


def of_mean(values: Floats, draw: np.random.Generator) -> Interval:
    """The mean of values and its interval."""
    kept = np.asarray(values, np.float64)
    kept = kept[~np.isnan(kept)]
    return between(float(kept.mean()), replicates(kept, draw), len(kept)) if len(kept) else NOTHING


def of_statistic(
    statistic: Callable[..., float], columns: Sequence[Floats], draw: np.random.Generator
) -> Interval:
    """Any statistic of rows of equal columns; rows are drawn together."""
    n = len(columns[0])
    if n == 0:
        return NOTHING
    again = [
        statistic(*(column[taken] for column in columns))
        for taken in draw.integers(0, n, (REPEATS, n))
    ]
    return between(statistic(*columns), np.array(again), n)


def between(value: float, again: Floats, n: int) -> Interval:
    """An estimate with the interval that its replicates span."""
    if np.isnan(again).all():
        return Interval(value, np.nan, np.nan, n)
    low, high = np.nanpercentile(again, BOUNDS)
    return Interval(value, float(low), float(high), n)
