"""Influence of inputs on the states of a BiLSTM: all states at once, one pass back through time.

The gates of a document are the same whichever state is asked about, so the forward pass is made
once, and only what comes before a state in reading order is gone through, on average half of it.
"""

from typing import Any

import numba
import numpy as np
import torch
from torch import Tensor, nn

from stages.importance.leave_one_out import rows_of
from stages.importance.without_recurrent import Direction, Longs, Numbers, directions
from stages.nn.attention import AttentionModel
from stages.nn.inputs import Inputs


@torch.no_grad()
def slopes(model: AttentionModel, inputs: Inputs, rows: Tensor, places: Tensor) -> Tensor:
    """Gradients (P, T, E) of |h_p| by embeddings, of documents (P,) at places (P,)."""
    needed, rows = rows.unique(return_inverse=True)
    both = directions(model, rows_of(inputs, needed))
    halves = [
        direction.states[rows, direction.origin[rows, places]] for direction, _ in both
    ]  # (P, H) each
    size = torch.cat(halves, -1).norm(dim=-1, keepdim=True).clamp(min=1e-30)
    found = torch.zeros(len(rows), inputs.tokens.shape[1], model.embedding.embedding_dim)
    for (direction, layer), half in zip(both, halves, strict=True):
        _through_time(direction, layer, rows, places, half / size, found)
    return found


def _through_time(
    read: Direction, layer: nn.LSTM, rows: Tensor, places: Tensor, pull: Tensor, into: Tensor
) -> None:
    """Add what one direction passes back from states (P, H), in its own reading order."""
    start = read.origin[rows, places]
    order = start.argsort(dim=0, descending=True, stable=True)  # the last states first
    documents, start = rows[order], start[order]
    earlier = torch.nn.functional.pad(read.cells, (0, 0, 1, 0))[:, :-1].contiguous()
    of_input, of_state, *_ = layer.parameters()  # (4H, E), (4H, H)
    state, cell = torch.zeros_like(pull), torch.zeros_like(pull)
    gates = pull.new_empty(len(pull), of_state.shape[0])  # (P, 4H)
    told = (
        read.opened,
        read.cells.tanh(),
        earlier,
        documents,
        start,
        pull[order],
        state,
        cell,
        gates,
    )
    arrays: Any = [value.detach().numpy() for value in told]
    for at in range(int(start.max()), -1, -1):
        n = int((start >= at).sum())
        _step_back(*arrays, at, n)  # type: ignore[call-arg]
        into[order[:n], read.origin[documents[:n], at]] += gates[:n] @ of_input
        torch.mm(gates[:n], of_state, out=state[:n])


@numba.njit(cache=True, nogil=True, fastmath=True, error_model="numpy")
def _step_back(
    opened: Numbers,
    bent: Numbers,
    earlier: Numbers,
    documents: Longs,
    start: Longs,
    pull: Numbers,
    state: Numbers,
    cell: Numbers,
    gates: Numbers,
    at: int,
    count: int,
) -> None:
    """Gradients (count, 4H) of the gates of one step; the cell's, one step earlier, in place."""
    size, one = state.shape[1], np.float32(1)
    for p in range(count):
        d = documents[p]
        row, t, c = opened[d, at], bent[d, at], earlier[d, at]
        i, f, g, o = row[:size], row[size : 2 * size], row[2 * size : 3 * size], row[3 * size :]
        h, kept, to = state[p], cell[p], gates[p]
        if start[p] == at:
            for j in range(size):
                h[j] += pull[p, j]
        for j in range(size):
            kept[j] += h[j] * o[j] * (one - t[j] * t[j])
        for j in range(size):
            to[j] = kept[j] * g[j] * i[j] * (one - i[j])
        for j in range(size):
            to[size + j] = kept[j] * c[j] * f[j] * (one - f[j])
        for j in range(size):
            to[2 * size + j] = kept[j] * i[j] * (one - g[j] * g[j])
        for j in range(size):
            to[3 * size + j] = h[j] * t[j] * o[j] * (one - o[j])
        for j in range(size):
            kept[j] *= f[j]
