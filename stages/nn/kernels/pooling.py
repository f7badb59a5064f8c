"""Attention over looked-up states, compiled: forward pass and gradients.

A document is a row of `places` into a table of states (N, H), -1 at padding. `attend` is the whole
of dot-product attention (Sun & Lu 2020, DP), one document at a time, in cache. Where scores come
from other layers, `dropped_tokens` looks tokens up and `pool` sums their states. Dropout masks are
a hash of (seed, token, dimension): they need no memory and are computed again in the backward pass.

Speed: benchmarks "35 runs of DP" and "training epoch, average, 200 tokens".
"""

import math
from typing import Any

import numba
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

Numbers = NDArray[np.floating]
Longs = NDArray[np.int64]


class _Attend(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, states: Tensor, scores: Tensor, places: Tensor, *options: Any
    ) -> tuple[Tensor, Tensor]:
        weights = states.new_zeros(places.shape)
        pooled = states.new_zeros(len(places), states.shape[1])
        ctx.options = options
        arrays = (states, scores, places, weights, pooled)
        _attend(*(array.numpy() for array in arrays), *options)
        ctx.save_for_backward(states, scores, places, weights)
        return pooled, weights

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Tensor) -> tuple[Tensor | None, ...]:
        states, scores, places, weights = ctx.saved_tensors
        grads = torch.zeros_like(states), torch.zeros_like(scores)
        of_outputs = (gradient.contiguous() for gradient in grad_outputs)
        arrays = (states, scores, places, weights, *of_outputs, *grads)
        _attend_backward(*(array.numpy() for array in arrays), *ctx.options)
        return *grads, None, None, None, None


class _Pool(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, weights: Tensor, states: Tensor, places: Tensor) -> Tensor:
        ctx.save_for_backward(weights, states, places)
        pooled = states.new_zeros(len(weights), states.shape[1])
        _pool(weights.numpy(), states.numpy(), places.numpy(), pooled.numpy())
        return pooled

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Tensor) -> tuple[Tensor, Tensor, None]:
        weights, states, places = ctx.saved_tensors
        grad_weights, grad_states = torch.zeros_like(weights), torch.zeros_like(states)
        arrays = (weights, states, places, grad_outputs[0].contiguous(), grad_weights, grad_states)
        _pool_backward(*(array.numpy() for array in arrays))
        return grad_weights, grad_states, None


class _Dropped(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, rows: Tensor, places: Tensor, rate: float, seed: int) -> Tensor:
        ctx.save_for_backward(places)
        ctx.options = (rate, np.uint32(seed))
        ctx.shape = rows.shape
        dropped = rows.new_empty(len(places), rows.shape[1])
        _look_up(rows.numpy(), places.numpy(), dropped.numpy(), *ctx.options)
        return dropped

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Tensor) -> tuple[Tensor, None, None, None]:
        (places,) = ctx.saved_tensors
        gradient = grad_outputs[0].contiguous()
        grad_rows = gradient.new_zeros(ctx.shape)
        _look_up_backward(gradient.numpy(), places.numpy(), grad_rows.numpy(), *ctx.options)
        return grad_rows, None, None, None


def attend(states: Tensor, scores: Tensor, places: Tensor) -> tuple[Tensor, Tensor]:
    """Sums (B, H) of states (N, H) and their weights (B, T), the softmax of `scores` (N,)."""
    options = (False, 0.0, np.uint32(0))
    pooled, weights = _Attend.apply(states.contiguous(), scores.contiguous(), places, *options)
    return pooled, weights


def attend_by_vector(
    rows: Tensor, vector: Tensor, places: Tensor, rate: float, seed: int
) -> tuple[Tensor, Tensor]:
    """The same with dropped rows (N, E), whose scores are products with a vector (E,)."""
    options = (True, rate, np.uint32(seed))
    pooled, weights = _Attend.apply(rows, vector.contiguous(), places, *options)
    return pooled, weights


def pool(weights: Tensor, states: Tensor, places: Tensor) -> Tensor:
    """Sums (B, H) of states (N, H) by weights (B, T); `places` (B, T) is -1 at padding."""
    pooled: Tensor = _Pool.apply(weights.contiguous(), states.contiguous(), places)
    return pooled


def dropped_tokens(rows: Tensor, places: Tensor, rate: float, seed: int) -> Tensor:
    """Tokens (N, E): the rows (U, E) at `places` (N,), each with a dropout mask of its own."""
    tokens: Tensor = _Dropped.apply(rows.contiguous(), places, rate, seed)
    return tokens


@numba.njit(cache=True, nogil=True)
def distinct(tokens: Longs, mask: NDArray[np.bool_], size: int) -> tuple[Longs, Longs]:
    """Types (U,) of tokens (B, T) below `size` inside the mask, ascending; the type of each token.

    The latter (B, T) are places among the types, -1 outside the mask.
    """
    numbers = np.full(size, -1)
    for b in range(len(tokens)):
        for t in range(tokens.shape[1]):
            if mask[b, t]:
                numbers[tokens[b, t]] = 0
    types = np.flatnonzero(numbers == 0)
    for u in range(len(types)):
        numbers[types[u]] = u
    places = np.full(tokens.shape, -1)
    for b in range(len(tokens)):
        for t in range(tokens.shape[1]):
            if mask[b, t]:
                places[b, t] = numbers[tokens[b, t]]
    return types, places


@numba.njit(error_model="numpy", fastmath=True, inline="always")
def _dot(x: Numbers, y: Numbers) -> np.floating:
    """Inner product of two short vectors, for which a BLAS call costs more than the product."""
    total = x.dtype.type(0)
    for j in range(len(x)):
        total += x[j] * y[j]
    return total


# `scores` has one value for each state or, `by_vector`, is the vector that gives them by products
@numba.njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def _attend(  # type: ignore[no-untyped-def]
    states, scores, places, weights, pooled, by_vector, rate, seed
) -> None:
    length, width = places.shape[1], states.shape[1]
    tokens, of_tokens = np.empty((length, width), states.dtype), np.empty(length)
    for b in range(len(places)):
        highest, total = -np.inf, 0.0
        for t in range(length):
            if places[b, t] >= 0:
                _dropped(states[places[b, t]], (b * length + t) * width, rate, seed, tokens[t])
                of_tokens[t] = _dot(tokens[t], scores) if by_vector else scores[places[b, t]]
                highest = max(highest, of_tokens[t])
        for t in range(length):
            if places[b, t] >= 0:
                of_tokens[t] = math.exp(of_tokens[t] - highest)
                total += of_tokens[t]
        for t in range(length):
            if places[b, t] >= 0:
                weights[b, t] = of_tokens[t] / total
                weight, token = weights[b, t], tokens[t]
                for j in range(width):
                    pooled[b, j] += weight * token[j]


@numba.njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def _attend_backward(  # type: ignore[no-untyped-def]
    states, scores, places, weights, grad_pooled, grad_weights,
    grad_states, grad_scores, by_vector, rate, seed,
) -> None:  # fmt: skip
    length, width = places.shape[1], states.shape[1]
    ones = np.ones(width, states.dtype)
    tokens, masks = np.empty((length, width), states.dtype), np.empty((length, width), states.dtype)
    slopes = np.empty(length)  # of the loss by each weight
    for b in range(len(places)):
        gradient, mean = grad_pooled[b], 0.0
        for t in range(length):
            if places[b, t] >= 0:
                state, token, mask = states[places[b, t]], tokens[t], masks[t]
                _dropped(ones, (b * length + t) * width, rate, seed, mask)
                for j in range(width):
                    token[j] = mask[j] * state[j]
                slopes[t] = _dot(token, gradient) + grad_weights[b, t]
                mean += weights[b, t] * slopes[t]
        for t in range(length):
            if places[b, t] >= 0:
                token, mask, grad_state = tokens[t], masks[t], grad_states[places[b, t]]
                weight = weights[b, t]
                grad_score = states.dtype.type(weight * (slopes[t] - mean))
                if by_vector:
                    for j in range(width):
                        grad_scores[j] += grad_score * token[j]
                        grad_state[j] += (weight * gradient[j] + grad_score * scores[j]) * mask[j]
                else:
                    grad_scores[places[b, t]] += grad_score
                    for j in range(width):
                        grad_state[j] += weight * gradient[j]


@numba.njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def _pool(weights: Numbers, states: Numbers, places: Longs, pooled: Numbers) -> None:
    for b in range(len(places)):
        for t in range(places.shape[1]):
            if places[b, t] >= 0:
                weight, state = weights[b, t], states[places[b, t]]
                for j in range(len(state)):
                    pooled[b, j] += weight * state[j]


@numba.njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def _pool_backward(  # type: ignore[no-untyped-def]
    weights, states, places, grad_pooled, grad_weights, grad_states
) -> None:
    for b in range(len(places)):
        gradient = grad_pooled[b]
        for t in range(places.shape[1]):
            if places[b, t] >= 0:
                weight, state = weights[b, t], states[places[b, t]]
                grad_state, total = grad_states[places[b, t]], weights.dtype.type(0)
                for j in range(len(state)):
                    total += gradient[j] * state[j]
                    grad_state[j] += weight * gradient[j]
                grad_weights[b, t] = total


@numba.njit(cache=True, nogil=True)
def dropout_mask(seed: np.uint32, start: int, rate: float, out: Numbers) -> None:
    """Fills `out` with 0 (dropped, with probability `rate`) or 1 / (1 - rate).

    The finaliser of MurmurHash3 on seed and index: 32 well-mixed bits, vectorised.
    """
    scale, zero = out.dtype.type(1 / (1 - rate)), out.dtype.type(0)
    bound = np.uint32(min(rate * 2.0**32, 2.0**32 - 1))
    first = np.uint32(seed + np.uint32(start) * np.uint32(0x9E3779B9))
    for j in range(len(out)):
        z = np.uint32(first + np.uint32(j) * np.uint32(0x9E3779B9))
        z = np.uint32((z ^ (z >> np.uint32(16))) * np.uint32(0x85EBCA6B))
        z = np.uint32((z ^ (z >> np.uint32(13))) * np.uint32(0xC2B2AE35))
        z = np.uint32(z ^ (z >> np.uint32(16)))
        out[j] = scale if z >= bound else zero


@numba.njit(cache=True, nogil=True)
def _dropped(row: Numbers, start: int, rate: float, seed: np.uint32, out: Numbers) -> None:
    """Fills `out` with the row times its dropout mask."""
    if rate == 0:
        out[:] = row
        return
    dropout_mask(seed, start, rate, out)
    for j in range(len(out)):
        out[j] *= row[j]


@numba.njit(cache=True, nogil=True)
def _look_up(rows: Numbers, places: Longs, out: Numbers, rate: float, seed: np.uint32) -> None:
    for n in range(len(places)):
        _dropped(rows[places[n]], n * rows.shape[1], rate, seed, out[n])


@numba.njit(cache=True, nogil=True)
def _look_up_backward(
    gradient: Numbers, places: Longs, grad_rows: Numbers, rate: float, seed: np.uint32
) -> None:
    width = grad_rows.shape[1]
    masked = np.empty(width, grad_rows.dtype)
    for n in range(len(places)):
        _dropped(gradient[n], n * width, rate, seed, masked)
        row = grad_rows[places[n]]
        for j in range(width):
            row[j] += masked[j]
