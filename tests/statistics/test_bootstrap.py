"""Percentile bootstrap: means by hand, missing values, reproducible draws, coverage."""

import numpy as np
import pytest

from stages.statistics.bootstrap import (
    NOTHING,
    REPEATS,
    Interval,
    between,
    of_mean,
    of_statistic,
    replicates,
)


def draw(seed=0):
    return np.random.default_rng(seed)


def test_a_share_of_half_has_the_interval_of_a_binomial():
    interval = of_mean(np.array([0.0, 1.0] * 50), draw())
    assert (interval.value, interval.n) == (0.5, 100)
    # the standard error is 0.05, so 1.96 of them on each side
    assert interval.low == pytest.approx(0.402, abs=0.02)
    assert interval.high == pytest.approx(0.598, abs=0.02)


def test_equal_values_have_an_interval_of_zero_width():
    assert of_mean(np.full(7, 0.25), draw()) == Interval(0.25, 0.25, 0.25, 7)


def test_missing_values_are_left_out_and_not_counted():
    values = np.array([np.nan, 2.0, np.nan, 4.0, 6.0])
    assert of_mean(values, draw()) == of_mean(np.array([2.0, 4.0, 6.0]), draw())
    assert of_mean(values, draw())[::3] == (4.0, 3)
    assert not np.isnan(replicates(values, draw())).any()


@pytest.mark.parametrize("values", [[], [np.nan, np.nan]])
def test_without_values_there_is_no_estimate(values):
    assert of_mean(np.array(values), draw()) is NOTHING
    means = replicates(np.array(values), draw(), 5)
    assert means.shape == (5,)
    assert np.isnan(means).all()


def test_equal_seeds_give_equal_intervals_and_other_seeds_others():
    values = np.arange(20.0)
    assert of_mean(values, draw(3)) == of_mean(values, draw(3))
    assert of_mean(values, draw(3)) != of_mean(values, draw(4))
    assert replicates(values, draw(3)).shape == (REPEATS,)


def test_replicates_are_means_of_values_drawn_with_replacement():
    means = replicates(np.array([0.0, 3.0]), draw(), 400)
    assert set(means) == {0.0, 1.5, 3.0}
    assert np.mean(means == 1.5) == pytest.approx(0.5, abs=0.1)


def test_columns_are_resampled_by_whole_rows():
    one = np.array([0.0, 1.0, 5.0, 7.0])
    interval = of_statistic(lambda a, b: float(np.max(b - a)), (one, one + 2), draw())
    assert interval == Interval(2.0, 2.0, 2.0, 4)


def test_a_statistic_of_one_column_is_resampled_as_the_mean_is():
    values = np.array([0.0, 1.0] * 50)
    interval = of_statistic(lambda a: float(a.mean()), (values,), draw(1))
    assert interval == of_mean(values, draw(1))
    assert of_statistic(lambda a: 1 / 0, (np.empty(0),), draw()) is NOTHING


def test_the_bounds_are_the_percentiles_of_the_replicates():
    resampled = np.append(np.arange(1001.0), np.nan)
    assert between(3.0, resampled, 9) == Interval(3.0, 25.0, 975.0, 9)
    undefined = between(3.0, np.full(4, np.nan), 9)
    assert (undefined.value, undefined.n) == (3.0, 9)
    assert np.isnan([undefined.low, undefined.high]).all()


def test_about_nineteen_of_twenty_intervals_cover_the_truth():
    samples = draw(11).exponential(2.0, (300, 60))
    intervals = [of_mean(sample, draw(place)) for place, sample in enumerate(samples)]
    covered = np.mean([interval.low <= 2.0 <= interval.high for interval in intervals])
    assert 0.88 < covered < 0.98
