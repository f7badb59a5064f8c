"""Gradients by hand on three words, and against autograd of the whole model."""

import pytest
import torch

from stages.importance.gradient import gradients
from stages.importance.integrated import integrated_gradients
from stages.nn.inputs import Inputs
from tests.small import ENCODERS, small_inputs, small_model


def test_three_words_by_hand():
    """No encoder, one output: p' = p (1 - p), so the gradient is p (1 - p) alpha (w . e)."""
    model = small_model("none")
    inputs = Inputs(torch.tensor([[4, 5, 6]]), torch.tensor([3]), torch.ones(1, 3, dtype=bool))
    output = model(inputs)
    p = output.logits.sigmoid()
    vectors, w = model.embedding.weight[[4, 5, 6]], model.head.layer.weight[0]
    kinds = gradients(model, inputs)
    slope = (p * (1 - p) * output.weights).squeeze(0)
    torch.testing.assert_close(kinds["gradient"][0], (slope * (vectors @ w)).abs())
    embedding_sum = model.embedding.weight.sum(0)
    torch.testing.assert_close(kinds["gradient_vocabulary"][0], (slope * (embedding_sum @ w)).abs())
    torch.testing.assert_close(kinds["gradient_state"][0], (slope * w.sum()).abs())


@pytest.mark.parametrize("pair", [False, True])
@pytest.mark.parametrize("encoder", [*ENCODERS, "bigru"])
def test_gradients_of_the_predicted_class_of_three_by_autograd(encoder, pair):
    model, inputs = small_model(encoder, classes=3, pair=pair), small_inputs(pair=pair)
    embedded = model.embedding(inputs.tokens).requires_grad_()
    encoded = model.encode_embedded(embedded, inputs)
    p = model.probabilities(model.decode(encoded, model(inputs).weights))
    slope, of_state = torch.autograd.grad(p.amax(1).sum(), [embedded, encoded.states])
    expected = {
        "gradient": (slope * embedded).sum(-1),
        "gradient_vocabulary": (slope * model.embedding.weight.sum(0)).sum(-1),
        "gradient_state": of_state.sum(-1),
    }
    values = gradients(model, inputs)
    for name, value in expected.items():
        value = value.detach().abs() * inputs.mask
        torch.testing.assert_close(values[name], value, atol=1e-6, rtol=1e-4)


@pytest.mark.parametrize("encoder", ["bilstm", "cnn", "average"])
def test_integrated_gradients_add_up_and_equal_many_small_steps(encoder):
    model, inputs = small_model(encoder, sharpness=1.0).double(), small_inputs()
    attributions, gap = integrated_gradients(model, inputs, 12)
    assert gap.max() < 1e-2
    embedded = model.embedding(inputs.tokens)
    total = torch.zeros_like(embedded)
    steps = 400
    for step in range(steps):
        scaled = (embedded * (step + 0.5) / steps).requires_grad_()
        p = model.probabilities(model.answer(model.encode_embedded(scaled, inputs)).logits)
        total += torch.autograd.grad(p.sum(), scaled)[0] / steps
    expected = (total * embedded).sum(-1) * inputs.mask
    torch.testing.assert_close(attributions, expected, atol=5e-3, rtol=0)
