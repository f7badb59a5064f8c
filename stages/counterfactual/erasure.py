"""Attention weights set to zero, the rest renormalised, until the decision flips.

Serrano & Smith 2019. With a linear head a document is its weights alpha (L,) and its evidence
s (L, C): erasing a set of items leaves sum(alpha s) / sum(alpha) + b over the others. Sums of what
is left are taken from the far end of a ranking, in float64, so that small tails keep their digits.
"""

from dataclasses import dataclass
from functools import cached_property

import numba
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from stages.statistics.divergences import jensen_shannon

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]
RANKINGS = ("attention", "gradient", "product", "centred")


@dataclass(frozen=True)
class Documents:
    """B documents of up to L items, packed to the left; float64."""

    weights: Tensor  # (B, L), 0 where there is no item
    evidence: Tensor  # (B, L, C)
    bias: Tensor  # (C,)
    real: Tensor  # (B, L)

    @classmethod
    def of(cls, weights: Tensor, evidence: Tensor, bias: Tensor, mask: Tensor) -> "Documents":
        """From a model's padded output; a single sigmoid output becomes the two classes it is."""
        if evidence.shape[-1] == 1:
            evidence = torch.cat([torch.zeros_like(evidence), evidence], -1)
            bias = torch.cat([torch.zeros_like(bias), bias])
        order = (~mask).long().argsort(dim=1, stable=True)[:, : int(mask.sum(1).max())]
        real = mask.gather(1, order)
        packed = evidence.gather(1, order.unsqueeze(-1).expand(-1, -1, evidence.shape[-1]))
        kept = weights.gather(1, order).double() * real
        return cls(kept, packed.double() * real.unsqueeze(-1), bias.double(), real)

    @cached_property
    def logits(self) -> Tensor:
        """Of the whole document (B, C)."""
        return (self.weights.unsqueeze(-1) * self.evidence).sum(1) + self.bias

    @cached_property
    def decision(self) -> Tensor:
        """(B,); of equals the first."""
        return self.logits.argmax(-1)

    @property
    def lengths(self) -> Tensor:
        """Items of each document (B,)."""
        return self.real.sum(1)

    def gradient(self) -> Tensor:
        """Of the decision's probability with respect to each weight, held free (B, L)."""
        p = self.logits.softmax(-1)  # (B, C)
        chosen = self.decision.view(-1, 1, 1).expand(-1, self.evidence.shape[1], 1)
        own = self.evidence.gather(-1, chosen).squeeze(-1)
        expected = (self.evidence @ p.unsqueeze(-1)).squeeze(-1)
        return p.amax(-1, keepdim=True) * (own - expected) * self.real

    def importance(self) -> dict[str, Tensor]:
        """What each ranking sorts by, largest first (B, L).

        `centred` is alpha (g - mean g): to first order what erasing and renormalising does.
        """
        slope = self.gradient()
        mean = (self.weights * slope).sum(1, keepdim=True)
        return {
            "attention": self.weights,
            "gradient": slope,
            "product": self.weights * slope,
            "centred": self.weights * (slope - mean),
        }

    def order(self, importance: Tensor) -> Tensor:
        """Places by falling importance (B, L), equals from the left, padding last."""
        return importance.masked_fill(~self.real, -torch.inf).argsort(
            dim=1, descending=True, stable=True
        )


def without_each(documents: Documents, empty: Tensor) -> Tensor:
    """Logits (B, L, C) after erasing one item; `empty` (C,) where nothing with weight is left."""
    weighted = documents.weights.unsqueeze(-1) * documents.evidence  # (B, L, C)
    mass = _others(documents.weights.unsqueeze(-1))  # (B, L, 1)
    return _renormalised(_others(weighted), mass, documents.bias, empty)


def _renormalised(left: Tensor, mass: Tensor, bias: Tensor, empty: Tensor) -> Tensor:
    return torch.where(mass > 0, left / mass.clamp(min=1e-300) + bias, empty)


def _after(values: Tensor) -> Tensor:
    """Sum of what comes after each place along the items (B, L, *)."""
    return (
        values.flip(1)
        .cumsum(1)
        .flip(1)
        .roll(-1, 1)
        .index_fill(1, torch.tensor([values.shape[1] - 1]), 0.0)
    )


def _others(values: Tensor) -> Tensor:
    """Sum of everything but each place: what is before it and what comes after."""
    before = values.cumsum(1).roll(1, 1).index_fill(1, torch.tensor([0]), 0.0)
    return before + _after(values)


@dataclass(frozen=True)
class Flips:
    """When a decision flips along an order."""

    count: Tensor  # (B,) items erased at the first flip, 0 for never
    mass: Tensor  # (B,) of their original weights, NaN for never


def first_flip(documents: Documents, order: Tensor, empty: Tensor) -> Flips:
    """Erase along an order until the decision is another one."""
    counts, masses = _first_flips(
        documents.weights.numpy(),
        documents.evidence.numpy(),
        documents.bias.numpy(),
        empty.double().numpy(),
        order.numpy(),
        documents.lengths.numpy(),
        documents.decision.numpy(),
    )
    return Flips(torch.from_numpy(counts), torch.from_numpy(masses))


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _first_flips(
    weights: Floats,  # (B, L)
    evidence: Floats,  # (B, L, C)
    bias: Floats,  # (C,)
    empty: Floats,  # (C,)
    order: Longs,  # (B, L)
    lengths: Longs,  # (B,)
    decision: Longs,  # (B,)
) -> tuple[Longs, Floats]:
    """Items erased at the first flip (0 for never) and their weight (NaN for never).

    What is left is added up from the far end of the order; the last flip seen on the way to its
    beginning is the first one.
    """
    count, erased = np.zeros(len(weights), np.int64), np.full(len(weights), np.nan)
    left = np.empty(evidence.shape[2])
    for b in range(len(weights)):
        left[:] = 0.0
        mass = 0.0
        for k in range(lengths[b], 0, -1):  # the first k are erased
            best, highest = 0, -np.inf
            for c in range(len(left)):
                # times the mass that is left, which does not change who is highest
                logit = left[c] + mass * bias[c] if mass > 0 else empty[c]
                if logit > highest:
                    best, highest = c, logit
            if best != decision[b]:
                count[b] = k
            item = order[b, k - 1]
            share = weights[b, item]
            mass += share
            for c in range(len(left)):
                left[c] += share * evidence[b, item, c]
        if count[b]:
            erased[b] = 0.0
            for k in range(count[b]):
                erased[b] += weights[b, order[b, k]]
    return count, erased


def divergences(documents: Documents, logits: Tensor) -> Tensor:
    """Jensen-Shannon divergence (B, L) of outputs under erasure from the whole output."""
    return jensen_shannon(logits.softmax(-1), documents.logits.softmax(-1).unsqueeze(1))
