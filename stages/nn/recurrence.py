"""LSTM and GRU layers of several directions at once, forwards and backwards in time.

Matrix products are torch's; all that happens between two of them in a step is one compiled loop in
cache, where torch makes a dozen passes over memory. The products with inputs are not made here:
they do not depend on the state, so whoever calls makes them for all steps, or types, at once.
"""

from typing import Any

import numba
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

Numbers = NDArray[np.float32]


def read_lstm(inputs: Tensor, weight: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Opened gates (D, T, B, 4H), states and cells (D, T, B, H) of inputs (D, T, B, 4H).

    Gates are in torch's order i, f, g, o; `weight` is (D, 4H, H); inputs hold both biases.
    """
    gates = inputs.detach().clone(memory_format=torch.contiguous_format)
    directions, steps, batch, _ = gates.shape
    states, cells = (gates.new_empty(directions, steps, batch, weight.shape[-1]) for _ in "hc")
    across = weight.detach().transpose(1, 2).contiguous()
    for step in range(steps):
        if step:
            gates[:, step].baddbmm_(states[:, step - 1], across)
        _lstm(gates.numpy(), cells.numpy(), states.numpy(), step)
    return gates, states, cells


class Lstm(torch.autograd.Function):
    """States (D, T, B, H) of inputs (D, T, B, 4H) under `weight` (D, 4H, H)."""

    @staticmethod
    def forward(ctx: Any, inputs: Tensor, weight: Tensor) -> Tensor:
        """Step by step; what the way back needs is kept."""
        gates, states, cells = read_lstm(inputs, weight)
        ctx.save_for_backward(gates, states, cells, weight)
        return states

    @staticmethod
    def backward(ctx: Any, *given: Tensor) -> tuple[Tensor, Tensor]:
        """Gradients of inputs and weight."""
        gates, states, cells, weight = ctx.saved_tensors
        slopes = given[0].contiguous()
        moved = torch.empty_like(gates)
        carried = torch.zeros_like(slopes[:, 0])  # of the state one step earlier
        memory = torch.zeros_like(carried)  # of the cell one step earlier
        told = (gates, cells, slopes, moved, carried, memory)
        arrays: Any = [value.numpy() for value in told]
        for step in reversed(range(gates.shape[1])):
            _lstm_back(*arrays, step)  # type: ignore[call-arg]
            if step:
                torch.bmm(moved[:, step], weight, out=carried)
        return moved, _over_time(moved, states)


class Gru(torch.autograd.Function):
    """States (D, T, B, H) of inputs (D, T, B, 3H), gates in torch's order r, z, n.

    `weight` is (D, 3H, H); inputs hold their own bias, `bias` (D, 3H) is of the states.
    """

    @staticmethod
    def forward(ctx: Any, inputs: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        """Step by step; what the way back needs is kept."""
        gates = inputs.detach().clone()
        directions, steps, batch, _ = gates.shape
        states, asked = (gates.new_empty(directions, steps, batch, weight.shape[-1]) for _ in "ha")
        across, start = weight.transpose(1, 2).contiguous(), bias.detach().unsqueeze(1)
        recurrent = start.repeat(1, batch, 1)
        for step in range(steps):
            if step:
                torch.baddbmm(start, states[:, step - 1], across, out=recurrent)
            _gru(gates.numpy(), recurrent.numpy(), asked.numpy(), states.numpy(), step)
        ctx.save_for_backward(gates, states, asked, weight)
        return states

    @staticmethod
    def backward(ctx: Any, *given: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Gradients of inputs, weight and bias."""
        gates, states, asked, weight = ctx.saved_tensors
        slopes = given[0].contiguous()
        moved, across = torch.empty_like(gates), torch.empty_like(gates)
        carried = torch.zeros_like(slopes[:, 0])  # of the state one step earlier
        told = (gates, asked, states, slopes, moved, across, carried)
        arrays: Any = [value.numpy() for value in told]
        for step in reversed(range(gates.shape[1])):
            _gru_back(*arrays, step)  # type: ignore[call-arg]
            if step:
                carried.baddbmm_(across[:, step], weight)
        return moved, _over_time(across, states), across.sum((1, 2))


def _over_time(moved: Tensor, states: Tensor) -> Tensor:
    """Gradient (D, G, H) of the recurrent weight: every step's gates with the state before it."""
    pairs = zip(moved[:, 1:].flatten(1, 2), states[:, :-1].flatten(1, 2), strict=True)
    return torch.stack([after.T @ before for after, before in pairs])  # over (T - 1) * B


@numba.njit(fastmath=True, error_model="numpy", inline="always")
def tanh(x: np.float32) -> np.float32:
    """A ratio of polynomials, within 3e-7 of tanh and quick as a whole vector."""
    x = min(max(x, np.float32(-7.9)), np.float32(7.9))
    s = x * x
    p = np.float32(-2.76076847742355e-16)
    p = p * s + np.float32(2.00018790482477e-13)
    p = p * s + np.float32(-8.60467152213735e-11)
    p = p * s + np.float32(5.12229709037114e-08)
    p = p * s + np.float32(1.48572235717979e-05)
    p = p * s + np.float32(6.37261928875436e-04)
    p = p * s + np.float32(4.89352455891786e-03)
    q = np.float32(1.19825839466702e-06)
    q = q * s + np.float32(1.18534705686654e-04)
    q = q * s + np.float32(2.26843463243900e-03)
    q = q * s + np.float32(4.89352518554385e-03)
    return x * p / q


@numba.njit(fastmath=True, error_model="numpy")
def open_gates(gates: Numbers) -> None:
    """Sigmoid in place: one array a loop, or the compiler makes no vectors of it."""
    for j in range(len(gates)):
        gates[j] = np.float32(0.5) + np.float32(0.5) * tanh(np.float32(0.5) * gates[j])


@numba.njit(cache=True, nogil=True, fastmath=True, error_model="numpy")
def _lstm(gates: Numbers, cells: Numbers, states: Numbers, step: int) -> None:
    """Gates of one step opened in place; its cells and states."""
    directions, _, batch, size = states.shape
    nothing = np.zeros(size, cells.dtype)
    for d in range(directions):
        for b in range(batch):
            before = cells[d, step - 1, b] if step > 0 else nothing
            lstm_step(gates[d, step, b], before, cells[d, step, b], states[d, step, b])


@numba.njit(fastmath=True, error_model="numpy", inline="always")
def lstm_step(row: Numbers, before: Numbers, cell: Numbers, state: Numbers) -> None:
    """Open four gates (4H,) in place; the cell after the cell `before`, and the state (H,)."""
    size = len(cell)
    i, f, g, o = row[:size], row[size : 2 * size], row[2 * size : 3 * size], row[3 * size :]
    open_gates(row[: 2 * size])
    open_gates(o)
    for j in range(size):
        g[j] = tanh(g[j])
    for j in range(size):
        cell[j] = f[j] * before[j] + i[j] * g[j]
    for j in range(size):
        state[j] = o[j] * tanh(cell[j])


@numba.njit(cache=True, nogil=True, fastmath=True, error_model="numpy")
def _lstm_back(
    gates: Numbers,
    cells: Numbers,
    slopes: Numbers,
    moved: Numbers,
    carried: Numbers,
    memory: Numbers,
    step: int,
) -> None:
    """Gradients of one step's gates before they are opened; the cell's, one step back, in place."""
    directions, _, batch, size = cells.shape
    one, held = np.float32(1), np.float32(step > 0)
    for d in range(directions):
        for b in range(batch):
            row, out = gates[d, step, b], moved[d, step, b]
            c, before = cells[d, step, b], cells[d, max(step - 1, 0), b]
            slope, back, kept = slopes[d, step, b], carried[d, b], memory[d, b]
            i, f, g, o = row[:size], row[size : 2 * size], row[2 * size : 3 * size], row[3 * size :]
            di, df = out[:size], out[size : 2 * size]
            dg, do = out[2 * size : 3 * size], out[3 * size :]
            for j in range(size):
                dh, shown = slope[j] + back[j], tanh(c[j])
                dc = kept[j] + dh * o[j] * (one - shown * shown)
                do[j] = dh * shown * o[j] * (one - o[j])
                di[j] = dc * g[j] * i[j] * (one - i[j])
                df[j] = held * dc * before[j] * f[j] * (one - f[j])
                dg[j] = dc * i[j] * (one - g[j] * g[j])
                kept[j] = dc * f[j]


@numba.njit(cache=True, nogil=True, fastmath=True, error_model="numpy")
def _gru(gates: Numbers, recurrent: Numbers, asked: Numbers, states: Numbers, step: int) -> None:
    """Gates of one step opened in place; what the reset gate lets through of; its states."""
    directions, _, batch, size = states.shape
    for d in range(directions):
        for b in range(batch):
            row, add, h = gates[d, step, b], recurrent[d, b], states[d, step, b]
            before, a = states[d, max(step - 1, 0), b], asked[d, step, b]
            r, z, n = row[:size], row[size : 2 * size], row[2 * size :]
            for j in range(2 * size):
                row[j] += add[j]
            open_gates(row[: 2 * size])
            for j in range(size):
                a[j] = add[2 * size + j]
            for j in range(size):
                n[j] = tanh(n[j] + r[j] * a[j])
            for j in range(size):
                kept = z[j] * before[j] if step > 0 else np.float32(0)
                h[j] = (np.float32(1) - z[j]) * n[j] + kept


@numba.njit(cache=True, nogil=True, fastmath=True, error_model="numpy")
def _gru_back(
    gates: Numbers,
    asked: Numbers,
    states: Numbers,
    slopes: Numbers,
    moved: Numbers,
    across: Numbers,
    carried: Numbers,
    step: int,
) -> None:
    """Gradients of one step's gates, as the inputs and as the state before feed them."""
    directions, _, batch, size = states.shape
    one, held = np.float32(1), np.float32(step > 0)
    for d in range(directions):
        for b in range(batch):
            row, out, state_out = gates[d, step, b], moved[d, step, b], across[d, step, b]
            before, a = states[d, max(step - 1, 0), b], asked[d, step, b]
            slope, back = slopes[d, step, b], carried[d, b]
            r, z, n = row[:size], row[size : 2 * size], row[2 * size :]
            dr, dz, dn = out[:size], out[size : 2 * size], out[2 * size :]
            for j in range(size):
                dh = slope[j] + back[j]
                dz[j] = dh * (held * before[j] - n[j]) * z[j] * (one - z[j])
                dn[j] = dh * (one - z[j]) * (one - n[j] * n[j])
                back[j] = dh * z[j]
            for j in range(size):
                dr[j] = dn[j] * a[j] * r[j] * (one - r[j])
            state_out[: 2 * size] = out[: 2 * size]
            for j in range(size):
                state_out[2 * size + j] = dn[j] * r[j]
