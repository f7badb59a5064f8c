"""Percentile bootstrap: known means, missing values, reproducible draws, honest coverage."""

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
    found = of_mean(np.array([0.0, 1.0] * 50), draw())
    assert (found.value, found.n) == (0.5, 100)
    # the standard error is 0.05, so 1.96 of them on each side
    assert found.low == pytest.approx(0.402, abs=0.02)
    assert found.high == pytest.approx(0.598, abs=0.02)


def test_equal_values_leave_no_doubt():
    assert of_mean(np.full(7, 0.25), draw()) == Interval(0.25, 0.25, 0.25, 7)


def test_missing_values_are_left_out_and_not_counted():
    values = np.array([np.nan, 2.0, np.nan, 4.0, 6.0])
    assert of_mean(values, draw()) == of_mean(np.array([2.0, 4.0, 6.0]), draw())
    assert of_mean(values, draw())[::3] == (4.0, 3)
    assert not np.isnan(replicates(values, draw())).any()


@pytest.mark.parametrize("values", [[], [np.nan, np.nan]])
def test_nothing_comes_of_nothing(values):
    assert of_mean(np.array(values), draw()) is NOTHING
    again = replicates(np.array(values), draw(), 5)
    assert again.shape == (5,)
    assert np.isnan(again).all()


def test_the_same_generator_gives_the_same_numbers_and_another_gives_others():
    values = np.arange(20.0)
    assert of_mean(values, draw(3)) == of_mean(values, draw(3))
    assert of_mean(values, draw(3)) != of_mean(values, draw(4))
    assert replicates(values, draw(3)).shape == (REPEATS,)


def test_replicates_are_means_of_values_drawn_with_replacement():
    found = replicates(np.array([0.0, 3.0]), draw(), 400)
    assert set(found) == {0.0, 1.5, 3.0}
    assert np.mean(found == 1.5) == pytest.approx(0.5, abs=0.1)


def test_a_statistic_sees_rows_that_belong_together():
    one = np.array([0.0, 1.0, 5.0, 7.0])
    found = of_statistic(lambda a, b: float(np.max(b - a)), (one, one + 2), draw())
    assert found == Interval(2.0, 2.0, 2.0, 4)


def test_a_statistic_of_one_column_is_resampled_as_the_mean_is():
    values = np.array([0.0, 1.0] * 50)
    found = of_statistic(lambda a: float(a.mean()), (values,), draw(1))
    assert found == of_mean(values, draw(1))
    assert of_statistic(lambda a: 1 / 0, (np.empty(0),), draw()) is NOTHING


def test_the_bounds_are_the_percentiles_of_the_replicates():
    again = np.append(np.arange(1001.0), np.nan)
    assert between(3.0, again, 9) == Interval(3.0, 25.0, 975.0, 9)
    lost = between(3.0, np.full(4, np.nan), 9)
    assert (lost.value, lost.n) == (3.0, 9)
    assert np.isnan([lost.low, lost.high]).all()


def test_about_nineteen_of_twenty_intervals_cover_the_truth():
    samples = draw(11).exponential(2.0, (300, 60))
    found = [of_mean(sample, draw(place)) for place, sample in enumerate(samples)]
    covered = np.mean([interval.low <= 2.0 <= interval.high for interval in found])
    assert 0.88 < covered < 0.98
