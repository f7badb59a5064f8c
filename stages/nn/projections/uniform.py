"""Equal weights, whatever the scores (Wiegreffe & Pinter 2019)."""

from torch import Tensor, nn


class Part(nn.Module):
    """1 / n on the n positions where attention may rest."""

    def forward(self, scores: Tensor, mask: Tensor, given: Tensor | None) -> Tensor:
        """Weights (B, T)."""
        return mask.to(scores.dtype) / mask.sum(-1, keepdim=True).clamp(min=1)
