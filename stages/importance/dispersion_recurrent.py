"""Gradients of BiLSTM states by the inputs: all states at once, one pass back through time.

The gates of a document do not depend on the state that is differentiated, so the forward pass is
computed once, and the backward pass covers only what precedes a state in reading order, on average
half of the document.
"""

import numba
import numpy as np
import torch
from torch import Tensor

from stages.importance.leave_one_out_recurrent import Reading
from stages.importance.removals import rows_of
from stages.nn.attention import AttentionModel
from stages.nn.inputs import Inputs
from stages.nn.kernels.recurrence import arrays
from stages.nn.kernels.steps import Floats, Longs, tanh


@torch.no_grad()
def state_gradients(model: AttentionModel, inputs: Inputs, rows: Tensor, places: Tensor) -> Tensor:
    """Gradients (P, T, E) of |h_p| by embeddings, of documents (P,) at places (P,)."""
    needed, rows = rows.unique(return_inverse=True)
    reading = Reading.of(model, rows_of(inputs, needed))
    of_states = torch.nn.functional.normalize(reading.states[rows, places].flatten(1), eps=1e-30)
    of_inputs: list[Tensor] = model.encoder.both("weight_ih_l0")  # type: ignore[operator]
    gradients = torch.zeros(len(rows), inputs.tokens.shape[1], model.embedding.embedding_dim)
    for direction, grad_out in enumerate(of_states.chunk(2, -1)):
        _through_time(reading, direction, rows, places, grad_out, of_inputs[direction], gradients)
    return gradients


def _through_time(
    reading: Reading,
    direction: int,
    rows: Tensor,
    places: Tensor,
    grad_out: Tensor,
    of_input: Tensor,
    out: Tensor,
) -> None:
    """Adds to `out` (P, T, E) the gradients of one direction from those of its states (P, H)."""
    steps = reading.lengths[rows] - places if direction else places + 1
    steps, by_steps = steps.sort(descending=True, stable=True)  # (P,) most steps first
    documents, at = rows[by_steps], places[by_steps]
    grad_h, weight = grad_out[by_steps], reading.weight[direction]  # (P, H), (4H, H)
    grad_c, grad_gates = torch.zeros_like(grad_h), grad_h.new_empty(len(grad_h), len(weight))
    token = torch.full(reading.places.shape, -1)  # (B, T) row of the gates
    schedule = reading.schedule.target[direction] // 2
    token.view(-1)[schedule] = torch.arange(len(schedule))
    read = (reading.gates[direction], reading.cells[:, :, direction], token, documents, at)
    compiled = arrays(*read, grad_h, grad_c, grad_gates)
    active = (steps.unsqueeze(-1) > torch.arange(int(steps.max()))).sum(0).tolist()
    for n in active:
        _step_back(*compiled, 1 - 2 * direction, n)  # type: ignore[call-arg]
        out[by_steps[:n], at[:n]] += grad_gates[:n] @ of_input
        torch.mm(grad_gates[:n], weight, out=grad_h[:n])
        at[:n] -= 1 - 2 * direction


@numba.njit(cache=True, nogil=True, fastmath=True, error_model="numpy")
def _step_back(
    gates: Floats,  # (N, 4H)
    cells: Floats,  # (B, T, H)
    token: Longs,  # (B, T)
    documents: Longs,
    at: Longs,
    grad_h: Floats,
    grad_c: Floats,
    grad_gates: Floats,
    ahead: int,
    count: int,
) -> None:
    """Gradients (count, 4H) of the gates at the places `at`; grad_c is carried on."""
    size, one = grad_h.shape[1], np.float32(1)
    zeros = np.zeros(size, cells.dtype)
    for p in range(count):
        d, place = documents[p], at[p]
        before = place - ahead  # the place read before, if any
        known = before >= 0 and before < cells.shape[1] and token[d, before] >= 0
        row, c = gates[token[d, place]], cells[d, place]
        previous_c = cells[d, before] if known else zeros
        i, f, g, o = row[:size], row[size : 2 * size], row[2 * size : 3 * size], row[3 * size :]
        dh, dc, to = grad_h[p], grad_c[p], grad_gates[p]
        for j in range(size):
            tanh_c = tanh(c[j])
            dc[j] += dh[j] * o[j] * (one - tanh_c * tanh_c)
            to[3 * size + j] = dh[j] * tanh_c * o[j] * (one - o[j])
        for j in range(size):
            to[j] = dc[j] * g[j] * i[j] * (one - i[j])
        for j in range(size):
            to[size + j] = dc[j] * previous_c[j] * f[j] * (one - f[j])
        for j in range(size):
            to[2 * size + j] = dc[j] * i[j] * (one - g[j] * g[j])
        for j in range(size):
            dc[j] *= f[j]
