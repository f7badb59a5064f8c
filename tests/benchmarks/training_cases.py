"""A training epoch of the BiLSTM against the plain way of the library.

The plain way: shuffled batches of 32 padded to the longest, packed for a bidirectional nn.LSTM,
Adam step by step. The same arithmetic per document, so only the speed differs.
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
from stages.nn.optimizers import losses, optimizer
from tests.benchmarks.measuring import Case, Side
from tests.nn import toy

WORDS, DOCUMENTS = 5000, 400


class Packed(nn.Module):
    """The library's own bidirectional layer over packed sequences."""

    def __init__(self, width, hidden):
        super().__init__()
        self.cell, self.size = nn.LSTM(width, hidden, batch_first=True, bidirectional=True), 256

    def forward(self, embedded, lengths, mask):
        packed = pack_padded_sequence(embedded, lengths, batch_first=True, enforce_sorted=False)
        states, _ = self.cell(packed)
        padded, _ = pad_packed_sequence(states, batch_first=True, total_length=embedded.shape[1])
        return padded, None


def corpus():
    draw = np.random.default_rng(0)
    texts = [draw.integers(0, WORDS, n).tolist() for n in draw.integers(10, 200, DOCUMENTS)]
    part = Part(np.arange(DOCUMENTS) % 2, Ragged.of(texts))
    ids = np.arange(WORDS, dtype=np.int32) + 4
    types = tuple(map(str, range(WORDS)))
    return Corpus("made", "classification", False, ("a", "b"), types, ids, {"train": part})


def step_through(model, steps, batches):
    """One pass over the batches; the tokens read."""
    weights, tokens = torch.ones(2), 0
    for batch in batches:
        logits = model(Inputs.of(batch)).logits
        loss = losses(logits, torch.from_numpy(batch.labels), weights).sum()
        steps.zero_grad()
        loss.backward()
        steps.step()
        tokens += int(batch.lengths.sum())
    return tokens


def bilstm(words=WORDS, plain=False):
    """A BiLSTM 300 -> 128 over a vocabulary of so many words, and its optimiser."""
    table = np.random.default_rng(1).normal(size=(words + 4, 300)).astype(np.float32)
    model = build(toy.model(encoder={"kind": "bilstm", "hidden": 128}), table, 2, False)
    if not plain:
        return model, optimizer(model.named_parameters(), toy.training(optimizer="amsgrad"))
    model.encoder = Packed(300, 128)
    return model, torch.optim.Adam(
        model.parameters(), 0.01, amsgrad=True, foreach=False, fused=False
    )


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
