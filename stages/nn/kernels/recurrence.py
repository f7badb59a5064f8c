"""Bidirectional LSTM and GRU layers over padded batches, with their gradients.

Matrix products are torch's; the element-wise work of a step is one compiled loop that stays in
cache, where torch makes a dozen passes over memory. The loop adds the input projections, which the
caller computes once per token (or type), and writes states to their place in the text. Only real
tokens are read: documents are sorted by length, and those that have ended drop out of a step.

Speed: 5.2x of torch's packed layer at 180 tokens, benchmark "training epoch, bilstm, 180 tokens".
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from stages.nn.kernels.steps import gru_backward, gru_forward, lstm_backward, lstm_forward

ROWS = 256  # tokens whose gate gradients are collected, in cache, for one product with the states


class Step(NamedTuple):
    """Rows of a schedule: the documents that have a token at this step."""

    start: int
    documents: int
    before: int  # first row of the step before
    following: int  # documents of the next step


class Schedule(NamedTuple):
    """The N real tokens of a batch step by step, as both directions read them."""

    source: Tensor  # (2, N) row of the projected inputs (U * 2, G)
    target: Tensor  # (2, N) row of the states (B * T * 2, H)
    steps: list[Step]

    @classmethod
    def of(cls, places: Tensor, lengths: Tensor) -> "Schedule":
        """Token (b, t) of documents (B, T) is row `places[b, t]` of the projected inputs."""
        width, direction = places.shape[1], torch.arange(2).unsqueeze(1)
        ordered, documents = lengths.sort(descending=True, stable=True)
        active = torch.arange(width).unsqueeze(1) < ordered  # (T, B)
        step, rank = active.nonzero().T  # (N,) each
        first = width * documents[rank]
        tokens = torch.stack([first + step, first + ordered[rank] - 1 - step])  # (2, N)
        counts = [count for count in active.sum(1).tolist() if count]
        starts = np.cumsum([0, *counts]).tolist()
        steps = map(Step, starts, counts, [0, *starts], [*counts[1:], 0])
        return cls(2 * places.flatten()[tokens] + direction, 2 * tokens + direction, list(steps))

    @property
    def widest(self) -> int:
        """Documents of the first step."""
        return self.steps[0].documents if self.steps else 0

    def chunks(self) -> list[list[Step]]:
        """Steps from the last to the first, in groups of up to ROWS tokens."""
        groups: list[list[Step]] = [[]]
        for step in reversed(self.steps):
            if groups[-1] and groups[-1][0].start + groups[-1][0].documents - step.start > ROWS:
                groups.append([])
            groups[-1].append(step)
        return groups


def arrays(*tensors: Tensor) -> Any:
    """Arguments of a compiled function."""
    return [tensor.detach().numpy() for tensor in tensors]


def read_lstm(
    projected: Tensor, weight: Tensor, schedule: Schedule, shape: torch.Size
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """All steps of documents (B, T) = `shape`: states and cell states (B, T, 2, H) in the order of
    the text, activated gates (2, N, 4H), and the states before each step (2, N, H). States are zero
    at padding, cell states undefined.

    `projected` (U, 2 * 4H) contains both biases, gates in torch's order i, f, g, o; `weight` is
    (2, 4H, H).
    """
    size, n = weight.shape[-1], schedule.source.shape[1]
    states, cells = weight.new_zeros(*shape, 2, size), weight.new_empty(*shape, 2, size)
    gates, h_prev = weight.new_empty(2, n, 4 * size), weight.new_empty(2, n, size)
    hidden = weight.new_zeros(2, schedule.widest, 4 * size)
    read = (projected.view(-1, 4 * size), schedule.source, schedule.target, hidden)
    written = (states.view(-1, size), cells.view(-1, size), gates, h_prev)
    work = partial(lstm_forward, *arrays(*read, *written))
    _forward_steps(schedule, weight, h_prev, hidden, work)
    return states, cells, gates, h_prev


def _forward_steps(
    schedule: Schedule, weight: Tensor, h_prev: Tensor, hidden: Tensor, work: Callable[..., None]
) -> None:
    """Runs `work` on each step, with W_h h of the step in `hidden` (2, B, G); zero at the first."""
    h_prev[:, : schedule.widest] = 0
    weight_t = weight.detach().transpose(1, 2)  # (2, H, G)
    by_step = h_prev.split([step.documents for step in schedule.steps], 1)
    for step, h in zip(schedule.steps, by_step, strict=True):
        if step.start:
            torch.bmm(h, weight_t, out=hidden[:, : step.documents])
        work(*step)


def _backward_steps(
    schedule: Schedule,
    weight: Tensor,
    h_prev: Tensor,
    grad_hidden: Tensor,
    grad_h: Tensor,
    work: Callable[..., None],
) -> Tensor:
    """Runs `work` on each step, last first, and carries its gradient to the step before.

    `work` fills grad_hidden (2, R, G), the gradient of W_h h, and leaves in grad_h (2, B, H) what
    reaches the state before by other ways. Returns the gradient (2, G, H) of `weight`, zero if it
    is not required.
    """
    grad_weight_t = weight.new_zeros(2, *weight.shape[:0:-1])  # (2, H, G)
    for chunk in schedule.chunks():
        first, last = chunk[-1].start, chunk[0].start + chunk[0].documents
        for step in chunk:
            work(*step, first)
            rows = grad_hidden[:, step.start - first : step.start - first + step.documents]
            grad_h[:, : step.documents].baddbmm_(rows, weight)
        if weight.requires_grad:
            h = h_prev[:, first:last].transpose(1, 2)  # (2, H, n)
            grad_weight_t.baddbmm_(h, grad_hidden[:, : last - first])
    return grad_weight_t.transpose(1, 2)


class LSTMFunction(torch.autograd.Function):
    """States (B, T, 2H), zero at padding, of projected inputs (U, 2 * 4H) with both biases.

    Token (b, t) is row places[b, t] of the inputs, documents have `lengths` (B,) tokens, `weight`
    is (2, 4H, H).
    """

    @staticmethod
    def forward(
        ctx: Any, projected: Tensor, weight: Tensor, places: Tensor, lengths: Tensor
    ) -> Tensor:
        """All steps; gates and cell states are saved for the backward pass."""
        ctx.schedule = Schedule.of(places, lengths)
        states, *saved = read_lstm(projected, weight, ctx.schedule, places.shape)
        ctx.save_for_backward(projected, weight, *saved)
        return states.flatten(2)

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Tensor) -> tuple[Tensor | None, ...]:
        """Gradients of inputs and weight."""
        projected, weight, cells, gates, h_prev = ctx.saved_tensors
        schedule, size = ctx.schedule, weight.shape[-1]
        grad_inputs = torch.zeros_like(projected)
        grad_gates = weight.new_empty(2, max(schedule.widest, ROWS), 4 * size)  # of a chunk
        grad_h, grad_c = weight.new_zeros(2, 2, schedule.widest, size)
        grad_states = grad_outputs[0].contiguous().view(-1, size)
        read = (schedule.source, schedule.target, grad_states, cells.view(-1, size), gates)
        written = (grad_gates, grad_inputs.view(-1, 4 * size), grad_h, grad_c)
        work = partial(lstm_backward, *arrays(*read, *written))
        grad_weight = _backward_steps(schedule, weight, h_prev, grad_gates, grad_h, work)
        return grad_inputs, grad_weight, None, None


class GRUFunction(torch.autograd.Function):
    """The same for a GRU, gates in torch's order r, z, n: inputs (U, 2 * 3H) contain the input
    bias, `weight` is (2, 3H, H) and `bias` (2, 3H) the hidden bias.
    """

    @staticmethod
    def forward(
        ctx: Any, projected: Tensor, weight: Tensor, bias: Tensor, places: Tensor, lengths: Tensor
    ) -> Tensor:
        """All steps; gates, states and hidden candidates are saved for the backward pass."""
        ctx.schedule = schedule = Schedule.of(places, lengths)
        size, n = weight.shape[-1], schedule.source.shape[1]
        states = weight.new_zeros(*places.shape, 2, size)
        # hidden_n: W_hn h + b_hn, the part of the candidate that the reset gate scales
        h_prev, hidden_n = weight.new_empty(2, 2, n, size)
        gates = weight.new_empty(2, n, 3 * size)
        hidden = weight.new_zeros(2, schedule.widest, 3 * size)
        read = (projected.view(-1, 3 * size), schedule.source, schedule.target, bias, hidden)
        work = partial(gru_forward, *arrays(*read, states.view(-1, size), gates, hidden_n, h_prev))
        _forward_steps(schedule, weight, h_prev, hidden, work)
        ctx.save_for_backward(projected, weight, gates, hidden_n, h_prev)
        return states.flatten(2)

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Tensor) -> tuple[Tensor | None, ...]:
        """Gradients of inputs, weight and bias."""
        projected, weight, gates, hidden_n, h_prev = ctx.saved_tensors
        schedule, size = ctx.schedule, weight.shape[-1]
        grad_inputs, grad_bias = torch.zeros_like(projected), weight.new_zeros(2, 3 * size)
        grad_hidden = weight.new_empty(2, max(schedule.widest, ROWS), 3 * size)  # of a chunk
        grad_h = weight.new_zeros(2, schedule.widest, size)
        grad_states = grad_outputs[0].contiguous().view(-1, size)
        read = (schedule.source, schedule.target, grad_states, gates, hidden_n, h_prev)
        written = (grad_hidden, grad_inputs.view(-1, 3 * size), grad_bias, grad_h)
        work = partial(gru_backward, *arrays(*read, *written))
        grad_weight = _backward_steps(schedule, weight, h_prev, grad_hidden, grad_h, work)
        return grad_inputs, grad_weight, grad_bias, None, None
