"""AUC, Cliff's delta, ratios, differences and rank correlation of samples."""

import numpy as np
import pytest
from scipy.stats import linregress, spearmanr

from stages.statistics.ranks import (
    auc,
    cliff,
    mean_difference,
    mean_ratio,
    median_ratio,
    slope,
    spearman,
)


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
    assert mean_difference(one, other).tolist() == [-8 / 3]


def test_rank_correlation_and_slope_equal_scipy_with_ties_too():
    draw = np.random.default_rng(0)
    one, other = draw.integers(0, 5, (2, 30, 12)).astype(float)
    pairs = list(zip(one, other, strict=True))
    assert spearman(one, other) == pytest.approx([spearmanr(*p).statistic for p in pairs])
    assert slope(one, other) == pytest.approx([linregress(*p).slope for p in pairs])
    assert np.isnan(spearman(one[0], np.ones(12)))
