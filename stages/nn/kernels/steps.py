"""Element-wise work of one step of an LSTM or GRU, forward and backward, compiled.

Rows start : start + count of a schedule (recurrence.py) take the step, in both directions.
"""

import numba
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Longs = NDArray[np.int64]


@numba.njit(fastmath=True, error_model="numpy", inline="always")
def tanh(x: np.float32) -> np.float32:
    """A rational approximation, within 3e-7 of tanh, that compiles to vector instructions."""
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
def sigmoid_(x: Floats) -> None:
    """Sigmoid in place; a loop over a single array, or the compiler does not vectorise it."""
    for j in range(len(x)):
        x[j] = np.float32(0.5) + np.float32(0.5) * tanh(np.float32(0.5) * x[j])


@numba.njit(cache=True, nogil=True, fastmath=True, error_model="numpy")
def lstm_forward(
    inputs: Floats,
    source: Longs,
    target: Longs,
    hidden: Floats,
    states: Floats,
    cells: Floats,
    gates: Floats,
    h_prev: Floats,
    start: int,
    count: int,
    before: int,
    following: int,
) -> None:
    """One step: fills its activated gates, states and cell states."""
    zeros = np.zeros(states.shape[1], cells.dtype)
    for d in range(2):
        for b in range(count):
            row, out = gates[d, start + b], target[d, start + b]
            add, of_state = inputs[source[d, start + b]], hidden[d, b]
            for j in range(len(row)):
                row[j] = add[j] + of_state[j]
            c_prev = cells[target[d, before + b]] if start else zeros
            lstm_step(row, c_prev, cells[out], states[out])
            if b < following:
                h_prev[d, start + count + b] = states[out]


@numba.njit(fastmath=True, error_model="numpy", inline="always")
def lstm_step(gates: Floats, c_prev: Floats, c: Floats, h: Floats) -> None:
    """Activates the gates (4H,) in place; fills cell state c (H,) and state h (H,)."""
    size = len(c)
    i, f, g, o = gates[:size], gates[size : 2 * size], gates[2 * size : 3 * size], gates[3 * size :]
    sigmoid_(gates[: 2 * size])
    sigmoid_(o)
    for j in range(size):
        g[j] = tanh(g[j])
    for j in range(size):
        c[j] = f[j] * c_prev[j] + i[j] * g[j]
    for j in range(size):
        h[j] = o[j] * tanh(c[j])


@numba.njit(cache=True, nogil=True, fastmath=True, error_model="numpy")
def lstm_backward(
    source: Longs,
    target: Longs,
    grad_states: Floats,
    cells: Floats,
    gates: Floats,
    grad_gates: Floats,
    grad_inputs: Floats,
    grad_h: Floats,
    grad_c: Floats,
    start: int,
    count: int,
    before: int,
    _: int,
    first: int,
) -> None:
    """One step: fills its grad_gates and adds them to grad_inputs; grad_c is carried on."""
    size, one = cells.shape[1], np.float32(1)
    zeros = np.zeros(size, cells.dtype)
    for d in range(2):
        for b in range(count):
            n = start + b
            row, grad_row, total = gates[d, n], grad_gates[d, n - first], grad_inputs[source[d, n]]
            c_t, grad_out = cells[target[d, n]], grad_states[target[d, n]]
            c_prev = cells[target[d, before + b]] if start else zeros
            grad_h_t, grad_c_t = grad_h[d, b], grad_c[d, b]
            i, f, g, o = row[:size], row[size : 2 * size], row[2 * size : 3 * size], row[3 * size :]
            di, df = grad_row[:size], grad_row[size : 2 * size]
            dg, do = grad_row[2 * size : 3 * size], grad_row[3 * size :]
            for j in range(size):
                dh, tanh_c = grad_out[j] + grad_h_t[j], tanh(c_t[j])
                dc = grad_c_t[j] + dh * o[j] * (one - tanh_c * tanh_c)
                do[j] = dh * tanh_c * o[j] * (one - o[j])
                di[j] = dc * g[j] * i[j] * (one - i[j])
                df[j] = dc * c_prev[j] * f[j] * (one - f[j])
                dg[j] = dc * i[j] * (one - g[j] * g[j])
                grad_c_t[j] = dc * f[j]
                grad_h_t[j] = 0
            for j in range(4 * size):
                total[j] += grad_row[j]


@numba.njit(cache=True, nogil=True, fastmath=True, error_model="numpy")
def gru_forward(
    inputs: Floats,
    source: Longs,
    target: Longs,
    bias: Floats,
    hidden: Floats,
    states: Floats,
    gates: Floats,
    hidden_n: Floats,
    h_prev: Floats,
    start: int,
    count: int,
    _: int,
    following: int,
) -> None:
    """One step: fills its activated gates, hidden candidates and states."""
    size, one = states.shape[1], np.float32(1)
    for d in range(2):
        for b in range(count):
            n = start + b
            row, add, of_state = gates[d, n], inputs[source[d, n]], hidden[d, b]
            h, h_before, hn = states[target[d, n]], h_prev[d, n], hidden_n[d, n]
            reset, z, candidate = row[:size], row[size : 2 * size], row[2 * size :]
            for j in range(2 * size):
                row[j] = add[j] + of_state[j] + bias[d, j]
            sigmoid_(row[: 2 * size])
            for j in range(size):
                hn[j] = of_state[2 * size + j] + bias[d, 2 * size + j]
            for j in range(size):
                candidate[j] = tanh(add[2 * size + j] + reset[j] * hn[j])
            for j in range(size):
                h[j] = (one - z[j]) * candidate[j] + z[j] * h_before[j]
            if b < following:
                h_prev[d, start + count + b] = h


@numba.njit(cache=True, nogil=True, fastmath=True, error_model="numpy")
def gru_backward(
    source: Longs,
    target: Longs,
    grad_states: Floats,
    gates: Floats,
    hidden_n: Floats,
    h_prev: Floats,
    grad_hidden: Floats,
    grad_inputs: Floats,
    grad_bias: Floats,
    grad_h: Floats,
    start: int,
    count: int,
    before: int,
    _: int,
    first: int,
) -> None:
    """One step: fills its grad_hidden, adds to grad_inputs; grad_h keeps what z passes on."""
    size, one = grad_h.shape[2], np.float32(1)
    for d in range(2):
        for b in range(count):
            n = start + b
            row, grad_row, total = gates[d, n], grad_hidden[d, n - first], grad_inputs[source[d, n]]
            h_before, hn, grad_out = h_prev[d, n], hidden_n[d, n], grad_states[target[d, n]]
            reset, z, candidate = row[:size], row[size : 2 * size], row[2 * size :]
            for j in range(size):
                dh = grad_out[j] + grad_h[d, b, j]
                dn = dh * (one - z[j]) * (one - candidate[j] * candidate[j])
                grad_row[j] = dn * hn[j] * reset[j] * (one - reset[j])
                grad_row[size + j] = dh * (h_before[j] - candidate[j]) * z[j] * (one - z[j])
                grad_row[2 * size + j] = dn * reset[j]
                total[2 * size + j] += dn
                grad_h[d, b, j] = dh * z[j]
            for j in range(2 * size):
                total[j] += grad_row[j]
            grad_bias[d] += grad_row
