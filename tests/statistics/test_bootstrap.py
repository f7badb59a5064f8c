"""Percentile bootstrap: means by hand, missing values, reproducible draws, coverage."""

import numpy as np
import pytest

from stages.statistics import bootstrap
from stages.statistics.bootstrap import (
    REPEATS,
    Interval,
    clustered,
    hierarchical,
    interval,
    mean,
    of_mean,
)
from stages.statistics.ranks import auc, mean_difference


def draw(seed=0):
    return np.random.default_rng(seed)


def test_a_share_of_half_has_the_interval_of_a_binomial():
    share = of_mean(np.array([0.0, 1.0] * 50), draw())
    assert (share.value, share.n) == (0.5, 100)
    # the standard error is 0.05, so 1.96 of them on each side
    assert share.low == pytest.approx(0.402, abs=0.02)
    assert share.high == pytest.approx(0.598, abs=0.02)


def test_equal_values_have_an_interval_of_zero_width():
    assert of_mean(np.full(7, 0.25), draw()) == Interval(0.25, 0.25, 0.25, 7)


def test_missing_values_are_left_out_and_not_counted():
    values = np.array([np.nan, 2.0, np.nan, 4.0, 6.0])
    assert of_mean(values, draw()) == of_mean(np.array([2.0, 4.0, 6.0]), draw())
    assert of_mean(values, draw())[::3] == (4.0, 3)


@pytest.mark.parametrize("values", [[], [np.nan, np.nan]])
def test_without_values_there_is_no_estimate(values):
    nothing = of_mean(np.array(values), draw())
    assert nothing.n == 0
    assert np.isnan(nothing[:3]).all()


def literal(statistic, runs, paired, draw, repeats=3000):
    """Runs, then observations within each drawn run, one by one; paired columns share a sample."""
    means = []
    for _ in range(repeats):
        values = []
        for columns in (runs[run] for run in draw.integers(0, len(runs), len(runs))):
            samples = [draw.integers(0, len(column), len(column)) for column in columns]
            if paired:
                samples = samples[:1] * len(columns)
            drawn = [column[sample] for column, sample in zip(columns, samples, strict=True)]
            values.append(statistic(*(some[None] for some in drawn))[0])
        means.append(np.mean(values))
    return np.percentile(means, [2.5, 97.5])


@pytest.mark.parametrize(
    ("statistic", "columns", "paired"),
    [(mean, 1, True), (mean_difference, 2, True), (mean_difference, 2, False), (auc, 2, False)],
)
@pytest.mark.parametrize("count", [1, 3])
def test_hierarchical_bootstrap_equals_the_literal_one(statistic, columns, paired, count):
    made = draw(7)
    runs = []
    for shift, n in ((0, 40), (0.5, 60), (1, 50))[:count]:
        first = made.normal(shift, 1, n)
        second = 0.5 * first + made.normal(0, 0.5, n)
        runs.append([first, second if paired else second[10:]][:columns])
    result = interval(hierarchical(statistic, runs, draw(1), paired), 60)
    whole = np.mean([statistic(*(column[None] for column in run)) for run in runs])
    assert result.value == pytest.approx(whole)
    assert np.allclose(result[1:3], literal(statistic, runs, paired, draw(2)), atol=0.06)


def test_blocks_of_replicates_give_the_same_draws(monkeypatch):
    runs = [[draw(1).normal(size=30)], [draw(2).normal(size=20)]]
    whole = hierarchical(mean, runs, draw(5))
    monkeypatch.setattr(bootstrap, "LARGEST", 70)
    assert np.array_equal(hierarchical(mean, runs, draw(5)), whole)


def test_clusters_are_resampled_whole():
    clusters = [np.array([[0.0, 1.0], [2.0, 3.0]]), np.array([[5.0, 7.0]])]
    values = clustered(lambda one, other: float((other - one).max()), clusters, draw())
    assert values[0] == 2
    assert set(values) == {1.0, 2.0}  # 1 where the first cluster is drawn twice
    assert len(values) == 1 + REPEATS


def test_the_bounds_are_the_percentiles_of_the_replicates():
    values = np.append(3.0, np.append(np.arange(1001.0), np.nan))
    assert interval(values, 9) == Interval(3.0, 25.0, 975.0, 9)
    undefined = interval(np.append(3.0, np.full(4, np.nan)), 9)
    assert (undefined.value, undefined.n) == (3.0, 9)
    assert np.isnan([undefined.low, undefined.high]).all()


def test_about_nineteen_of_twenty_intervals_cover_the_truth():
    samples = draw(11).exponential(2.0, (300, 60))
    intervals = [of_mean(sample, draw(place)) for place, sample in enumerate(samples)]
    covered = np.mean([one.low <= 2.0 <= one.high for one in intervals])
    assert 0.88 < covered < 0.98
