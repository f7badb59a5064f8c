"""Weights given from outside: another model's attention (Wiegreffe & Pinter 2019)."""

from torch import Tensor, nn


class Part(nn.Module):
    """The inputs carry the weights; the scores play no role."""

    def forward(self, scores: Tensor, mask: Tensor, given: Tensor | None) -> Tensor:
        """Weights (B, T)."""
        if given is None:
            raise ValueError("frozen attention needs inputs that carry weights")
        return given
