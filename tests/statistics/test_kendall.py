"""Kendall's tau-b of many rows against SciPy row by row, with p-values and undefined rows."""

import warnings

import numpy as np
import pytest
from scipy.stats import kendalltau

from stages.statistics.kendall import kendall
from stages.statistics.top_k import top_k_distance


def rows(n: int, draw: np.random.Generator, count: int = 60):
    """Pairs of rankings: independent, related, equal, opposite, with few and with many ties."""
    for k in range(count):
        x = draw.normal(size=n)
        y = draw.normal(size=n) + (2 * x if k % 3 == 0 else 0)
        if k % 5 == 1:
            x = np.round(x)
        if k % 5 == 2:
            x, y = np.round(x, 1), np.round(y)
        if k % 10 == 8:
            y = x.copy()
        if k % 10 == 9:
            y = -x
        if k == count - 1:
            x[:] = 0.5
        yield x, y


@pytest.mark.parametrize("n", [1, 2, 3, 4, 10, 33, 34, 60, 180])
def test_equals_scipy(n):
    pairs = list(rows(n, np.random.default_rng(n)))
    x, y = (np.concatenate(side) for side in zip(*pairs, strict=True))
    tau, p = kendall(x, y, np.arange(len(pairs) + 1) * n)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = [kendalltau(a, b) if n > 1 else (np.nan, np.nan) for a, b in pairs]
    np.testing.assert_allclose(tau, [e[0] for e in expected], atol=1e-12, rtol=0)
    np.testing.assert_allclose(p, [e[1] for e in expected], atol=1e-12, rtol=0)
    assert ((p <= 0.05) == [e[1] <= 0.05 for e in expected]).all()
    assert np.isnan(tau[-1])  # constant


def test_rows_of_different_lengths_do_not_mix():
    x = np.array([1.0, 2, 3, 9, 1, 2, 3, 4])
    y = np.array([1.0, 2, 3, 0, 4, 3, 2, 1])
    tau, p = kendall(x, y, np.array([0, 3, 4, 8]))
    np.testing.assert_allclose(tau, [1, np.nan, -1])
    np.testing.assert_allclose(p, [1 / 3, np.nan, 1 / 12])


def test_top_k_distance_by_hand():
    """Top 2 of five: {a, b} and {b, c}. b is common (n = 1), a and c are each on one list only.

    Case a | c: 1. b against a: the first list has a ahead: 1. b against c: c ahead of b: 1.
    Union 3: 3 / 9.
    """
    x = np.array([5.0, 4, 3, 2, 1])
    y = np.array([0.0, 4, 5, 2, 1])
    whole = np.array([0, 5])
    assert top_k_distance(x, y, whole, 2)[0] == pytest.approx(3 / 9)
    assert top_k_distance(x, x, whole, 2)[0] == pytest.approx(0, abs=1e-12)
    assert top_k_distance(x, x, whole, 50)[0] == pytest.approx(0, abs=1e-12)
    # all five are common, tau = -1: (1 + 1) / 2 * 25 / 25
    assert top_k_distance(x, -x, whole, 5)[0] == pytest.approx(1)
    # disjoint top 2: four crossed pairs and one pair of each list at one half, over 16
    assert top_k_distance(x, -x, whole, 2)[0] == pytest.approx((4 + 1) / 16)
