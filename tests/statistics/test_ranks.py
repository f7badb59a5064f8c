"""AUC, Cliff's delta, ratios, and the bootstrap of groups over runs."""

import numpy as np
import pytest

from stages.statistics.bootstrap import nested_groups
from stages.statistics.ranks import auc, cliff, mean_ratio, median_ratio


def literal(one, other):
    return np.mean([[(a > b) + 0.5 * (a == b) for b in other] for a in one])


@pytest.mark.parametrize("ties", [False, True])
def test_auc_of_each_sample_equals_counting_pairs(ties):
    draw = np.random.default_rng(0)
    one, other = draw.normal(0.4, 1, (4, 30)), draw.normal(0, 1, (4, 50))
    if ties:
        one, other = one.round(), other.round()
    expected = np.array([literal(*pair) for pair in zip(one, other, strict=True)])
    assert np.allclose(auc(one, other), expected)
    assert np.allclose(cliff(one, other), 2 * expected - 1)


def test_ratios_are_of_sizes():
    one, other = np.array([[-1.0, 2.0, -9.0]]), np.array([[4.0, -4.0]])
    assert mean_ratio(one, other).tolist() == [1.0]
    assert median_ratio(one, other).tolist() == [0.5]


def test_groups_of_one_run_are_resampled():
    draw = np.random.default_rng(1)
    one, other = draw.normal(0.5, 1, 80), draw.normal(0, 1, 120)
    literally = [
        (draw.choice(one, 80)[:, None] > draw.choice(other, 120)).mean() for _ in range(300)
    ]
    interval = nested_groups(auc, [[one, other]], draw)
    assert np.allclose(interval[1:3], np.percentile(literally, [2.5, 97.5]), atol=0.02)
    assert interval.n == 200


def test_runs_that_differ_widen_the_interval():
    draw = np.random.default_rng(2)
    values = draw.normal(size=100)
    alike, unlike = ([[values + shift, values] for shift in some] for some in ((1, 1), (0, 2)))
    narrow, wide = (nested_groups(cliff, runs, draw) for runs in (alike, unlike))
    assert wide.high - wide.low > 2 * (narrow.high - narrow.low)


def test_paired_groups_share_their_sample():
    values = np.exp(np.random.default_rng(3).normal(size=50))
    interval = nested_groups(mean_ratio, [[2 * values, values]], np.random.default_rng(0), True)
    assert np.allclose(interval[:3], 2)
    assert interval.n == 50
