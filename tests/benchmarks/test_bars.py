"""Every fast path reaches the least ratio of its case, and costs grow as expected."""

import pytest
import torch

from stages.importance.gradient import gradients
from stages.importance.leave_one_out import leave_one_out
from stages.nn.inputs import Inputs
from tests.benchmarks import growth, plain_recurrent, recurrent_cases, roofline
from tests.benchmarks.analysis_cases import documents, model_of
from tests.benchmarks.cases import CASES
from tests.benchmarks.counterfactual_cases import erase, erase_by_batch, peaked
from tests.benchmarks.measuring import peak_mb, reached
from tests.benchmarks.training_cases import network_of


@pytest.mark.parametrize("name", CASES)
def test_the_bar_is_reached(name):
    reached(CASES[name]())


def test_the_plain_way_computes_the_same():
    model = network_of("bilstm", recurrent_cases.WORDS).eval().requires_grad_(False)
    copy = plain_recurrent.PlainModel(model).eval()
    inputs = Inputs.of(next(recurrent_cases.reader_of(20, 8).batches(8)))
    torch.testing.assert_close(model(inputs).logits, copy(inputs), atol=1e-5, rtol=0)
    for ours, theirs in (
        (gradients(model, inputs)["gradient"], plain_recurrent.gradients(copy, inputs)),
        (leave_one_out(model, inputs), plain_recurrent.leave_one_out(copy, inputs)),
    ):
        torch.testing.assert_close(ours, theirs, atol=1e-5, rtol=1e-4)


def test_training_on_long_text_is_near_a_plain_matrix_product():
    rates = roofline.measured().set_index("kernel")
    share = 1 / rates.loc["training epoch, bilstm, 180 tokens", "distance"]
    print(f"\ntraining, bilstm, 180 tokens: {share:.0%} of a plain matrix product")
    assert share >= 0.65


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
