"""Leave-one-out through a BiLSTM under additive attention: states are scored as they are computed.

Without a token each other state has one new half: the forward half behind the token, the backward
half before it. The share of old halves in v . tanh(W h + b) is computed once per document; that of
new halves in the step that computes them, while they are in cache.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numba
import numpy as np
import torch
from torch import Tensor

from stages.importance.leave_one_out_recurrent import Longs, Numbers, directions
from stages.importance.removals import Without, decode_pooled, mask_without, pool
from stages.nn.attention import AttentionModel
from stages.nn.inputs import Inputs
from stages.nn.kernels.recurrence import tanh


@dataclass(frozen=True)
class Scorer:
    """Additive scores of states of which one direction's half is new."""

    weight: Tensor  # (H, A) of the new half
    old: Tensor  # (B, T, A) sum of the other half's share, the bias and the query's share
    vector: Tensor  # (A,)

    def score(
        self, scores: Tensor, states: Tensor, documents: Tensor, at: Tensor, removals: Tensor
    ) -> None:
        """Write the scores of new halves (n, H) into `scores` (P, T)."""
        tensors = (states @ self.weight, self.old, self.vector, documents, at, removals, scores)
        arrays: Any = [tensor.numpy() for tensor in tensors]
        _score(*arrays)


@numba.njit(cache=True, nogil=True, fastmath=True, error_model="numpy")
def _score(
    new: Numbers,
    old: Numbers,
    vector: Numbers,
    documents: Longs,
    at: Longs,
    removals: Longs,
    scores: Numbers,
) -> None:
    """v . tanh(new + old)."""
    for p in range(len(new)):
        one, other = new[p], old[documents[p], at[p]]
        total = np.float32(0)
        for j in range(len(vector)):
            total += vector[j] * tanh(one[j] + other[j])
        scores[removals[p], at[p]] = total


def recurrent_additive(model: AttentionModel, inputs: Inputs) -> Without:
    """For models with a BiLSTM encoder and additive attention."""
    both = [direction for direction, _ in directions(model, inputs)]
    halves = [direction.in_text() for direction in both]  # (B, T, H) each
    encoded = model.encoded(torch.cat(halves, -1), inputs)
    scorers = _scorers(model, halves, encoded.query)

    def without(documents: Tensor, places: Tensor) -> Tensor:
        mask = mask_without(encoded.mask, documents, places)  # (P, T)
        scores = torch.zeros(mask.shape)
        new = torch.zeros(*mask.shape, halves[0].shape[-1])  # (P, T, H) the new half of each state
        for direction, scorer in zip(both, scorers, strict=True):
            direction.reread(documents, places, new, partial(scorer.score, scores))
        weights = model.projection(scores, mask, None)  # (P, T), 0 at the deleted place
        before = torch.arange(mask.shape[1]) < places.unsqueeze(-1)
        sides = [weights * ~before, weights * before]  # forward is new behind, backward before
        of_new = torch.stack(sides, 1) @ new  # (P, 2, H)
        of_old = [
            pool(side, half, documents)  # (P, H)
            for side, half in zip(reversed(sides), halves, strict=True)
        ]
        return decode_pooled(model, encoded, documents, of_new.flatten(1) + torch.cat(of_old, -1))

    return without


def _scorers(model: AttentionModel, halves: list[Tensor], query: Tensor | None) -> list[Scorer]:
    """One for each direction, forward and backward."""
    score: Any = model.score
    base = score.of_state.bias  # (A,), for pairs (B, 1, A)
    if score.of_query is not None:
        base = base + score.of_query(query).unsqueeze(1)
    weights = [part.T.contiguous() for part in score.of_state.weight.chunk(2, -1)]
    shares = [base + half @ weight for half, weight in zip(halves, weights, strict=True)]
    vector = score.vector.weight[0]
    return [
        Scorer(weight, old, vector) for weight, old in zip(weights, reversed(shares), strict=True)
    ]
