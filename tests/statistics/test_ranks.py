"""AUC, its interval, Cliff's delta."""

import numpy as np
import pytest

from stages.statistics.ranks import auc, cliff, placements


def literal(one, other):
    return np.mean([[(a > b) + 0.5 * (a == b) for b in other] for a in one])


@pytest.mark.parametrize("ties", [False, True])
def test_auc_equals_counting_pairs(ties):
    draw = np.random.default_rng(0)
    one, other = draw.normal(0.4, 1, 30), draw.normal(0, 1, 50)
    if ties:
        one, other = one.round(), other.round()
    assert np.isclose(auc(one, other).value, literal(one, other))
    assert np.isclose(cliff(one, other).value, 2 * literal(one, other) - 1)


def test_placements_by_hand():
    assert placements(np.array([1.0, 2.0, 5.0]), np.array([1.0, 3.0])).tolist() == [0.25, 0.5, 1]


def test_delong_interval_is_near_the_bootstrap():
    draw = np.random.default_rng(1)
    one, other = draw.normal(0.5, 1, 80), draw.normal(0, 1, 120)
    resampled = [
        (draw.choice(one, 80)[:, None] > draw.choice(other, 120)).mean() for _ in range(300)
    ]
    interval = auc(one, other)
    low, high = np.percentile(resampled, [2.5, 97.5])
    assert np.isclose(interval.low, low, atol=0.02)
    assert np.isclose(interval.high, high, atol=0.02)


def test_auc_of_several_runs_is_the_mean_and_counts_observations_once():
    draw = np.random.default_rng(2)
    one, other = draw.normal(size=(3, 20)), draw.normal(size=(3, 25))
    each = [auc(a, b).value for a, b in zip(one, other, strict=True)]
    interval = auc(one, other)
    assert np.isclose(interval.value, np.mean(each))
    assert interval.n == 45
    same = auc(np.repeat(one[:1], 3, 0), np.repeat(other[:1], 3, 0))
    assert np.allclose(same[:3], auc(one[0], other[0])[:3])  # copies of a run add no information


def test_too_few_values_have_no_auc():
    assert auc(np.array([1.0]), np.array([0.0, 1.0])).n == 0
    assert cliff(np.empty((1, 0)), np.array([0.0, 1.0])).n == 0


def test_separated_and_equal_groups():
    assert auc(np.array([3.0, 4.0]), np.array([1.0, 2.0]))[:3] == (1, 1, 1)
    assert auc(np.ones(5), np.ones(7)).value == 0.5
