"""Leave-one-out through a BiLSTM: only what comes after the deleted token is read again.

The forward layer keeps its states before the token, the backward layer those behind it; each goes
on from there. That is half the steps of a fresh start, and all removals take a step together.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numba
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from stages.nn.attention import AttentionModel
from stages.nn.inputs import Encoded, Inputs
from stages.nn.kernels.recurrence import lstm_step, read_lstm

Numbers = NDArray[np.float32]
Longs = NDArray[np.int64]
# told of each step: new states (n, H), their documents, places in the text and removals (n,)
Seen = Callable[[Tensor, Tensor, Tensor, Tensor], None]


@dataclass(frozen=True)
class Direction:
    """One layer over a batch, in its own reading order."""

    inward: Tensor  # (B, T, 4H) what the tokens send into the gates
    recurrent: Tensor  # (H, 4H)
    lengths: Tensor  # (B,)
    origin: Tensor  # (B, T) where a place of the reading order stands in the text, and back
    opened: Tensor  # (B, T, 4H) the gates
    states: Tensor  # (B, T, H)
    cells: Tensor  # (B, T, H)

    def in_text(self) -> Tensor:
        """States (B, T, H) in the order of the text."""
        return self.states.gather(1, self.origin.unsqueeze(-1).expand_as(self.states))

    def reread(
        self, documents: Tensor, places: Tensor, into: Tensor, seen: Seen | None = None
    ) -> None:
        """Overwrite the states (P, T, H) that come after the deleted places."""
        start = self.origin[documents, places]  # in reading order
        steps = self.lengths[documents] - 1 - start
        order = steps.argsort(dim=0, descending=True, stable=True)
        documents, start, steps = documents[order], start[order], steps[order]
        first = (start > 0).unsqueeze(-1)
        before = (start - 1).clamp(min=0)
        state = self.states[documents, before] * first  # (P, H)
        cell = self.cells[documents, before] * first
        gates = state.new_empty(len(state), self.recurrent.shape[1])
        at = torch.empty_like(start)
        told = (self.inward, self.origin, documents, start, order, gates, state, cell, at, into)
        arrays: Any = [value.numpy() for value in told]
        active = (steps.unsqueeze(-1) > torch.arange(int(steps.max()))).sum(0).tolist()
        for step, n in enumerate(active):
            torch.mm(state[:n], self.recurrent, out=gates[:n])
            _read_on(*arrays, step, n)  # type: ignore[call-arg]
            if seen is not None:
                seen(state[:n], documents[:n], at[:n], order[:n])


@numba.njit(cache=True, nogil=True, fastmath=True, error_model="numpy")
def _read_on(
    inward: Numbers,
    origin: Longs,
    documents: Longs,
    start: Longs,
    order: Longs,
    gates: Numbers,
    states: Numbers,
    cells: Numbers,
    at: Longs,
    into: Numbers,
    step: int,
    count: int,
) -> None:
    """One LSTM step of the first `count` removals: gates hold what their states send into them."""
    for p in range(count):
        d, now = documents[p], start[p] + 1 + step
        row, add, c, h = gates[p], inward[d, now], cells[p], states[p]
        for j in range(len(row)):
            row[j] += add[j]
        lstm_step(row, c, c, h)
        at[p] = origin[d, now]
        into[order[p], at[p]] = h


def directions(model: AttentionModel, inputs: Inputs) -> list[tuple[Direction, nn.LSTM]]:
    """Both layers of a BiLSTM encoder over a batch, forward and backward."""
    embedded = model.embedding(inputs.tokens)
    ends = inputs.lengths.unsqueeze(-1)
    ahead = torch.arange(embedded.shape[1]).expand(len(embedded), -1)
    behind = torch.where(ahead < ends, ends - 1 - ahead, ahead)
    layers: list[tuple[nn.LSTM, Tensor]]
    layers = [(model.encoder.forwards, ahead), (model.encoder.backwards, behind)]  # type: ignore[list-item]
    inward = torch.stack([_inward(layer, embedded, way) for layer, way in layers])  # (2, B, T, 4H)
    weight = torch.stack([layer.weight_hh_l0 for layer, _ in layers])  # type: ignore[misc]
    found = [
        part.transpose(1, 2).contiguous() for part in read_lstm(inward.transpose(1, 2), weight)
    ]
    return [
        (Direction(sent, layer.weight_hh_l0.T.contiguous(), inputs.lengths, way, *parts), layer)
        for (layer, way), sent, *parts in zip(layers, inward, *found, strict=True)
    ]


def _inward(layer: nn.LSTM, embedded: Tensor, origin: Tensor) -> Tensor:
    """What tokens send into the gates (B, T, 4H), in reading order."""
    of_input, _, *biases = layer.parameters()
    inward = embedded @ of_input.T + biases[0] + biases[1]
    return inward.gather(1, origin.unsqueeze(-1).expand_as(inward))


def recurrent(model: AttentionModel, inputs: Inputs) -> Callable[[Tensor, Tensor], Tensor]:
    """Logits without a token, for a model with a BiLSTM encoder."""
    encoded = model.encode(inputs)
    both = [direction for direction, _ in directions(model, inputs)]

    def without(documents: Tensor, places: Tensor) -> Tensor:
        states = encoded.states[documents]  # (P, T, 2H)
        for direction, half in zip(both, states.chunk(2, -1), strict=True):
            direction.reread(documents, places, half)
        return model.answer(remaining(encoded, documents, places, states)).logits

    return without


def remaining(encoded: Encoded, documents: Tensor, places: Tensor, states: Tensor) -> Encoded:
    """Encoded documents (P, ...) in which attention may no longer rest on the deleted places."""
    mask = encoded.mask[documents].clone()
    mask[torch.arange(len(places)), places] = False
    query = None if encoded.query is None else encoded.query[documents]
    candidates = None if encoded.candidates is None else encoded.candidates[documents]
    return replace(
        encoded, states=states, mask=mask, query=query, candidates=candidates, weights=None
    )
