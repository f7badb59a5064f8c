"""A token's own scores: polarity W h and attention V h / lambda (Sun & Lu 2020, section 3).

In a document of one token all weight is on it, so its logits are the token's polarity scores and
its alignment score is the token's attention score: `alone`. A model with context also has scores of
a token within documents: `in_context`, the mean over its occurrences (supplement G.1). `flow` is
the change of the former under gradient flow by automatic differentiation, which checks the closed
terms.
"""

import copy
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch.func import functional_call, jvp

from stages.corpora.batching import Reader
from stages.corpora.ragged import Longs
from stages.nn.attention import AttentionModel
from stages.nn.inputs import Inputs
from stages.nn.optimizers import losses

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class TokenScores:
    """Scores by model id; NaN for tokens that do not occur."""

    polarity: Floats  # (V, C)
    attention: Floats  # (V,)


@torch.no_grad()
def alone(model: AttentionModel, ids: Longs) -> TokenScores:
    """Scores of tokens, in the order of `ids`, each as a document of one token."""
    encoded = model.eval().encode(_documents(ids))
    evidence, _ = model.evidence(encoded)
    scores = model.score(encoded.states, None)
    return TokenScores(evidence[:, 0].double().numpy(), scores[:, 0].double().numpy())


def _documents(ids: Longs) -> Inputs:
    """Each token as a document of its own."""
    tokens = torch.from_numpy(ids).unsqueeze(1)  # (U, 1)
    return Inputs(tokens, torch.ones(len(ids), dtype=torch.long), torch.ones_like(tokens).bool())


@dataclass(frozen=True)
class Occurrences(TokenScores):
    """Means over all occurrences of every token, (V,) except polarity, and their number."""

    count: Longs
    weight: Floats  # attention weight
    length: Floats  # tokens of the document
    below: Floats  # whether all scores of the document are negative


@torch.no_grad()
def in_context(model: AttentionModel, reader: Reader, size: int) -> Occurrences:
    """Means over all occurrences in the documents of a reader, for ids below `size`."""
    model.eval()
    ids, values = [], []
    for batch in reader.batches(128):
        output = model(Inputs.of(batch))
        evidence, _ = model.evidence(output.encoded)
        scores, real = output.scores.double().numpy(), batch.mask
        n = np.broadcast_to(real.sum(1, keepdims=True), real.shape)
        below = np.where(real, scores, -1.0).max(1, keepdims=True) < 0
        columns = (scores, output.weights.double().numpy(), n, np.broadcast_to(below, real.shape))
        ids.append(batch.tokens[real])
        of_tokens = np.stack([column[real] for column in columns], 1)
        values.append(np.hstack([of_tokens, evidence.double().numpy()[real]]))  # (N, 4 + C)
    tokens, sums = np.concatenate(ids), np.concatenate(values).T
    count = np.bincount(tokens, minlength=size)
    attention, weight, length, below, *polarity = (
        np.where(count > 0, np.bincount(tokens, column, size) / np.maximum(count, 1), np.nan)
        for column in sums
    )
    return Occurrences(np.stack(polarity, 1), attention, count, weight, length, below)


def flow(model: AttentionModel, reader: Reader, ids: Longs) -> TokenScores:
    """ds/dtau and da/dtau of tokens `ids` when parameters move down the gradient of the loss."""
    exact = copy.deepcopy(model).double().eval()  # without dropout
    parameters = dict(exact.named_parameters())
    gradients = torch.autograd.grad(_loss(exact, reader), list(parameters.values()))
    direction = {name: -g for name, g in zip(parameters, gradients, strict=True)}
    documents = _documents(ids)

    def scores(moving: dict[str, torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
        output = functional_call(exact, moving, (documents,))
        return output.logits, output.scores[:, 0]

    values = {name: value.detach() for name, value in parameters.items()}
    polarity, attention = jvp(scores, (values,), (direction,))[1]
    return TokenScores(polarity.detach().numpy(), attention.detach().numpy())


def _loss(model: AttentionModel, reader: Reader) -> torch.Tensor:
    """Mean loss of a document."""
    ones = torch.ones(reader.classes, dtype=torch.float64)
    total = torch.zeros((), dtype=torch.float64)
    for batch in reader.batches(256):
        logits = model(Inputs.of(batch)).logits
        total = total + losses(logits, torch.from_numpy(batch.labels), ones).sum()
    return total / len(reader.labels)
