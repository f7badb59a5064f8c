"""Growth of cost: quadratic where text is read again, linear or constant elsewhere."""

import pytest

from tests.benchmarks import growth


@pytest.fixture(scope="module")
def table():
    return growth.measured()


def test_slopes_are_as_expected(table):
    slopes = growth.slopes(table)
    print("\n" + slopes.to_string(index=False))
    for row in slopes.dropna(subset="expected").itertuples():
        assert row.slope < row.expected + 0.45, row
    quadratic = slopes[slopes["expected"] == 2]
    assert (quadratic["slope"] > 1.4).all()


def test_leave_one_out_costs_less_than_reading_all_text_afresh(table):
    share = growth.half_constant(table)
    print(f"\nleave-one-out, bilstm: {share:.2f} of a fresh start")
    assert share < 0.75
