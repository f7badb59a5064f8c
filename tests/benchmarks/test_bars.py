"""Every fast path reaches the least ratio of its case, and costs grow as expected."""

import pytest

from stages.importance.leave_one_out import leave_one_out
from tests.benchmarks import growth
from tests.benchmarks.analysis_cases import documents, model_of
from tests.benchmarks.cases import CASES
from tests.benchmarks.counterfactual_cases import erase, erase_by_batch, peaked
from tests.benchmarks.measuring import peak_mb, reached


@pytest.mark.parametrize("name", CASES)
def test_the_bar_is_reached(name):
    reached(CASES[name]())


def test_leave_one_out_of_a_long_document_stays_small():
    """States of 1,500 removals of 1,500 tokens would be 2.3 GB at once."""
    model, long = model_of("bilstm"), documents(1, 1500)
    added = peak_mb(lambda: leave_one_out(model, long))
    print(f"\nleave-one-out of 1,500 tokens: {added:.0f} MB more")
    assert added < 1000


def test_erasing_by_batch_gives_the_same_flips():
    documents = peaked(20, 200)
    assert erase(documents).equal(erase_by_batch(documents))


@pytest.fixture(scope="module")
def table():
    return growth.measured()


def test_slopes_are_as_expected(table):
    """Quadratic where text is read again, linear or constant elsewhere."""
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
