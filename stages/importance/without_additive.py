"""Leave-one-out through a BiLSTM under additive attention: states are scored as they are read.

Without a token each other state has one new half: the forward one behind the token, the backward
one before it. What old halves send into v . tanh(W h + b) is made once per document; the new ones'
share is made in the step that reads them, while they are in cache.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numba
import numpy as np
import torch
from torch import Tensor

from stages.importance.without_local import answered, pooled_states
from stages.importance.without_recurrent import Longs, Numbers, directions, remaining
from stages.nn.attention import AttentionModel
from stages.nn.inputs import Inputs
from stages.nn.kernels.recurrence import tanh


@dataclass(frozen=True)
class Scorer:
    """Additive attention to states of which one direction's half is new."""

    weight: Tensor  # (H, A) of the new half
    old: Tensor  # (B, T, A) what the other half, the bias and the query send in
    vector: Tensor  # (A,)

    def score(
        self, scores: Tensor, states: Tensor, documents: Tensor, at: Tensor, removals: Tensor
    ) -> None:
        """Set the scores (P, T) of new halves (n, H)."""
        told = (states @ self.weight, self.old, self.vector, documents, at, removals, scores)
        arrays: Any = [value.numpy() for value in told]
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


def recurrent_additive(model: AttentionModel, inputs: Inputs) -> Callable[[Tensor, Tensor], Tensor]:
    """Logits without a token, for a model with a BiLSTM encoder and additive attention."""
    both = [direction for direction, _ in directions(model, inputs)]
    halves = [direction.in_text() for direction in both]  # (B, T, H) each
    encoded = model.encoded(torch.cat(halves, -1), inputs)
    scorers = _scorers(model, halves, encoded.query)

    def without(documents: Tensor, places: Tensor) -> Tensor:
        mask = remaining(encoded, documents, places, encoded.states).mask  # (P, T)
        scores = torch.zeros(mask.shape)
        new = torch.zeros(*mask.shape, halves[0].shape[-1])  # (P, T, H) the new half of each state
        for direction, scorer in zip(both, scorers, strict=True):
            direction.reread(documents, places, new, partial(scorer.score, scores))
        weights = model.projection(scores, mask, None)  # (P, T), 0 at the deleted place
        before = torch.arange(mask.shape[1]) < places.unsqueeze(-1)
        sides = [weights * ~before, weights * before]  # forward is new behind, backward before
        of_new = torch.stack(sides, 1) @ new  # (P, 2, H)
        of_old = [
            pooled_states(side, half, documents)  # (P, H)
            for side, half in zip(reversed(sides), halves, strict=True)
        ]
        return answered(model, encoded, documents, of_new.flatten(1) + torch.cat(of_old, -1))

    return without


def _scorers(model: AttentionModel, halves: list[Tensor], query: Tensor | None) -> list[Scorer]:
    """One for each direction, forward and backward."""
    score: Any = model.score
    base = score.of_state.bias  # (A,), for pairs (B, 1, A)
    if score.of_query is not None:
        base = base + score.of_query(query).unsqueeze(1)
    weights = [part.T.contiguous() for part in score.of_state.weight.chunk(2, -1)]
    sent = [base + half @ weight for half, weight in zip(halves, weights, strict=True)]
    vector = score.vector.weight[0]
    return [
        Scorer(weight, old, vector) for weight, old in zip(weights, reversed(sent), strict=True)
    ]
