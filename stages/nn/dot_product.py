"""Attention straight over embeddings (Sun & Lu's DP): loss and gradients of a batch, compiled.

Forward and backward of one document stay in cache, so a step costs a tenth of what it costs layer
by layer. Dropout is decided by a hash of (seed, document, place, number): the same for all who ask.
"""

import math

import numba
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Longs = NDArray[np.int64]


@numba.njit(cache=True, nogil=True)
def kept(seed: np.uint32, start: int, share: float, out: Floats) -> None:
    """Fill with 1 / (1 - share) where a number is kept and 0 where it is dropped.

    The finaliser of MurmurHash3 on seed and index: 32 well-mixed bits, in whole vectors.
    """
    scale, none = np.float32(1 / (1 - share)), np.float32(0.0)
    bound = np.uint32(min(share * 2.0**32, 2.0**32 - 1))
    first = np.uint32(seed + np.uint32(start) * np.uint32(0x9E3779B9))
    for j in range(len(out)):
        z = np.uint32(first + np.uint32(j) * np.uint32(0x9E3779B9))
        z = np.uint32((z ^ (z >> np.uint32(16))) * np.uint32(0x85EBCA6B))
        z = np.uint32((z ^ (z >> np.uint32(13))) * np.uint32(0xC2B2AE35))
        z = np.uint32(z ^ (z >> np.uint32(16)))
        out[j] = scale if z >= bound else none


@numba.njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def gradients(
    table: Floats,  # (V, E) embeddings
    present: Longs,  # (U,) the batch's types
    places: Longs,  # (B, T) into present
    lengths: Longs,  # (B,)
    labels: Longs,  # (B,)
    weights: Floats,  # (classes,) times the loss of each class, already over the batch if a mean
    context: Floats,  # (E,) V
    output: Floats,  # (C, E) W
    scale: float,  # lambda
    dropout: tuple[float, float],  # of embedded tokens, of the pooled vector
    seed: np.uint32,
) -> tuple[Floats, Floats, Floats, Floats]:
    """Losses (B,) without weights, and gradients of rows, V and W of the weighted sum."""
    width, classes, longest = table.shape[1], output.shape[0], places.shape[1]
    rows = table[present]  # (U, E)
    of_rows, of_context, of_output = (
        np.zeros_like(rows),
        np.zeros_like(context),
        np.zeros_like(output),
    )
    lost = np.zeros(len(labels), np.float32)
    mask, x = np.empty((longest, width), np.float32), np.empty((longest, width), np.float32)
    over, alpha, slope = np.empty(width, np.float32), np.empty(longest), np.empty(longest)
    h, dh, logits = np.empty(width, np.float32), np.empty(width, np.float32), np.empty(classes)
    for b in range(len(labels)):
        n = lengths[b]
        start = b * (longest + 1)
        _attend(rows, places[b], n, context, scale, dropout[0], seed, start, mask, x, alpha)
        kept(seed, (start + longest) * width, dropout[1], over)
        _pooled(x, alpha, n, over, h)
        for c in range(classes):
            logits[c] = _dot(output[c], h)
        lost[b] = _pulled(logits, labels[b])  # logits become gradients of the loss
        dh[:] = 0
        for c in range(classes):
            g = np.float32(logits[c] * weights[labels[b]])
            for j in range(width):
                of_output[c, j] += g * h[j]
                dh[j] += g * output[c, j] * over[j]
        _spread(alpha, slope, x, dh, mask, places[b], n, context, scale, of_rows, of_context)
    return lost, of_rows, of_context, of_output


@numba.njit(error_model="numpy", fastmath=True, inline="always")
def _dot(x: Floats, y: Floats) -> np.float32:
    """Of two short vectors: asking the library for each costs more than the product."""
    total = np.float32(0)
    for j in range(len(x)):
        total += x[j] * y[j]
    return total


@numba.njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def _spread(  # type: ignore[no-untyped-def]
    alpha, slope, x, dh, mask, places, n, context, scale, of_rows, of_context
) -> None:
    """Hand the gradient of the pooled vector on to tokens and to V."""
    mean = 0.0
    for t in range(n):
        slope[t] = _dot(x[t], dh)
        mean += alpha[t] * slope[t]
    for t in range(n):
        share = np.float32(alpha[t])
        moved = np.float32(alpha[t] * (slope[t] - mean) / scale)
        row = of_rows[places[t]]
        for j in range(len(dh)):
            of_context[j] += moved * x[t, j]
            row[j] += (share * dh[j] + moved * context[j]) * mask[t, j]


@numba.njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def _attend(  # type: ignore[no-untyped-def]
    rows, places, n, context, scale, share, seed, start, mask, x, alpha
) -> None:
    """Embedded tokens after dropout, and their softmax weights."""
    width = rows.shape[1]
    for t in range(n):
        row, open_, seen = rows[places[t]], mask[t], x[t]
        kept(seed, (start + t) * width, share, open_)
        for j in range(width):
            seen[j] = row[j] * open_[j]
        alpha[t] = _dot(seen, context) / scale
    highest = alpha[:n].max()
    total = 0.0
    for t in range(n):
        alpha[t] = math.exp(alpha[t] - highest)
        total += alpha[t]
    for t in range(n):
        alpha[t] /= total


@numba.njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def _pooled(x, alpha, n, over, h) -> None:  # type: ignore[no-untyped-def]
    """The weighted sum after dropout."""
    h[:] = 0
    for t in range(n):
        share = np.float32(alpha[t])
        for j in range(len(h)):
            h[j] += share * x[t, j]
    for j in range(len(h)):
        h[j] *= over[j]


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _pulled(logits, label) -> float:  # type: ignore[no-untyped-def]
    """The loss; logits are replaced by its gradient by them."""
    if len(logits) == 1:
        y, s = float(label), logits[0]
        lost = max(s, 0.0) - s * y + math.log1p(math.exp(-abs(s)))
        logits[0] = 1 / (1 + math.exp(-s)) - y if s > -700 else -y
        return lost
    highest, total = logits.max(), 0.0
    for c in range(len(logits)):
        total += math.exp(logits[c] - highest)
    lost = math.log(total) + highest - logits[label]
    for c in range(len(logits)):
        logits[c] = math.exp(logits[c] - highest) / total
    logits[label] -= 1
    return lost
