"""Equal weights, independent of the scores (Wiegreffe & Pinter 2019)."""

from torch import Tensor, nn


class Uniform(nn.Module):
    """1 / n on the n positions inside the mask."""

    def forward(self, scores: Tensor, mask: Tensor, frozen: Tensor | None) -> Tensor:
        """Weights (B, T)."""
        return mask.to(scores.dtype) / mask.sum(-1, keepdim=True).clamp(min=1)
