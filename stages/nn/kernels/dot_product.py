"""Dot-product attention straight over embeddings (Sun & Lu 2020, DP): losses and gradients.

Forward and backward pass of one document stay in cache. Dropout masks are a hash of (seed,
document, position, dimension), so they need no memory and can be recomputed.

Speed: 5.4x of the same runs one by one by autograd, benchmark "35 runs of DP".
"""

import math

import numba
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Longs = NDArray[np.int64]


@numba.njit(cache=True, nogil=True)
def dropout_mask(seed: np.uint32, start: int, rate: float, out: Floats) -> None:
    """Fills `out` with 0 (dropped, with probability `rate`) or 1 / (1 - rate).

    The finaliser of MurmurHash3 on seed and index: 32 well-mixed bits, vectorised.
    """
    scale, zero = np.float32(1 / (1 - rate)), np.float32(0.0)
    bound = np.uint32(min(rate * 2.0**32, 2.0**32 - 1))
    first = np.uint32(seed + np.uint32(start) * np.uint32(0x9E3779B9))
    for j in range(len(out)):
        z = np.uint32(first + np.uint32(j) * np.uint32(0x9E3779B9))
        z = np.uint32((z ^ (z >> np.uint32(16))) * np.uint32(0x85EBCA6B))
        z = np.uint32((z ^ (z >> np.uint32(13))) * np.uint32(0xC2B2AE35))
        z = np.uint32(z ^ (z >> np.uint32(16)))
        out[j] = scale if z >= bound else zero


@numba.njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def gradients(
    table: Floats,  # (V, E) embeddings
    present: Longs,  # (U,) types of the batch
    places: Longs,  # (B, T) into present
    lengths: Longs,  # (B,)
    labels: Longs,  # (B,)
    class_weights: Floats,  # (classes,) of the loss, divided by the batch size for a mean
    context: Floats,  # (E,) V
    output: Floats,  # (C, E) W
    scale: float,  # lambda
    dropout: tuple[float, float],  # of embedded tokens, of the pooled vector
    seed: np.uint32,
) -> tuple[Floats, Floats, Floats, Floats]:
    """Unweighted losses (B,); gradients of the weighted sum by rows (U, E), V and W."""
    width, classes, longest = table.shape[1], output.shape[0], places.shape[1]
    rows = table[present]  # (U, E)
    grad_rows = np.zeros_like(rows)
    grad_context, grad_output = np.zeros_like(context), np.zeros_like(output)
    losses = np.zeros(len(labels), np.float32)
    mask, x = np.empty((longest, width), np.float32), np.empty((longest, width), np.float32)
    alpha, grad_alpha, logits = np.empty(longest), np.empty(longest), np.empty(classes)
    h, grad_h = np.empty(width, np.float32), np.empty(width, np.float32)
    pooled_mask = np.empty(width, np.float32)
    for b in range(len(labels)):
        n = lengths[b]
        start = b * (longest + 1)
        _attend(rows, places[b], n, context, scale, dropout[0], seed, start, mask, x, alpha)
        dropout_mask(seed, (start + longest) * width, dropout[1], pooled_mask)
        _pool(x, alpha, n, pooled_mask, h)
        for c in range(classes):
            logits[c] = _dot(output[c], h)
        losses[b] = _loss_backward(logits, labels[b])  # logits become their gradients
        grad_h[:] = 0
        for c in range(classes):
            g = np.float32(logits[c] * class_weights[labels[b]])
            for j in range(width):
                grad_output[c, j] += g * h[j]
                grad_h[j] += g * output[c, j] * pooled_mask[j]
        _attend_backward(
            alpha, grad_alpha, x, grad_h, mask,
            places[b], n, context, scale, grad_rows, grad_context,
        )  # fmt: skip
    return losses, grad_rows, grad_context, grad_output


@numba.njit(error_model="numpy", fastmath=True, inline="always")
def _dot(x: Floats, y: Floats) -> np.float32:
    """Inner product of two short vectors, for which a BLAS call costs more than the product."""
    total = np.float32(0)
    for j in range(len(x)):
        total += x[j] * y[j]
    return total


@numba.njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def _attend_backward(  # type: ignore[no-untyped-def]
    alpha, grad_alpha, x, grad_h, mask, places, n, context, scale, grad_rows, grad_context
) -> None:
    """Adds the gradients of rows and V, from that of the pooled vector."""
    mean = 0.0
    for t in range(n):
        grad_alpha[t] = _dot(x[t], grad_h)
        mean += alpha[t] * grad_alpha[t]
    for t in range(n):
        weight = np.float32(alpha[t])
        grad_score = np.float32(alpha[t] * (grad_alpha[t] - mean) / scale)
        row = grad_rows[places[t]]
        for j in range(len(grad_h)):
            grad_context[j] += grad_score * x[t, j]
            row[j] += (weight * grad_h[j] + grad_score * context[j]) * mask[t, j]


@numba.njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def _attend(  # type: ignore[no-untyped-def]
    rows, places, n, context, scale, rate, seed, start, mask, x, alpha
) -> None:
    """Fills x with the embedded tokens after dropout and alpha with their softmax weights."""
    width = rows.shape[1]
    for t in range(n):
        row, mask_t, x_t = rows[places[t]], mask[t], x[t]
        dropout_mask(seed, (start + t) * width, rate, mask_t)
        for j in range(width):
            x_t[j] = row[j] * mask_t[j]
        alpha[t] = _dot(x_t, context) / scale
    highest = alpha[:n].max()
    total = 0.0
    for t in range(n):
        alpha[t] = math.exp(alpha[t] - highest)
        total += alpha[t]
    for t in range(n):
        alpha[t] /= total


@numba.njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def _pool(x, alpha, n, pooled_mask, h) -> None:  # type: ignore[no-untyped-def]
    """Fills h with the weighted sum after dropout."""
    h[:] = 0
    for t in range(n):
        weight = np.float32(alpha[t])
        for j in range(len(h)):
            h[j] += weight * x[t, j]
    for j in range(len(h)):
        h[j] *= pooled_mask[j]


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _loss_backward(logits, label) -> float:  # type: ignore[no-untyped-def]
    """Loss of a document; the logits are overwritten by its gradient."""
    if len(logits) == 1:
        y, s = float(label), logits[0]
        loss = max(s, 0.0) - s * y + math.log1p(math.exp(-abs(s)))
        logits[0] = 1 / (1 + math.exp(-s)) - y if s > -700 else -y
        return loss
    highest, total = logits.max(), 0.0
    for c in range(len(logits)):
        total += math.exp(logits[c] - highest)
    loss = math.log(total) + highest - logits[label]
    for c in range(len(logits)):
        logits[c] = math.exp(logits[c] - highest) / total
    logits[label] -= 1
    return loss
