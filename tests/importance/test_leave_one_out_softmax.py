"""Running sums against softmax over the remaining tokens, and the case of underflow."""

import pytest
import torch

from stages.importance.leave_one_out import deleted, leave_one_out
from stages.importance.leave_one_out_softmax import SoftmaxSums
from tests.small import small_inputs, small_model


@pytest.mark.parametrize("reach", [0, 1, 3])
@pytest.mark.parametrize("spread", [0.0, 3.0, 100.0])
def test_pooled_equals_softmax_over_far_and_new_states(reach, spread):
    draw = torch.Generator().manual_seed(reach)
    scores = spread * torch.randn(2, 9, generator=draw, dtype=torch.float64)
    states = torch.randn(2, 9, 4, generator=draw, dtype=torch.float64)
    mask = torch.ones(2, 9, dtype=torch.bool)
    mask[1, 6:] = False
    new_scores = spread * torch.randn(15, 2, generator=draw, dtype=torch.float64)
    new_states = torch.randn(15, 2, 4, generator=draw, dtype=torch.float64)
    documents, places = mask.nonzero().T
    sums = SoftmaxSums.of(scores, states, mask, reach)
    pooled = sums.pooled(documents, places, new_scores, new_states)
    for n, (row, place) in enumerate(zip(documents.tolist(), places.tolist(), strict=True)):
        far = mask[row] & ((torch.arange(9) - place).abs() > reach)
        weights = torch.cat([scores[row, far], new_scores[n]]).softmax(0)
        expected = weights @ torch.cat([states[row, far], new_states[n]])
        torch.testing.assert_close(pooled[n], expected, atol=1e-9, rtol=1e-9)


def test_a_remainder_that_underflows_gives_none():
    scores, states = torch.tensor([[0.0, 700.0, 1.0]]), torch.ones(1, 3, 2)
    sums = SoftmaxSums.of(scores, states, torch.ones(1, 3, dtype=torch.bool), 0)
    first, peak = torch.tensor([0]), torch.tensor([1])
    assert sums.pooled(torch.tensor([0]), first) is not None
    assert sums.pooled(torch.tensor([0]), peak) is None


@pytest.mark.parametrize("encoder", ["average", "cnn"])
@pytest.mark.parametrize("least", [0.0, 1e300])
def test_with_sums_and_without_the_change_equals_deletion(encoder, least, monkeypatch):
    # with 0 no remainder underflows, with 1e300 all do
    monkeypatch.setattr("stages.importance.leave_one_out_softmax.LEAST", least)
    monkeypatch.setattr("stages.importance.leave_one_out_local.SHORT", 0)
    model, inputs = small_model(encoder), small_inputs()
    calls = []
    pooled = SoftmaxSums.pooled
    monkeypatch.setattr(SoftmaxSums, "pooled", lambda *args: calls.append(1) or pooled(*args))
    change = leave_one_out(model, inputs)
    assert calls
    torch.testing.assert_close(change, leave_one_out(model, inputs, deleted), atol=1e-5, rtol=0)
