"""Means, medians, ratios and rows of Serrano & Smith's evidence on small numbers."""

import numpy as np
import pandas as pd
import pytest

from stages.papers.serrano_smith import evidence


def test_statistics_leave_out_nan():
    values = np.array([[1.0, 2.0, 6.0, np.nan], [4.0, np.nan, np.nan, np.nan]])
    assert evidence.mean(values).tolist() == [3, 4]
    assert evidence.median(values).tolist() == [2, 4]
    assert np.isnan([f(values[:, 3:]) for f in (evidence.mean, evidence.median)]).all()
    assert evidence.ratio(np.array([1.0, 1, -1, 0])) == 2
    assert evidence.ratio(np.ones(10)) == 20


def series(values, seed=1):
    index = pd.MultiIndex.from_product([[seed], range(len(values))], names=["seed", "instance"])
    return pd.Series(values, index)


def test_seeds_weigh_alike_and_widen_the_interval():
    two = pd.concat([series(np.zeros(10)), series(np.ones(30), 2), series(np.ones(9), 3)])
    row = evidence.row("a", two)
    assert (row.value, row.low, row.high, row.runs) == (0.5, 0, 1, 2)
    assert row.documents == 30
    assert evidence.row("a", series(np.ones(9))) is None


def test_paired_documents_have_a_narrower_interval():
    values = np.random.default_rng(0).normal(size=100)
    one, other = series(values + 1), series(values)
    assert evidence.row("a", one, other)[1:4] == pytest.approx((1, 1, 1))
    apart = evidence.row("a", one, other, paired=False)
    assert apart.value == pytest.approx(1)
    assert 0.3 < apart.high - apart.low < 0.8
