"""The gradient flow of token scores, split into the terms A to F.

Sun & Lu (2020), sections 3 and 4; the multi-class and affine forms of their supplement with its two
misprints corrected. For a token e of embedding, polarity score s_e = W e and attention score
a_e = V e / lambda, under gradient flow ds_e = A + B + C and da_e = D + E + F. With one number per
type everything is two scatter-adds over tokens and a few matrix-vector products.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stages.corpora.ragged import Longs, Ragged

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Weights:
    """One run in float64; `matrix` and `bias` of the affine encoder of DP-A."""

    embedding: Floats  # (V, E)
    context: Floats  # (H,) V
    output: Floats  # (C, H) W, one row for a sigmoid
    scale: float  # lambda
    matrix: Floats | None = None  # (H, E)
    bias: Floats | None = None  # (H,)

    @property
    def states(self) -> Floats:
        """States of every type, the input of attention (V, H)."""
        if self.matrix is None:
            return self.embedding
        offset = 0.0 if self.bias is None else self.bias
        return np.asarray(self.embedding @ self.matrix.T + offset)

    @property
    def attention(self) -> Floats:
        """Attention score a_e of every type (V,)."""
        return np.asarray(self.states @ self.context / self.scale)

    @property
    def polarity(self) -> Floats:
        """Polarity scores s_e of every type (V, C)."""
        return np.asarray(self.states @ self.output.T)


@dataclass(frozen=True)
class Pull:
    """Sums of the training documents' forces on every type; `documents` is m in the paper."""

    pi: Floats  # (V, C) sum over occurrences of y beta alpha
    rho: Floats  # (V,) the same times s_e - s_t
    beta: float  # mean of sigma(-y s), the error of the model
    documents: int


def softmax_within(scores: Floats, text: Ragged) -> Floats:
    """Weights of every value of the text: softmax over its own document."""
    starts, lengths = text.offsets[:-1], text.lengths
    shifted = np.exp(scores - np.repeat(np.maximum.reduceat(scores, starts), lengths))
    return np.asarray(shifted / np.repeat(np.add.reduceat(shifted, starts), lengths))


def summed(ids: NDArray[np.integer], values: Floats, size: int) -> Floats:
    """Values added up by id (size,)."""
    return np.bincount(ids, values, size).astype(np.float64)


def pull(weights: Weights, text: Ragged, labels: Longs) -> Pull:
    """pi and rho of every type over the documents; none of them may be empty."""
    ids, starts, lengths = text.values, text.offsets[:-1], text.lengths
    polarity = weights.polarity[ids]  # (N, C)
    alpha = softmax_within(weights.attention[ids], text)  # (N,)
    logits = np.add.reduceat(alpha[:, None] * polarity, starts)  # (T, C)
    force = _force(logits, labels)  # (T, C) minus the gradient of each loss by its logits
    of_tokens = alpha[:, None] * np.repeat(force, lengths, 0)  # (N, C)
    relative = ((polarity - np.repeat(logits, lengths, 0)) * of_tokens).sum(1)  # (N,)
    size, classes = len(weights.embedding), polarity.shape[1]
    pi = np.stack([summed(ids, of_tokens[:, k], size) for k in range(classes)], 1)
    errors = force[np.arange(len(labels)), labels] if classes > 1 else np.abs(force[:, 0])
    return Pull(pi, summed(ids, relative, size), float(errors.mean()), len(labels))


def _force(logits: Floats, labels: Longs) -> Floats:
    """y beta for a sigmoid; one-hot minus probabilities for a softmax."""
    if logits.shape[1] == 1:
        sign = np.where(labels == 1, 1.0, -1.0)[:, None]
        return np.asarray(sign / (1 + np.exp(np.clip(sign * logits, -700, 700))))
    shifted = np.exp(logits - logits.max(1, keepdims=True))
    return np.asarray(np.eye(logits.shape[1])[labels] - shifted / shifted.sum(1, keepdims=True))


@dataclass(frozen=True)
class Terms:
    """A, B, C (V, C) of the polarity scores and D, E, F (V,) of the attention scores.

    `through_s` and `through_a` are the share of the affine layer of DP-A; zero without one.
    """

    a: Floats
    b: Floats
    c: Floats
    d: Floats
    e: Floats
    f: Floats
    through_s: Floats
    through_a: Floats

    @property
    def polarity(self) -> Floats:
        """ds_e/dtau of every type (V, C)."""
        return self.a + self.b + self.c + self.through_s

    @property
    def attention(self) -> Floats:
        """da_e/dtau of every type (V,)."""
        return self.d + self.e + self.f + self.through_a


def terms(weights: Weights, sums: Pull) -> Terms:
    """The terms of every type."""
    m, scale = sums.documents, weights.scale
    states, inner = weights.states, weights.matrix
    context = weights.context if inner is None else inner.T @ weights.context
    output = weights.output if inner is None else weights.output @ inner
    cross = output @ context / scale  # (C,)
    rho, pi = sums.rho, sums.pi
    through_s, through_a = _through_layer(weights, sums)
    return Terms(
        a=rho[:, None] * cross / m,
        b=pi @ (output @ output.T) / m,
        c=states @ (states.T @ pi) / m,
        d=pi @ cross / m,
        e=rho * (context @ context) / (m * scale**2),
        f=states @ (states.T @ rho) / (m * scale**2),
        through_s=through_s,
        through_a=through_a,
    )


def _through_layer(weights: Weights, sums: Pull) -> tuple[Floats, Floats]:
    """The share of training the affine layer (and its bias, an input that is always one)."""
    if weights.matrix is None:
        return np.zeros_like(sums.pi), np.zeros_like(sums.rho)
    ones = [] if weights.bias is None else [np.ones((len(weights.embedding), 1))]
    inputs = np.hstack([weights.embedding, *ones])
    near_pi, near_rho = inputs @ (inputs.T @ sums.pi), inputs @ (inputs.T @ sums.rho)
    output, context, scale = weights.output, weights.context, weights.scale
    cross = output @ context / scale
    polarity = near_pi @ (output @ output.T) + near_rho[:, None] * cross
    attention = near_pi @ cross + near_rho * (context @ context) / scale**2
    return polarity / sums.documents, attention / sums.documents
