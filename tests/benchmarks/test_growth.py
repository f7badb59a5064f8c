"""How cost grows: quadratic where text must be read again, linear or flat elsewhere."""

import pytest

from tests.benchmarks import growth


@pytest.fixture(scope="module")
def table():
    return growth.measured()


def test_every_line_grows_as_it_should(table):
    found = growth.slopes(table)
    print("\n" + found.to_string(index=False))
    for row in found.dropna(subset="expected").itertuples():
        assert row.slope < row.expected + 0.45, row
    quadratic = found[found["expected"] == 2]
    assert (quadratic["slope"] > 1.4).all()


def test_leave_one_out_reads_half_of_what_a_fresh_start_reads(table):
    share = growth.half_constant(table)
    print(f"\nleave-one-out, bilstm: {share:.2f} of a fresh start")
    assert share < 0.75
