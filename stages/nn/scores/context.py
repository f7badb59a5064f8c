"""V . h / lambda, V drawn from N(0, 1) (Sun & Lu 2020, DP); with a tanh layer before it, AD."""

import torch
from torch import Tensor, nn


class Context(nn.Module):
    """`scale` is lambda; `layer` puts tanh(M h + b) before the vector."""

    def __init__(self, size: int, scale: float, layer: bool = False) -> None:
        super().__init__()
        self.vector = nn.Parameter(torch.randn(size))
        self.layer = nn.Linear(size, size) if layer else None
        self.scale: Tensor
        # a buffer, stored with the weights
        self.register_buffer("scale", torch.tensor(float(scale)))

    def forward(self, states: Tensor, query: Tensor | None) -> Tensor:
        """Scores (B, T)."""
        inner = states if self.layer is None else torch.tanh(self.layer(states))
        return inner @ self.vector / self.scale
