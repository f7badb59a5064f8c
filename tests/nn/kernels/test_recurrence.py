"""Compiled LSTM and GRU steps against torch's layers; encoding per type against per token."""

import numpy as np
import pytest
import torch
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from stages.nn.attention import AttentionModel
from stages.nn.encoders.bigru import BiGRU
from stages.nn.encoders.bilstm import BiLSTM
from stages.nn.kernels import recurrence
from stages.nn.kernels.steps import tanh

LAYERS = [(BiLSTM, torch.nn.LSTM), (BiGRU, torch.nn.GRU)]
TYPED = ["bilstm", "bigru", "cnn", "average"]


def test_the_rational_approximation_of_tanh():
    x = np.linspace(-12, 12, 100_001).astype(np.float32)
    values = np.array([tanh.py_func(value) for value in x[::100]])
    np.testing.assert_allclose(values, np.tanh(x[::100].astype(float)), atol=3e-7)


@pytest.mark.parametrize(("encoder", "library"), LAYERS, ids=["lstm", "gru"])
@pytest.mark.parametrize("rows", [1, 6, 256])
@pytest.mark.parametrize("lengths", [[1], [1, 1, 1], [6], [3, 9, 1, 9, 5]])
def test_states_and_all_gradients_equal_packed_sequences(
    encoder, library, rows, lengths, monkeypatch
):
    """Also in several chunks of the backward pass, and when it is taken twice."""
    monkeypatch.setattr(recurrence, "ROWS", rows)
    torch.manual_seed(len(lengths))
    part, packed = encoder(4, 7), library(4, 7, batch_first=True, bidirectional=True)
    for name, value in packed.named_parameters():
        layer = part.backwards if name.endswith("_reverse") else part.forwards
        value.data = getattr(layer, name.removesuffix("_reverse")).data
    embedded = torch.randn(len(lengths), max(lengths), 4, requires_grad=True)
    pack = pack_padded_sequence(embedded, lengths, batch_first=True, enforce_sorted=False)
    outputs, last = packed(pack)
    expected, _ = pad_packed_sequence(outputs, batch_first=True)
    mask = torch.ones(embedded.shape[:2]).bool()
    states, summary = part(embedded, torch.tensor(lengths), mask)
    torch.testing.assert_close(states, expected, atol=1e-6, rtol=0)
    last = torch.cat(list(last[0] if isinstance(last, tuple) else last), -1)
    torch.testing.assert_close(summary, last, atol=1e-6, rtol=0)
    slopes = torch.randn_like(expected)
    theirs = torch.autograd.grad(expected, [embedded, *packed.parameters()], slopes)
    for _ in range(2):
        leaves = [embedded, *part.forwards.parameters(), *part.backwards.parameters()]
        mine = torch.autograd.grad(states, leaves, slopes, retain_graph=True)
        for one, other in zip(mine, theirs, strict=True):
            torch.testing.assert_close(one, other, atol=2e-5, rtol=1e-5)


def test_documents_without_tokens_have_zero_states():
    states, summary = BiLSTM(4, 7)(torch.randn(2, 3, 4), torch.tensor([0, 2]), torch.ones(2, 3))
    assert not states[0].any()
    assert not summary[0].any()
    assert states[1, :2].all()


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
