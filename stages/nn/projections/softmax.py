"""Softmax over the positions inside the mask."""

from torch import Tensor, nn


class Softmax(nn.Module):
    """Positive weights on all positions inside the mask."""

    def forward(self, scores: Tensor, mask: Tensor, frozen: Tensor | None) -> Tensor:
        """Weights (B, T); a row whose mask is empty is all zeros."""
        weights = scores.masked_fill(~mask, -1e30).softmax(-1)
        return weights.masked_fill(~mask, 0.0)
