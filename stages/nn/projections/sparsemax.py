"""Sparsemax: the Euclidean projection onto the simplex (Martins & Astudillo 2016)."""

from typing import Any

import torch
from torch import Tensor, nn


class _Sparsemax(torch.autograd.Function):
    """p = max(z - tau, 0) with tau such that p sums to one; zero outside the mask."""

    @staticmethod
    def forward(ctx: Any, scores: Tensor, mask: Tensor) -> Tensor:
        low = scores.masked_fill(~mask, -torch.inf)
        shifted = scores - low.amax(-1, keepdim=True).nan_to_num(neginf=0.0)
        # beyond a distance of one from the largest nothing is in the support: -2 is safe
        shifted = shifted.clamp(min=-2).masked_fill(~mask, -2.0)
        ranked = shifted.sort(-1, descending=True).values  # (B, T)
        sums = ranked.cumsum(-1) - 1
        places = torch.arange(1, scores.shape[-1] + 1, dtype=scores.dtype)
        support = (places * ranked > sums).sum(-1, keepdim=True)  # (B, 1)
        tau = sums.gather(-1, support - 1) / support
        weights = (shifted - tau).clamp(min=0).masked_fill(~mask, 0.0)
        ctx.save_for_backward(weights)
        return weights

    @staticmethod
    def backward(ctx: Any, *incoming: Tensor) -> tuple[Tensor, None]:
        (weights,) = ctx.saved_tensors
        inside = weights > 0
        kept = incoming[0].masked_fill(~inside, 0.0)
        mean = kept.sum(-1, keepdim=True) / inside.sum(-1, keepdim=True).clamp(min=1)
        return (kept - mean).masked_fill(~inside, 0.0), None


def sparsemax(scores: Tensor, mask: Tensor) -> Tensor:
    """Weights (B, T) of the closest point of the simplex."""
    weights: Tensor = _Sparsemax.apply(scores, mask)
    return weights


class Part(nn.Module):
    """Few positive weights."""

    def forward(self, scores: Tensor, mask: Tensor, given: Tensor | None) -> Tensor:
        """Weights (B, T)."""
        return sparsemax(scores, mask)
