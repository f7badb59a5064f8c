"""A training epoch of the BiLSTM against torch's own layers.

Torch: shuffled batches of 32 padded to the longest, packed for a bidirectional nn.LSTM, Adam
neither fused nor vectorised. The arithmetic per document is the same, only the speed differs.
"""

import numpy as np
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from stages.corpora.batching import Reader
from stages.corpora.corpus import Corpus, Part
from stages.corpora.ragged import Ragged
from stages.nn.build import build
from stages.nn.inputs import Inputs
from stages.nn.optimizers import Steps, losses
from tests.benchmarks.measuring import Case, Side
from tests.nn import toy

WORDS, DOCUMENTS = 5000, 400


class Packed(nn.Module):
    """torch's bidirectional layer over packed sequences."""

    def __init__(self, width, hidden):
        super().__init__()
        self.lstm, self.size = nn.LSTM(width, hidden, batch_first=True, bidirectional=True), 256

    def forward(self, embedded, lengths, mask):
        packed = pack_padded_sequence(embedded, lengths, batch_first=True, enforce_sorted=False)
        states, _ = self.lstm(packed)
        padded, _ = pad_packed_sequence(states, batch_first=True, total_length=embedded.shape[1])
        return padded, None


def corpus():
    draw = np.random.default_rng(0)
    texts = [draw.integers(0, WORDS, n).tolist() for n in draw.integers(10, 200, DOCUMENTS)]
    part = Part(np.arange(DOCUMENTS) % 2, Ragged.of(texts))
    ids = np.arange(WORDS, dtype=np.int32) + 4
    types = tuple(map(str, range(WORDS)))
    return Corpus("random", "classification", False, ("a", "b"), types, ids, {"train": part})


class DenseSteps:
    """Steps of a dense optimiser, with the interface of Steps."""

    def __init__(self, optimizer):
        self.optimizer = optimizer

    def step(self, loss):
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()

    def finish(self):
        """Every row is up to date after every step."""


def dense_adam(model, **options):
    return DenseSteps(torch.optim.Adam(model.parameters(), 0.01, amsgrad=True, **options))


def step_through(model, steps, batches):
    """One epoch over the batches; returns the number of tokens."""
    weights, tokens = torch.ones(2), 0
    for batch in batches:
        logits = model(Inputs.of(batch)).logits
        loss = losses(logits, torch.from_numpy(batch.labels), weights).sum()
        steps.step(loss)
        tokens += int(batch.lengths.sum())
    steps.finish()
    return tokens


def bilstm(words=WORDS, plain=False):
    """A BiLSTM 300 -> 128 over a vocabulary of `words`, and its optimiser steps."""
    table = np.random.default_rng(1).normal(size=(words + 4, 300)).astype(np.float32)
    model = build(toy.model(encoder={"kind": "bilstm", "hidden": 128}), table, 2, False)
    if not plain:
        return model, Steps(model, toy.training(optimizer="amsgrad"))
    model.encoder = Packed(300, 128)
    return model, dense_adam(model, foreach=False, fused=False)


def epoch():
    reader = Reader(corpus(), "train")
    ours, plain = bilstm(), bilstm(plain=True)
    draw = np.random.default_rng(2)
    order = draw.permutation(DOCUMENTS)
    shuffled = [reader.batch(order[i : i + 32]) for i in range(0, DOCUMENTS, 32)]
    return Case(
        "training epoch, bilstm",
        Side("ours", lambda: step_through(*ours, reader.batches(32, draw)), DOCUMENTS),
        Side("torch, packed and padded", lambda: step_through(*plain, shuffled), DOCUMENTS),
        2,
        tokens=reader.tokens // DOCUMENTS,
    )


CASES = {"training-epoch": epoch}
