"""Leave-one-out through a BiLSTM: only what comes after the deleted token is computed again.

The forward layer keeps its states before the token, the backward layer those behind it; each
continues from there. That is half the steps of a full pass, and all removals of a chunk take a step
at the same time. Under additive attention states are scored as they are computed, while they are in
cache: each has one new half, and the share of old halves in v . tanh(W h + b) is computed once.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
import torch
from torch import Tensor

from stages.importance.removals import Without, decode_pooled, encoded_without, mask_without, pool
from stages.nn.attention import AttentionModel
from stages.nn.inputs import Encoded, Inputs
from stages.nn.kernels.recurrence import Schedule, arrays, read_lstm
from stages.nn.kernels.steps import Floats, Longs, lstm_step, tanh


@dataclass(frozen=True)
class Reading:
    """A BiLSTM over a batch; direction 0 is forward, 1 backward."""

    projected: Tensor  # (U, 2 * 4H) input part of the gates of each type
    places: Tensor  # (B, T) row of projected
    lengths: Tensor  # (B,)
    weight: Tensor  # (2, 4H, H) recurrent
    schedule: Schedule
    states: Tensor  # (B, T, 2, H)
    cells: Tensor  # (B, T, 2, H)
    gates: Tensor  # (2, N, 4H) in the order of the schedule

    @classmethod
    def of(cls, model: AttentionModel, inputs: Inputs) -> "Reading":
        """One pass over a batch."""
        encoder: Any = model.encoder
        types, places = inputs.tokens.unique(return_inverse=True)
        projected = encoder.project(model.embedding(types))
        weight = torch.stack(encoder.both("weight_hh_l0"))
        schedule = Schedule.of(places, inputs.lengths)
        parts = read_lstm(projected, weight, schedule, places.shape)[:3]
        return cls(projected, places, inputs.lengths, weight, schedule, *parts)

    def without(
        self, direction: int, documents: Tensor, places: Tensor, out: Tensor, share: Tensor
    ) -> Iterator[tuple[Floats, Longs, Longs, Longs]]:
        """Overwrites the states in `out` (P, T, H) that are read after the deleted places.

        Yields at each step a matrix that ends in the new states times `share` (H, A), and their
        documents, places in the text and removals, (n,) each.
        """
        ahead = 1 - 2 * direction  # to the next place
        steps = places if direction else self.lengths[documents] - 1 - places
        steps, by_steps = steps.sort(descending=True, stable=True)  # (P,) most steps first
        documents, places = documents[by_steps], places[by_steps]
        previous = places - ahead
        none = ((previous < 0) | (previous >= self.lengths[documents])).unsqueeze(-1)
        previous = previous.clamp(0, self.states.shape[1] - 1)
        h = self.states[documents, previous, direction].masked_fill(none, 0)  # (P, H)
        c = self.cells[documents, previous, direction].masked_fill(none, 0)
        # one product for both (H, 4H + A)
        weight = torch.cat([self.weight[direction].T, share], 1)
        products = h @ weight  # (P, 4H + A)
        rows = self.projected.view(-1, self.weight.shape[1])  # (U * 2, 4H)
        read = arrays(rows, self.places, documents, by_steps, products, h, c, places, out)
        yielded = arrays(products, documents, places, by_steps)
        for n in (steps.unsqueeze(-1) > torch.arange(int(steps.max()))).sum(0).tolist():
            _next_step(*read, direction, n)  # type: ignore[call-arg]
            torch.mm(h[:n], weight, out=products[:n])
            yield tuple(array[:n] for array in yielded)


@numba.njit(cache=True, nogil=True, fastmath=True, error_model="numpy")
def _next_step(
    inputs: Floats,
    rows: Longs,
    documents: Longs,
    removals: Longs,
    products: Floats,
    states: Floats,
    cells: Floats,
    at: Longs,
    out: Floats,
    direction: int,
    count: int,
) -> None:
    """One LSTM step of the first `count` removals; `products` start with the recurrent share."""
    for p in range(count):
        at[p] += 1 - 2 * direction
        row, c, h = products[p, : 4 * states.shape[1]], cells[p], states[p]
        add = inputs[2 * rows[documents[p], at[p]] + direction]
        for j in range(len(row)):
            row[j] += add[j]
        lstm_step(row, c, c, h)
        out[removals[p], at[p]] = h


def recurrent(model: AttentionModel, inputs: Inputs) -> tuple[Encoded, Without]:
    """For models with a BiLSTM encoder."""
    reading = Reading.of(model, inputs)
    encoded = model.encoded(reading.states.flatten(2), inputs)

    no_share = torch.zeros(reading.weight.shape[2], 0)

    def without(documents: Tensor, places: Tensor) -> Tensor:
        left = encoded_without(encoded, documents, places)
        for direction, half in enumerate(left.states.chunk(2, -1)):
            for _ in reading.without(direction, documents, places, half, no_share):
                pass
        return model.answer(left).logits

    return encoded, without


def recurrent_additive(model: AttentionModel, inputs: Inputs) -> tuple[Encoded, Without]:
    """For models with a BiLSTM encoder and additive attention."""
    reading = Reading.of(model, inputs)
    encoded = model.encoded(reading.states.flatten(2), inputs)
    halves = [half.contiguous() for half in reading.states.unbind(2)]  # (B, T, H) each
    score: Any = model.score
    base = score.of_state.bias  # (A,), for pairs (B, 1, A)
    if score.of_query is not None:
        base = base + score.of_query(encoded.query).unsqueeze(1)
    of_halves = [part.T for part in score.of_state.weight.chunk(2, -1)]  # (H, A)
    shares = [base + half @ weight for half, weight in zip(halves, of_halves, strict=True)]

    def without(documents: Tensor, places: Tensor) -> Tensor:
        mask = mask_without(encoded.mask, documents, places)  # (P, T)
        scores = torch.zeros(mask.shape)
        new = torch.zeros(*mask.shape, halves[0].shape[-1])  # (P, T, H) the new half of each state
        for direction, weight in enumerate(of_halves):
            old, vector, out = arrays(shares[1 - direction], score.vector.weight[0], scores)
            for step in reading.without(direction, documents, places, new, weight):
                _score(*step, old, vector, out)
        weights = model.projection(scores, mask, None)  # (P, T), 0 at the deleted place
        before = torch.arange(mask.shape[1]) < places.unsqueeze(-1)
        sides = [weights * ~before, weights * before]  # forward is new behind, backward before
        of_new = torch.stack(sides, 1) @ new  # (P, 2, H)
        of_old = [
            pool(side, half, documents)  # (P, H)
            for side, half in zip(reversed(sides), halves, strict=True)
        ]
        return decode_pooled(model, encoded, documents, of_new.flatten(1) + torch.cat(of_old, -1))

    return encoded, without


@numba.njit(cache=True, nogil=True, fastmath=True, error_model="numpy")
def _score(
    products: Floats,  # (n, ...), ends in the share of the new halves (n, A)
    documents: Longs,
    at: Longs,
    removals: Longs,
    old: Floats,  # (B, T, A) of the old halves, the bias and the query
    vector: Floats,  # (A,)
    scores: Floats,  # (P, T)
) -> None:
    """v . tanh(new + old)."""
    for p in range(len(products)):
        one, other = products[p, products.shape[1] - len(vector) :], old[documents[p], at[p]]
        total = np.float32(0)
        for j in range(len(vector)):
            total += vector[j] * tanh(one[j] + other[j])
        scores[removals[p], at[p]] = total
