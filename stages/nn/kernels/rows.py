"""Optimiser steps on the rows of an embedding table that a batch touches, exact for the others.

Adam moves every row at every step, by its momentum and by weight decay, and a dense step over the
vocabulary costs more than the rest of a small model. Between two look-ups the moves of a row depend
on that row alone, so they are made at the next look-up, all at once and in cache. Adagrad and plain
gradient descent do not move rows without a gradient.

Speed: 1.6x of a fused step of the whole table, benchmark "training epoch by rows, average".
"""

from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from stages.settings.studies import Training

BETAS, EPSILON, ADAGRAD_EPSILON = (0.9, 0.999), 1e-8, 1e-10
Longs = NDArray[np.int64]
Numbers = NDArray[np.floating]


class State(NamedTuple):
    """Adam's state of every row (N, E), and the step in which it was last moved (N,)."""

    table: Numbers
    m: Numbers  # first moment
    v: Numbers  # second moment
    v_max: Numbers  # maximum of v so far; for plain Adam v
    last: Longs


class Rule(NamedTuple):
    """Constants of Adam, and the bias corrections of both moments by step."""

    first: Numbers
    second: Numbers
    decay: np.floating
    gain1: np.floating  # 1 - beta1
    beta2: np.floating
    gain2: np.floating  # 1 - beta2
    epsilon: np.floating
    amsgrad: bool


class Rows:
    """Optimiser of a table (N, E) that is updated in place."""

    def __init__(self, table: Tensor, training: Training) -> None:
        self.table = table.detach().numpy()
        self.training, self.rate, self.steps = training, training.learning_rate, 0
        adagrad = training.optimizer == "adagrad"
        self.squares = np.zeros_like(self.table) if adagrad else np.zeros((0, 0), self.table.dtype)
        self.state: State | None = None
        if training.optimizer in ("adam", "amsgrad"):
            m, v, v_max = (np.zeros_like(self.table) for _ in range(3))
            last = np.zeros(len(self.table), np.int64)
            self.state = State(self.table, m, v, v_max, last)
            self.rule = self._rule(1024)

    @staticmethod
    def exact_for(training: Training) -> bool:
        """Whether untouched rows can be updated later: with Adam always, else without decay."""
        return training.optimizer in ("adam", "amsgrad") or not training.weight_decay.embedding

    def refresh(self, rows: Longs) -> None:
        """Applies the steps that these rows have missed."""
        if self.state is not None:
            rate = self.table.dtype.type(self.rate)
            _adam_missed(self.state, self.rule, rate, rows, self.steps)

    def finish(self) -> None:
        """Applies the steps that any row has missed."""
        self.refresh(np.arange(len(self.table)))

    def update(self, rows: Longs, gradient: Numbers) -> None:
        """One step: these distinct rows have a gradient (n, E), all others have none."""
        self.steps += 1
        kind = self.table.dtype.type
        if self.state is not None:
            if self.steps >= len(self.rule.first):
                self.rule = self._rule(2 * self.steps)
            _adam(self.state, self.rule, kind(self.rate), rows, gradient, self.steps)
            return
        rate = kind(self.rate / (1 + (self.steps - 1) * self.training.rate_decay))
        _adagrad(self.table, self.squares, rows, gradient, rate, kind(ADAGRAD_EPSILON))

    def _rule(self, steps: int) -> Rule:
        """The rule with bias corrections for every step below `steps`."""
        power = np.arange(steps)
        with np.errstate(divide="ignore"):
            first = 1 / (1 - BETAS[0] ** power)
            second = 1 / np.sqrt(1 - BETAS[1] ** power)
        kind = self.table.dtype.type
        return Rule(
            first.astype(kind),
            second.astype(kind),
            decay=kind(self.training.weight_decay.embedding),
            gain1=kind(1 - BETAS[0]),
            beta2=kind(BETAS[1]),
            gain2=kind(1 - BETAS[1]),
            epsilon=kind(EPSILON),
            amsgrad=self.training.optimizer == "amsgrad",
        )


# The two kernels repeat a few lines: moved into a function these do not vectorise.
@numba.njit(cache=True, nogil=True, error_model="numpy")
def _adam_missed(state: State, rule: Rule, rate: np.floating, rows: Longs, steps: int) -> None:
    """The missed steps up to `steps`, in which the rows had no gradient of the loss."""
    gain1, beta2, gain2, epsilon = rule.gain1, rule.beta2, rule.gain2, rule.epsilon
    decay, amsgrad = rule.decay, rule.amsgrad
    root = np.empty_like(state.v_max[0])  # of v_max, which AMSGrad seldom changes here
    for row in rows:
        if decay == 0 and state.last[row] == 0:
            continue  # no gradient so far and no decay: the row does not move
        p, m, v, v_max = state.table[row], state.m[row], state.v[row], state.v_max[row]
        root[:] = np.sqrt(v_max)
        for step in range(state.last[row] + 1, steps + 1):
            size, scale = rate * rule.first[step], rule.second[step]
            larger = np.int32(0)
            for j in range(len(p)):
                g = decay * p[j]
                m[j] += (g - m[j]) * gain1
                v[j] = v[j] * beta2 + g * g * gain2
                larger += np.int32(v[j] > v_max[j])
            if larger or not amsgrad:
                for j in range(len(p)):
                    v_max[j] = max(v_max[j], v[j]) if amsgrad else v[j]
                    root[j] = np.sqrt(v_max[j])
            for j in range(len(p)):
                p[j] -= size * m[j] / (root[j] * scale + epsilon)
        state.last[row] = steps


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _adam(
    state: State, rule: Rule, rate: np.floating, rows: Longs, grad: Numbers, step: int
) -> None:
    """One step of rows that are up to date and have a gradient."""
    gain1, beta2, gain2, epsilon = rule.gain1, rule.beta2, rule.gain2, rule.epsilon
    decay, amsgrad = rule.decay, rule.amsgrad
    size, scale = rate * rule.first[step], rule.second[step]
    for n in range(len(rows)):
        row = rows[n]
        p, m, v, v_max = state.table[row], state.m[row], state.v[row], state.v_max[row]
        for j in range(len(p)):
            g = grad[n, j] + decay * p[j]
            m[j] += (g - m[j]) * gain1
            v[j] = v[j] * beta2 + g * g * gain2
            v_max[j] = max(v_max[j], v[j]) if amsgrad else v[j]
            p[j] -= size * m[j] / (np.sqrt(v_max[j]) * scale + epsilon)
        state.last[row] = step


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _adagrad(
    table: Numbers, squares: Numbers, rows: Longs, grad: Numbers, rate: float, epsilon: float
) -> None:
    """One step of rows with a gradient; plain gradient descent if `squares` is empty."""
    for n in range(len(rows)):
        row = rows[n]
        p = table[row]
        if len(squares) == 0:
            for j in range(len(p)):
                p[j] -= rate * grad[n, j]
            continue
        v = squares[row]
        for j in range(len(p)):
            v[j] += grad[n, j] * grad[n, j]
            p[j] -= rate * grad[n, j] / (np.sqrt(v[j]) + epsilon)
