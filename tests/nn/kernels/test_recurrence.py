"""Compiled LSTM and GRU steps against torch's layers; encoding per type against per token."""

import numpy as np
import pytest
import torch

from stages.nn.attention import AttentionModel
from stages.nn.kernels.recurrence import GRUFunction, LSTMFunction, tanh

LAYERS = [(LSTMFunction, torch.nn.LSTM), (GRUFunction, torch.nn.GRU)]
TYPED = ["bilstm", "bigru", "cnn", "average"]


def test_the_rational_approximation_of_tanh():
    x = np.linspace(-12, 12, 100_001).astype(np.float32)
    values = np.array([tanh.py_func(value) for value in x[::100]])
    np.testing.assert_allclose(values, np.tanh(x[::100].astype(float)), atol=3e-7)


@pytest.mark.parametrize(("function", "library"), LAYERS, ids=["lstm", "gru"])
@pytest.mark.parametrize(("steps", "batch"), [(1, 1), (1, 3), (6, 1), (9, 5)])
def test_steps_and_their_gradients_equal_those_of_torch(function, library, steps, batch):
    torch.manual_seed(steps + batch)
    layers = [library(4, 7) for _ in range(2)]
    read = torch.randn(2, steps, batch, 4, requires_grad=True)
    grad_out = torch.randn(2, steps, batch, 7)
    expected = torch.stack([layer(one)[0] for layer, one in zip(layers, read, strict=True)])
    joined = function is LSTMFunction
    gates = torch.stack(
        [
            torch.nn.functional.linear(
                one, v.weight_ih_l0, v.bias_ih_l0 + (v.bias_hh_l0 if joined else 0)
            )
            for v, one in zip(layers, read, strict=True)
        ]
    )
    weight = torch.stack([layer.weight_hh_l0 for layer in layers])
    bias = torch.stack([layer.bias_hh_l0 for layer in layers])
    states = function.apply(gates, weight, *([] if joined else [bias]))
    torch.testing.assert_close(states, expected, atol=1e-6, rtol=0)
    leaves = [read, *(value for layer in layers for value in layer.parameters())]
    mine, theirs = (torch.autograd.grad((s * grad_out).sum(), leaves) for s in (states, expected))
    for one, other in zip(mine, theirs, strict=True):
        torch.testing.assert_close(one, other, atol=2e-5, rtol=1e-5)


@pytest.mark.parametrize("kind", TYPED)
@pytest.mark.parametrize("architecture", ["flat", "pair"])
def test_encoding_per_type_equals_encoding_per_token(kind, architecture, model, inputs, encoders):
    built = model(architecture, encoder=encoders[kind], score={"kind": "dot"})
    batch = inputs(architecture)
    per_token = built.encode_embedded(built.embedding(batch.tokens), batch)
    outputs = (built(batch), built.answer(per_token))
    torch.testing.assert_close(outputs[0].encoded.states, outputs[1].encoded.states)
    gradients = [
        torch.autograd.grad(output.logits.square().sum(), list(built.parameters()))
        for output in outputs
    ]
    for mine, theirs in zip(*gradients, strict=True):
        torch.testing.assert_close(mine, theirs, atol=1e-6, rtol=1e-5)


def test_dropped_embeddings_are_not_encoded_per_type(model, inputs, encoders, monkeypatch):
    built, calls = model("flat", encoder=encoders["bilstm"]), []
    built.drop_embedded.rate = 0.5
    monkeypatch.setattr(AttentionModel, "encode_embedded", lambda *_: calls.append(1))
    built.train().encode(inputs("flat"))
    assert calls
    calls.clear()
    built.eval().encode(inputs("flat"))
    assert not calls
