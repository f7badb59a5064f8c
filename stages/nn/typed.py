"""Encoders whose first layer sees each token alone: a batch needs it once per type, not per token.

A review repeats half of its words and a batch of them most; the first layer from 300 dimensions is
the larger part of a small model's work.
"""

import torch
from torch import Tensor, nn


class Typed(nn.Module):
    """`project` is made of single tokens, `combine` of the projected tokens of documents."""

    size: int

    def project(self, embedded: Tensor) -> Tensor:
        """(N, E) to (N, P)."""
        raise NotImplementedError

    def combine(
        self, projected: Tensor, places: Tensor, lengths: Tensor, mask: Tensor
    ) -> tuple[Tensor, Tensor]:
        """States (B, T, H) and summary (B, H); token (b, t) is row `places[b, t]` of projected."""
        raise NotImplementedError

    def forward(self, embedded: Tensor, lengths: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """States (B, T, H) and summary (B, H) of embedded documents (B, T, E)."""
        batch, width, _ = embedded.shape
        places = torch.arange(batch * width).view(batch, width)
        return self.combine(self.project(embedded.flatten(0, 1)), places, lengths, mask)
