"""Gradients of BiLSTM states by the inputs: all states at once, one pass back through time.

The gates of a document do not depend on the state that is differentiated, so the forward pass is
computed once, and the backward pass covers only what precedes a state in reading order, on average
half of the document.
"""

import numba
import numpy as np
import torch
from torch import Tensor

from stages.importance.leave_one_out_recurrent import (
    Direction,
    Longs,
    Numbers,
    arrays,
    directions,
)
from stages.importance.removals import rows_of
from stages.nn.attention import AttentionModel
from stages.nn.inputs import Inputs


@torch.no_grad()
def state_gradients(model: AttentionModel, inputs: Inputs, rows: Tensor, places: Tensor) -> Tensor:
    """Gradients (P, T, E) of |h_p| by embeddings, of documents (P,) at places (P,)."""
    needed, rows = rows.unique(return_inverse=True)
    both = directions(model, rows_of(inputs, needed))
    halves = [direction.states[rows, direction.order[rows, places]] for direction in both]  # (P, H)
    size = torch.cat(halves, -1).norm(dim=-1, keepdim=True).clamp(min=1e-30)
    gradients = torch.zeros(len(rows), inputs.tokens.shape[1], model.embedding.embedding_dim)
    for direction, half in zip(both, halves, strict=True):
        _through_time(direction, rows, places, half / size, gradients)
    return gradients


def _through_time(
    direction: Direction, rows: Tensor, places: Tensor, grad_out: Tensor, out: Tensor
) -> None:
    """Add to `out` (P, T, E) the gradients of one direction from those of its states (P, H)."""
    start = direction.order[rows, places]
    by_start = start.argsort(dim=0, descending=True, stable=True)  # the last states first
    documents, start = rows[by_start], start[by_start]
    previous_c = torch.nn.functional.pad(direction.cells, (0, 0, 1, 0))[:, :-1].contiguous()
    of_input, of_state, *_ = direction.layer.parameters()  # (4H, E), (4H, H)
    grad_h = grad_out[by_start]  # (P, H), read once the loop has come to a state's own step
    grad_c = torch.zeros_like(grad_h)
    grad_gates = grad_out.new_empty(len(grad_out), of_state.shape[0])  # (P, 4H)
    read = (direction.gates, direction.cells.tanh(), previous_c, documents)
    compiled = arrays(*read, grad_h, grad_c, grad_gates)
    for at in range(int(start.max()), -1, -1):
        n = int((start >= at).sum())
        _step_back(*compiled, at, n)  # type: ignore[call-arg]
        out[by_start[:n], direction.order[documents[:n], at]] += grad_gates[:n] @ of_input
        torch.mm(grad_gates[:n], of_state, out=grad_h[:n])


@numba.njit(cache=True, nogil=True, fastmath=True, error_model="numpy")
def _step_back(
    gates: Numbers,
    tanh_c: Numbers,
    previous_c: Numbers,
    documents: Longs,
    grad_h: Numbers,
    grad_c: Numbers,
    grad_gates: Numbers,
    at: int,
    count: int,
) -> None:
    """Gradients (count, 4H) of the gates of step `at`; grad_c becomes that of step at - 1."""
    size, one = grad_h.shape[1], np.float32(1)
    for p in range(count):
        d = documents[p]
        row, t, c = gates[d, at], tanh_c[d, at], previous_c[d, at]
        i, f, g, o = row[:size], row[size : 2 * size], row[2 * size : 3 * size], row[3 * size :]
        dh, dc, to = grad_h[p], grad_c[p], grad_gates[p]
        for j in range(size):
            dc[j] += dh[j] * o[j] * (one - t[j] * t[j])
        for j in range(size):
            to[j] = dc[j] * g[j] * i[j] * (one - i[j])
        for j in range(size):
            to[size + j] = dc[j] * c[j] * f[j] * (one - f[j])
        for j in range(size):
            to[2 * size + j] = dc[j] * i[j] * (one - g[j] * g[j])
        for j in range(size):
            to[3 * size + j] = dh[j] * t[j] * o[j] * (one - o[j])
        for j in range(size):
            dc[j] *= f[j]
