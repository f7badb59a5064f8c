"""Erasure: attention weights set to zero, the rest renormalised, until the decision flips.

Serrano & Smith 2019. With a linear head a document is its weights alpha (L,) and its evidence
s (L, C): erasing a set of items leaves sum(alpha s) / sum(alpha) + b over the others. These sums
run from the far end of a ranking, in float64, so that small tails keep their digits.
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


@dataclass(frozen=True)
class Documents:
    """B documents of up to L items, packed to the left; float64."""

    weights: Tensor  # (B, L), 0 where there is no item
    evidence: Tensor  # (B, L, C)
    bias: Tensor  # (C,)
    real: Tensor  # (B, L)

    @classmethod
    def of(cls, weights: Tensor, evidence: Tensor, bias: Tensor, mask: Tensor) -> "Documents":
        """From a model's padded output; a single sigmoid output becomes two classes."""
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
        """Class of the largest logit (B,), the first of equals."""
        return self.logits.argmax(-1)

    @property
    def lengths(self) -> Tensor:
        """Items of each document (B,)."""
        return self.real.sum(1)

    def importance(self) -> dict[str, Tensor]:
        """The value that each ranking sorts by, largest first (B, L).

        `gradient` is that of the decision's probability by each weight, without normalisation;
        `centred` is alpha (g - mean g): the first-order effect of erasing and renormalising.
        """
        p = self.logits.softmax(-1).unsqueeze(-1)  # (B, C, 1)
        own = self.evidence.take_along_dim(self.decision.view(-1, 1, 1), -1)  # (B, L, 1)
        slope = (p.amax(1, keepdim=True) * (own - self.evidence @ p)).squeeze(-1) * self.real
        mean = (self.weights * slope).sum(1, keepdim=True)
        return {
            "attention": self.weights,
            "gradient": slope,
            "product": self.weights * slope,
            "centred": self.weights * (slope - mean),
        }

    def orders(self) -> dict[str, Tensor]:
        """Places by each ranking (B, L)."""
        return {name: self.order(value) for name, value in self.importance().items()}

    def order(self, importance: Tensor) -> Tensor:
        """Places by falling importance (B, L), equals from the left, padding last."""
        falling = (-importance).masked_fill(~self.real, torch.inf).numpy()
        order = falling.argsort(axis=1)  # vectorised, not stable
        _sort_ties(falling, order)
        return torch.from_numpy(order)


def without_each(documents: Documents, empty: Tensor) -> Tensor:
    """Logits (B, L, C) after erasing one item; `empty` (C,) where nothing with weight is left."""
    weighted = documents.weights.unsqueeze(-1) * documents.evidence  # (B, L, C)
    mass = _others(documents.weights.unsqueeze(-1))  # (B, L, 1)
    return torch.where(mass > 0, _others(weighted) / mass.clamp(min=1e-300) + documents.bias, empty)


def _others(values: Tensor) -> Tensor:
    """Sum of all items but each (B, L, *): what is before it and what comes after."""
    before = values.cumsum(1).roll(1, 1)
    before[:, 0] = 0.0
    after = values.flip(1).cumsum(1).flip(1).roll(-1, 1)
    after[:, -1] = 0.0
    return before + after


def divergences(documents: Documents, logits: Tensor) -> Tensor:
    """Jensen-Shannon divergence (B, L) of outputs under erasure from the whole output."""
    return jensen_shannon(logits.softmax(-1), documents.logits.softmax(-1).unsqueeze(1))


@dataclass(frozen=True)
class Flips:
    """When decisions flip along orders."""

    count: Tensor  # (R, B) items erased at the first flip, 0 for never
    mass: Tensor  # (R, B) of their original weights, NaN for never


def first_flips(documents: Documents, orders: Tensor, *empty: Tensor) -> list[Flips]:
    """Erase along each order (R, B, L) until the decision changes.

    One result for each `empty` (C,), the logits where nothing with weight is left.
    """
    erased = _erased(
        documents.weights.numpy(),
        documents.evidence.numpy(),
        documents.bias.numpy(),
        orders.numpy(),
        documents.lengths.numpy(),
        documents.decision.numpy(),
    )
    counts, masses, emptied = map(torch.from_numpy, erased)
    results = []
    for logits in empty:
        flips = ~emptied | (logits.argmax() != documents.decision)  # (R, B)
        results.append(Flips(counts * flips, masses.masked_fill(~flips, torch.nan)))
    return results


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _erased(
    weights: Floats,  # (B, L)
    evidence: Floats,  # (B, L, C)
    bias: Floats,  # (C,)
    orders: Longs,  # (R, B, L)
    lengths: Longs,  # (B,)
    decision: Longs,  # (B,)
) -> tuple[Longs, Floats, NDArray[np.bool_]]:
    """Items erased when the decision flips or no weight is left, their mass, and the latter."""
    shape = orders.shape[:2]
    count, erased, emptied = np.zeros(shape, np.int64), np.zeros(shape), np.zeros(shape, np.bool_)
    longest, classes = evidence.shape[1:]
    left, mass = np.empty((longest + 1, classes)), np.empty(longest + 1)  # after k erasures
    for b in range(len(weights)):  # all orders of a document while it is in cache
        for r in range(len(orders)):
            order, last = orders[r, b], lengths[b]
            left[last], mass[last] = 0.0, 0.0
            for k in range(last - 1, -1, -1):
                weight, logits = weights[b, order[k]], evidence[b, order[k]]
                before, after = left[k], left[k + 1]
                mass[k] = mass[k + 1] + weight
                for c in range(classes):
                    before[c] = after[c] + weight * logits[c]
            k = min(1, last)
            while mass[k] > 0 and not _beaten(left[k], mass[k], bias, decision[b]):
                k += 1
            count[r, b], emptied[r, b] = k, mass[k] == 0
            for place in range(k):
                erased[r, b] += weights[b, order[place]]
    return count, erased, emptied


@numba.njit(error_model="numpy", inline="always")
def _beaten(left: Floats, mass: float, bias: Floats, decision: int) -> bool:
    """Whether another class is higher, or as high and before the decision; without branches.

    Logits are those of the renormalised rest times its mass, which does not change their order.
    """
    own, beaten = left[decision] + mass * bias[decision], False
    for c in range(len(left)):
        logit = left[c] + mass * bias[c]
        beaten |= (logit > own) | ((logit == own) & (c < decision))
    return beaten


@numba.njit(cache=True, nogil=True)
def _sort_ties(values: Floats, order: Longs) -> None:
    """Turn an order (B, L) by rising values into that of a stable sort, in place."""
    for row, places in zip(values, order):  # noqa: B905 - compiled
        start = 0
        for k in range(1, len(places) + 1):
            if k == len(places) or row[places[k]] != row[places[start]]:
                if k - start > 1:
                    places[start:k].sort()
                start = k
