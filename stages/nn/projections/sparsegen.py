"""Sparsegen-lin: argmin |p - z|^2 - lambda |p|^2 (Laha et al. 2018), lambda < 1.

Completing the square gives sparsemax(z / (1 - lambda)): lambda = 0 is sparsemax, lambda -> 1
one-hot, lambda -> -infinity uniform.
"""

from torch import Tensor, nn

from stages.nn.projections.sparsemax import sparsemax


class Sparsegen(nn.Module):
    """`strength` is lambda."""

    def __init__(self, strength: float) -> None:
        super().__init__()
        self.rate = 1 / (1 - strength)

    def forward(self, scores: Tensor, mask: Tensor, frozen: Tensor | None) -> Tensor:
        """Weights (B, T)."""
        return sparsemax(scores * self.rate, mask)
