"""Transformer encoder (Meister et al. 2021; the architecture is our assumption, their appendix B
is not available): linear to the model size, sinusoidal positions, post-norm layers."""

import math

import torch
from torch import Tensor, nn


class Transformer(nn.Module):
    """Self-attention always uses softmax; the configured projection is that of the pooling."""

    def __init__(
        self, width: int, size: int, layers: int, heads: int, feedforward: int, dropout: float
    ) -> None:
        super().__init__()
        self.size = size
        self.enter = nn.Linear(width, size)
        # the function, not its name: the name selects torch's "fast path", which is slower on a CPU
        layer = nn.TransformerEncoderLayer(
            size, heads, feedforward, dropout, activation=torch.relu, batch_first=True
        )
        self.layers = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)

    def forward(self, embedded: Tensor, lengths: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """States (B, T, H); the state of the first position (B, H)."""
        steps = torch.arange(embedded.shape[1])
        padding = steps >= lengths.unsqueeze(-1)  # (B, T), true at padding
        entered = self.enter(embedded) + positions(steps, self.size)
        states = self.layers(entered, src_key_padding_mask=padding)
        return states, states[:, 0]


def positions(steps: Tensor, size: int) -> Tensor:
    """Sines and cosines of decreasing frequency (T, size)."""
    rates = torch.exp(torch.arange(0, size, 2) * (-math.log(10000.0) / size))
    angles = steps.unsqueeze(-1) * rates  # (T, size / 2)
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(1)
