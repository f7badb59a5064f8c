"""Sums of what is left against softmax over what is left, and what cannot be told from nothing."""

import pytest
import torch

from stages.importance.leave_one_out import deleted, leave_one_out
from stages.importance.rest import Rest
from tests.small import small_inputs, small_model


@pytest.mark.parametrize("reach", [0, 1, 3])
@pytest.mark.parametrize("spread", [0.0, 3.0, 100.0])
def test_pooled_equals_softmax_over_the_rest_and_the_new(reach, spread):
    draw = torch.Generator().manual_seed(reach)
    scores = spread * torch.randn(2, 9, generator=draw, dtype=torch.float64)
    states = torch.randn(2, 9, 4, generator=draw, dtype=torch.float64)
    mask = torch.ones(2, 9, dtype=torch.bool)
    mask[1, 6:] = False
    new_scores = spread * torch.randn(15, 2, generator=draw, dtype=torch.float64)
    new_states = torch.randn(15, 2, 4, generator=draw, dtype=torch.float64)
    documents, places = mask.nonzero().T
    found = Rest.of(scores, states, mask, reach).pooled(documents, places, new_scores, new_states)
    for n, (row, place) in enumerate(zip(documents.tolist(), places.tolist(), strict=True)):
        far = mask[row] & ((torch.arange(9) - place).abs() > reach)
        weights = torch.cat([scores[row, far], new_scores[n]]).softmax(0)
        expected = weights @ torch.cat([states[row, far], new_states[n]])
        torch.testing.assert_close(found[n], expected, atol=1e-9, rtol=1e-9)


def test_a_rest_that_is_lost_is_refused():
    scores, states = torch.tensor([[0.0, 700.0, 1.0]]), torch.ones(1, 3, 2)
    rest = Rest.of(scores, states, torch.ones(1, 3, dtype=torch.bool), 0)
    first, peak = torch.tensor([0]), torch.tensor([1])
    assert rest.pooled(torch.tensor([0]), first) is not None
    assert rest.pooled(torch.tensor([0]), peak) is None


@pytest.mark.parametrize("encoder", ["average", "cnn"])
@pytest.mark.parametrize("least", [0.0, 1e300])
def test_with_sums_and_without_the_answer_is_the_literal_one(encoder, least, monkeypatch):
    monkeypatch.setattr("stages.importance.rest.LEAST", least)  # nothing, or everything, is lost
    monkeypatch.setattr("stages.importance.without_local.SHORT", 0)
    model, inputs = small_model(encoder), small_inputs()
    asked = []
    pooled = Rest.pooled
    monkeypatch.setattr(Rest, "pooled", lambda *given: asked.append(1) or pooled(*given))
    found = leave_one_out(model, inputs)
    assert asked
    torch.testing.assert_close(found, leave_one_out(model, inputs, deleted), atol=1e-5, rtol=0)
