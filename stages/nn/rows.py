"""Optimiser steps on the rows of an embedding table that a batch touches; exact for all the others.

Adam moves every row at every step, by its momentum and by weight decay, and a dense step over the
vocabulary costs more than the rest of a small model. But between two looks at a row its moves
follow from the row alone, so they are made when it is next looked at, all at once and in cache.
Adagrad and plain gradient descent leave rows without a gradient where they are.
"""

from collections.abc import Callable
from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn

from stages.settings.studies import Training

BETAS, EPSILON, ADAGRAD_EPSILON = (0.9, 0.999), 1e-8, 1e-10
Longs = NDArray[np.int64]
Numbers = NDArray[np.floating]


class State(NamedTuple):
    """What Adam knows of every row (N, E), and the step that each was last moved in (N,)."""

    table: Numbers
    means: Numbers
    squares: Numbers
    largest: Numbers  # of the squares so far; for plain Adam the squares
    last: Longs


class Rule(NamedTuple):
    """Constants of Adam; corrections of the bias of both moments by step."""

    first: Numbers
    second: Numbers
    rate: np.floating
    decay: np.floating
    new: np.floating  # share of a gradient in the mean
    kept: np.floating  # share of the squares so far
    squared: np.floating  # share of a new square
    epsilon: np.floating
    amsgrad: bool


class Rows:
    """State of the optimiser for a table (N, E) that is changed in place."""

    def __init__(self, table: Tensor, training: Training) -> None:
        self.table = table.detach().numpy()
        self.training, self.rate, self.steps = training, training.learning_rate, 0
        adagrad = training.optimizer == "adagrad"
        self.squares = np.zeros_like(self.table) if adagrad else np.zeros((0, 0), self.table.dtype)
        self.state: State | None = None
        if training.optimizer in ("adam", "amsgrad"):
            means, squares, largest = (np.zeros_like(self.table) for _ in range(3))
            last = np.zeros(len(self.table), np.int64)
            self.state = State(self.table, means, squares, largest, last)
            self._corrections(1024)

    @staticmethod
    def exact_for(training: Training) -> bool:
        """Whether rows without a gradient can wait: always for Adam, else without decay."""
        return training.optimizer in ("adam", "amsgrad") or not training.weight_decay.embedding

    def refresh(self, rows: Longs) -> None:
        """Make the moves that these rows have missed."""
        if self.state is not None:
            _drift(self.state, self._rule(), rows, self.steps)

    def finish(self) -> None:
        """Make the moves that any row has missed."""
        self.refresh(np.arange(len(self.table)))

    def update(self, rows: Longs, gradient: Numbers) -> None:
        """One step: these different rows have a gradient (n, E), all others have none."""
        self.steps += 1
        if self.state is not None:
            if self.steps >= len(self.first):
                self._corrections(2 * self.steps)
            _adam(self.state, self._rule(), rows, gradient, self.steps)
            return
        kind = self.table.dtype.type
        rate = kind(self.rate / (1 + (self.steps - 1) * self.training.rate_decay))
        _adagrad(self.table, self.squares, rows, gradient, rate, kind(ADAGRAD_EPSILON))

    def _rule(self) -> Rule:
        kind = self.table.dtype.type
        return Rule(
            self.first,
            self.second,
            rate=kind(self.rate),
            decay=kind(self.training.weight_decay.embedding),
            new=kind(1 - BETAS[0]),
            kept=kind(BETAS[1]),
            squared=kind(1 - BETAS[1]),
            epsilon=kind(EPSILON),
            amsgrad=self.training.optimizer == "amsgrad",
        )

    def _corrections(self, steps: int) -> None:
        """Corrections of the bias of both moments at every step up to `steps`."""
        power = np.arange(steps)
        with np.errstate(divide="ignore"):
            first = 1 / (1 - BETAS[0] ** power)
            second = 1 / np.sqrt(1 - BETAS[1] ** power)
        self.first, self.second = (v.astype(self.table.dtype) for v in (first, second))


class Embeddings:
    """The embedding tables of a model, each trained by rows.

    Whoever looks a row up, in training or to predict, finds it up to date.
    """

    def __init__(self, model: nn.Module, training: Training) -> None:
        self.tables = [module for module in model.modules() if isinstance(module, nn.Embedding)]
        self.rows = [Rows(table.weight, training) for table in self.tables]
        self.hooks = []
        for table, rows in zip(self.tables, self.rows, strict=True):
            table.sparse = True
            self.hooks.append(table.register_forward_pre_hook(_refresher(rows)))

    def gradients(self) -> list[tuple[Longs, Tensor]]:
        """Rows and their gradients of the last backward pass, taken off the tables."""
        found = []
        for table in self.tables:
            grad, table.weight.grad = table.weight.grad, None
            if grad is None:
                found.append(
                    (np.empty(0, np.int64), table.weight.new_empty(0, table.weight.shape[1]))
                )
            else:
                summed = grad.coalesce()
                found.append((summed.indices()[0].numpy(), summed.values()))
        return found

    def step(self, gradients: list[tuple[Longs, Tensor]], rate: float) -> None:
        """One step of every table."""
        for rows, (ids, gradient) in zip(self.rows, gradients, strict=True):
            rows.rate = rate
            rows.update(ids, gradient.numpy())

    def finish(self) -> None:
        """Bring all rows up to date, before weights are copied or the rate changes."""
        for rows in self.rows:
            rows.finish()

    def close(self) -> None:
        """Leave the tables as ordinary ones."""
        for table, hook in zip(self.tables, self.hooks, strict=True):
            table.sparse = False
            hook.remove()


def _refresher(rows: Rows) -> Callable[[nn.Module, tuple[Tensor, ...]], None]:
    def refresh(_: nn.Module, given: tuple[Tensor, ...]) -> None:
        rows.refresh(given[0].unique().numpy())

    return refresh


# The two kernels repeat a few lines: only written out do they compile to whole vectors.
@numba.njit(cache=True, nogil=True, error_model="numpy")
def _drift(state: State, rule: Rule, rows: Longs, steps: int) -> None:
    """Steps in which the rows have no gradient of the loss."""
    new, kept, squared, epsilon = rule.new, rule.kept, rule.squared, rule.epsilon
    decay, amsgrad = rule.decay, rule.amsgrad
    for row in rows:
        if decay == 0 and state.last[row] == 0:
            continue  # never touched: nothing moves it
        p, m, v, top = state.table[row], state.means[row], state.squares[row], state.largest[row]
        for step in range(state.last[row] + 1, steps + 1):
            size, scale = rule.rate * rule.first[step], rule.second[step]
            for j in range(len(p)):
                g = decay * p[j]
                m[j] += (g - m[j]) * new
                v[j] = v[j] * kept + g * g * squared
                top[j] = max(top[j], v[j]) if amsgrad else v[j]
                p[j] -= size * m[j] / (np.sqrt(top[j]) * scale + epsilon)
        state.last[row] = steps


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _adam(state: State, rule: Rule, rows: Longs, slope: Numbers, step: int) -> None:
    """One step of rows that are up to date and have a gradient."""
    new, kept, squared, epsilon = rule.new, rule.kept, rule.squared, rule.epsilon
    decay, amsgrad = rule.decay, rule.amsgrad
    size, scale = rule.rate * rule.first[step], rule.second[step]
    for n in range(len(rows)):
        row = rows[n]
        p, m, v, top = state.table[row], state.means[row], state.squares[row], state.largest[row]
        for j in range(len(p)):
            g = slope[n, j] + decay * p[j]
            m[j] += (g - m[j]) * new
            v[j] = v[j] * kept + g * g * squared
            top[j] = max(top[j], v[j]) if amsgrad else v[j]
            p[j] -= size * m[j] / (np.sqrt(top[j]) * scale + epsilon)
        state.last[row] = step


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _adagrad(
    table: Numbers, squares: Numbers, rows: Longs, slope: Numbers, rate: float, epsilon: float
) -> None:
    """One step of rows with a gradient; without squares plain gradient descent."""
    for n in range(len(rows)):
        row = rows[n]
        p = table[row]
        if len(squares) == 0:
            for j in range(len(p)):
                p[j] -= rate * slope[n, j]
            continue
        v = squares[row]
        for j in range(len(p)):
            v[j] += slope[n, j] * slope[n, j]
            p[j] -= rate * slope[n, j] / (np.sqrt(v[j]) + epsilon)
