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
from stages.nn.recurrence import open_gates, tanh

Numbers = NDArray[np.float32]
Longs = NDArray[np.int64]


@dataclass(frozen=True)
class Direction:
    """One layer over a batch, in its own reading order."""

    inward: Tensor  # (B, T, 4H) what the tokens send into the gates
    recurrent: Tensor  # (H, 4H)
    lengths: Tensor  # (B,)
    origin: Tensor  # (B, T) where a place of the reading order stands in the text, and back
    states: Tensor  # (B, T, H)
    cells: Tensor  # (B, T, H)

    def reread(self, documents: Tensor, places: Tensor, into: Tensor) -> None:
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
        told = (self.inward, self.origin, documents, start, order, gates, state, cell, into)
        arrays: Any = [value.numpy() for value in told]
        active = (steps.unsqueeze(-1) > torch.arange(int(steps.max()))).sum(0).tolist()
        for step, n in enumerate(active):
            torch.mm(state[:n], self.recurrent, out=gates[:n])
            _read_on(*arrays, step, n)  # type: ignore[call-arg]


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
    into: Numbers,
    step: int,
    count: int,
) -> None:
    """One LSTM step of the first `count` removals: gates hold what their states send into them."""
    size = states.shape[1]
    for p in range(count):
        at = start[p] + 1 + step
        row, add, c, h = gates[p], inward[documents[p], at], cells[p], states[p]
        for j in range(4 * size):
            row[j] += add[j]
        open_gates(row[: 2 * size])
        open_gates(row[3 * size :])
        i, f, g, o = row[:size], row[size : 2 * size], row[2 * size : 3 * size], row[3 * size :]
        for j in range(size):
            g[j] = tanh(g[j])
        for j in range(size):
            c[j] = f[j] * c[j] + i[j] * g[j]
        for j in range(size):
            h[j] = o[j] * tanh(c[j])
        into[order[p], origin[documents[p], at]] = h


def _cell(gates: Tensor, cell: Tensor) -> tuple[Tensor, Tensor]:
    """One LSTM step from its four gates."""
    enter, forget, new, out = gates.chunk(4, -1)
    cell = forget.sigmoid() * cell + enter.sigmoid() * new.tanh()
    return out.sigmoid() * cell.tanh(), cell


def _direction(layer: nn.LSTM, embedded: Tensor, lengths: Tensor, origin: Tensor) -> Direction:
    of_input, of_state, *biases = layer.parameters()
    inward = embedded @ of_input.T + biases[0] + biases[1]  # (B, T, 4H)
    inward = inward.gather(1, origin.unsqueeze(-1).expand_as(inward))
    recurrent = of_state.T.contiguous()
    state = cell = torch.zeros(len(embedded), layer.hidden_size)
    states, cells = [], []
    for place in range(embedded.shape[1]):
        state, cell = _cell(torch.addmm(inward[:, place], state, recurrent), cell)
        states.append(state)
        cells.append(cell)
    return Direction(
        inward, recurrent, lengths, origin, torch.stack(states, 1), torch.stack(cells, 1)
    )


def directions(model: AttentionModel, inputs: Inputs) -> list[tuple[Direction, nn.LSTM]]:
    """Both layers of a BiLSTM encoder over a batch, forward and backward."""
    embedded = model.embedding(inputs.tokens)
    ends = inputs.lengths.unsqueeze(-1)
    ahead = torch.arange(embedded.shape[1]).expand(len(embedded), -1)
    behind = torch.where(ahead < ends, ends - 1 - ahead, ahead)
    layers: list[tuple[nn.LSTM, Tensor]]
    layers = [(model.encoder.forwards, ahead), (model.encoder.backwards, behind)]  # type: ignore[list-item]
    return [(_direction(layer, embedded, inputs.lengths, way), layer) for layer, way in layers]


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
