"""Softmax over the positions where attention may rest."""

from torch import Tensor, nn


class Part(nn.Module):
    """Every allowed weight is positive."""

    def forward(self, scores: Tensor, mask: Tensor, given: Tensor | None) -> Tensor:
        """Weights (B, T); a row without any allowed position is all zeros."""
        weights = scores.masked_fill(~mask, -1e30).softmax(-1)
        return weights.masked_fill(~mask, 0.0)
