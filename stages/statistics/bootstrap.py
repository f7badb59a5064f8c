"""Percentile bootstrap: 95 % intervals of means, shares, differences and other statistics.

An estimate and its replicates are one array (1 + REPEATS,), the estimate first.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Runs = Sequence[Sequence[Floats]]  # columns of observations of each run
Statistic = Callable[..., Floats]  # samples (R, n) of every column -> (R,)
REPEATS, BOUNDS = 1000, (2.5, 97.5)
LARGEST = 4_000_000  # observations that are drawn at once


class Interval(NamedTuple):
    """An estimate, its 95 % interval, and the number of observations."""

    value: float
    low: float
    high: float
    n: int


def mean(values: Floats) -> Floats:
    """Means along the last axis."""
    return np.asarray(values.mean(-1))


def hierarchical(
    statistic: Statistic, runs: Runs, draw: np.random.Generator, paired: bool = True
) -> Floats:
    """The mean over runs of a statistic of their columns; runs are resampled, then observations.

    Columns that are paired hold the same observations, so they share each sample. With one run
    only observations are resampled.
    """
    chosen = draw.integers(0, len(runs), (REPEATS, len(runs)))  # runs of every replicate
    values = np.empty(chosen.shape)
    for run, columns in enumerate(runs):
        places = np.argwhere(chosen == run)
        block = max(1, LARGEST // len(columns[0]))
        for some in (places[start : start + block] for start in range(0, len(places), block)):
            drawn = columns[:1] if paired else columns
            samples = [draw.integers(0, len(column), (len(some), len(column))) for column in drawn]
            samples = samples * len(columns) if paired else samples
            pairs = zip(columns, samples, strict=True)
            values[tuple(some.T)] = statistic(*(column[sample] for column, sample in pairs))
    estimate = np.mean([statistic(*(column[None] for column in columns)) for columns in runs])
    return np.append(estimate, values.mean(1))


def clustered(
    statistic: Callable[..., Floats | float], clusters: Sequence[Floats], draw: np.random.Generator
) -> Floats:
    """A statistic of the columns of all clusters (n, columns); whole clusters are resampled."""
    n = len(clusters)
    samples = np.vstack([np.arange(n), draw.integers(0, n, (REPEATS, n))])
    return np.array(
        [statistic(*np.concatenate([clusters[i] for i in sample]).T) for sample in samples]
    )


def of_mean(values: Floats, draw: np.random.Generator) -> Interval:
    """The mean of values and its interval; NaN values are left out."""
    array = np.asarray(values, np.float64)
    kept = array[~np.isnan(array)]
    if not len(kept):
        return Interval(np.nan, np.nan, np.nan, 0)
    return interval(hierarchical(mean, [[kept]], draw), len(kept))


def interval(values: Floats, n: int) -> Interval:
    """An estimate with the percentile interval of its replicates (1 + REPEATS,)."""
    estimate, replicates = float(values[0]), values[1:]
    if np.isnan(replicates).all():
        return Interval(estimate, np.nan, np.nan, n)
    low, high = np.nanpercentile(replicates, BOUNDS)
    return Interval(estimate, float(low), float(high), n)
