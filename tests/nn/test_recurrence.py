"""Compiled LSTM and GRU steps against torch's layers; reading types once against reading tokens."""

import numpy as np
import pytest
import torch

from stages.nn.attention import AttentionModel
from stages.nn.recurrence import Gru, Lstm, tanh

CELLS = [(Lstm, torch.nn.LSTM), (Gru, torch.nn.GRU)]
TYPED = ["bilstm", "bigru", "cnn", "average"]


def test_the_ratio_of_polynomials_is_tanh():
    x = np.linspace(-12, 12, 100_001).astype(np.float32)
    found = np.array([tanh.py_func(value) for value in x[::100]])
    np.testing.assert_allclose(found, np.tanh(x[::100].astype(float)), atol=3e-7)


@pytest.mark.parametrize(("cell", "library"), CELLS, ids=["lstm", "gru"])
@pytest.mark.parametrize(("steps", "batch"), [(1, 1), (1, 3), (6, 1), (9, 5)])
def test_steps_and_their_gradients_are_those_of_the_library(cell, library, steps, batch):
    torch.manual_seed(steps + batch)
    layers = [library(4, 7) for _ in range(2)]
    read = torch.randn(2, steps, batch, 4, requires_grad=True)
    slope = torch.randn(2, steps, batch, 7)
    expected = torch.stack([layer(one)[0] for layer, one in zip(layers, read, strict=True)])
    joined = cell is Lstm
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
    found = cell.apply(gates, weight, *([] if joined else [bias]))
    torch.testing.assert_close(found, expected, atol=1e-6, rtol=0)
    wanted = [read, *(value for layer in layers for value in layer.parameters())]
    mine, theirs = (torch.autograd.grad((s * slope).sum(), wanted) for s in (found, expected))
    for one, other in zip(mine, theirs, strict=True):
        torch.testing.assert_close(one, other, atol=2e-5, rtol=1e-5)


@pytest.mark.parametrize("kind", TYPED)
@pytest.mark.parametrize("architecture", ["flat", "pair"])
def test_types_read_once_are_tokens_read_one_by_one(kind, architecture, model, inputs, encoders):
    made, given = (
        model(architecture, encoder=encoders[kind], score={"kind": "dot"}),
        inputs(architecture),
    )
    outputs = (
        made(given),
        made.answer(made.encode_embedded(made.embedding(given.tokens), given)),
    )
    torch.testing.assert_close(outputs[0].encoded.states, outputs[1].encoded.states)
    slopes = [
        torch.autograd.grad(output.logits.square().sum(), list(made.parameters()))
        for output in outputs
    ]
    for mine, theirs in zip(*slopes, strict=True):
        torch.testing.assert_close(mine, theirs, atol=1e-6, rtol=1e-5)


def test_dropped_tokens_are_not_read_by_type(model, inputs, encoders, monkeypatch):
    made, asked = model("flat", encoder=encoders["bilstm"]), []
    made.drop_embedded.rate = 0.5
    monkeypatch.setattr(AttentionModel, "encode_embedded", lambda *given: asked.append(given))
    made.train().encode(inputs("flat"))
    assert asked
    asked.clear()
    made.eval().encode(inputs("flat"))
    assert not asked
