"""Percentile bootstrap: 95 % intervals of means, shares, differences and other statistics."""

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
    """Means (repeats,) of samples drawn with replacement; NaN values are left out."""
    kept = _without_nan(values)
    if len(kept) == 0:
        return np.full(repeats, np.nan)
    samples = draw.integers(0, len(kept), (repeats, len(kept)))
    return np.asarray(kept[samples].mean(1))


def of_mean(values: Floats, draw: np.random.Generator) -> Interval:
    """The mean of values and its interval; NaN values are left out."""
    kept = _without_nan(values)
    return between(float(kept.mean()), replicates(kept, draw), len(kept)) if len(kept) else NOTHING


def nested(groups: Sequence[Floats], draw: np.random.Generator) -> Interval:
    """The mean of the means of runs; runs are resampled, then documents within each.

    With one run only documents are resampled. `n` counts the documents of the largest run.
    """
    kept = [values for values in map(_without_nan, groups) if len(values)]
    if not kept:
        return NOTHING
    chosen = draw.integers(0, len(kept), (REPEATS, len(kept)))  # runs of every replicate
    means = np.empty(chosen.shape)
    for run, values in enumerate(kept):
        places = chosen == run
        means[places] = replicates(values, draw, int(places.sum()))
    value = float(np.mean([values.mean() for values in kept]))
    return between(value, means.mean(1), max(map(len, kept)))


def nested_groups(
    statistic: Callable[..., Floats],
    runs: Sequence[Sequence[Floats]],
    draw: np.random.Generator,
    paired: bool = False,
) -> Interval:
    """A statistic of groups of values, mean over runs; runs are resampled, then each group.

    Paired groups hold the same observations. `statistic` takes samples (R, n) of every group.
    """
    chosen = draw.integers(0, len(runs), (REPEATS, len(runs)))  # runs of every replicate
    drawn = np.empty(chosen.shape)
    for run, groups in enumerate(runs):
        places = chosen == run
        samples = [draw.integers(0, len(g), (int(places.sum()), len(g))) for g in groups]
        samples = samples[:1] * len(groups) if paired else samples
        drawn[places] = statistic(*(g[some] for g, some in zip(groups, samples, strict=True)))
    value = float(np.mean([statistic(*(g[None] for g in groups)) for groups in runs]))
    n = max(len(groups[0]) if paired else sum(map(len, groups)) for groups in runs)
    return between(value, drawn.mean(1), n)


def _without_nan(values: Floats) -> Floats:
    array = np.asarray(values, np.float64)
    return array[~np.isnan(array)]


def of_statistic(
    statistic: Callable[..., float], columns: Sequence[Floats], draw: np.random.Generator
) -> Interval:
    """A statistic of columns of equal length and its interval; whole rows are resampled."""
    n = len(columns[0])
    if n == 0:
        return NOTHING
    resampled = [
        statistic(*(column[sample] for column in columns))
        for sample in draw.integers(0, n, (REPEATS, n))
    ]
    return between(statistic(*columns), np.array(resampled), n)


def nested_replicates(
    statistic: Callable[..., float], runs: Sequence[Sequence[Floats]], draw: np.random.Generator
) -> Floats:
    """Means over runs (REPEATS,) of a statistic of columns; runs are resampled, then rows."""
    means = np.empty(REPEATS)
    for place, chosen in enumerate(draw.integers(0, len(runs), (REPEATS, len(runs)))):
        values = []
        for columns in (runs[run] for run in chosen):
            sample = draw.integers(0, len(columns[0]), len(columns[0]))
            values.append(statistic(*(column[sample] for column in columns)))
        means[place] = np.mean(values)
    return means


def between(value: float, resampled: Floats, n: int) -> Interval:
    """An estimate with the percentile interval of its bootstrap replicates."""
    if np.isnan(resampled).all():
        return Interval(value, np.nan, np.nan, n)
    low, high = np.nanpercentile(resampled, BOUNDS)
    return Interval(value, float(low), float(high), n)
