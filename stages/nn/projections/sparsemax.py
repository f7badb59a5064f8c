"""Sparsemax: the Euclidean projection onto the simplex (Martins & Astudillo 2016)."""

from typing import Any

import torch
from torch import Tensor, nn


class _SparsemaxFunction(torch.autograd.Function):
    """p = max(z - tau, 0) with tau such that p sums to one; zero outside the mask."""

    @staticmethod
    def forward(ctx: Any, scores: Tensor, mask: Tensor) -> Tensor:
        low = scores.masked_fill(~mask, -torch.inf)
        shifted = scores - low.amax(-1, keepdim=True).nan_to_num(neginf=0.0)
        # scores more than one below the largest are outside the support: clamping at -2 is safe
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
    def backward(ctx: Any, *grad_outputs: Tensor) -> tuple[Tensor, None]:
        (weights,) = ctx.saved_tensors
        support = weights > 0
        grad = grad_outputs[0].masked_fill(~support, 0.0)
        mean = grad.sum(-1, keepdim=True) / support.sum(-1, keepdim=True).clamp(min=1)
        return (grad - mean).masked_fill(~support, 0.0), None


def sparsemax(scores: Tensor, mask: Tensor) -> Tensor:
    """Weights (B, T): the point of the simplex closest to the scores."""
    weights: Tensor = _SparsemaxFunction.apply(scores, mask)
    return weights


class Sparsemax(nn.Module):
    """Sparse weights: zero outside the support."""

    def forward(self, scores: Tensor, mask: Tensor, frozen: Tensor | None) -> Tensor:
        """Weights (B, T)."""
        return sparsemax(scores, mask)
