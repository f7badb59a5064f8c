"""Parallel convolutions of several widths (Jain & Wallace 2019: 1, 3, 5, 7)."""

import torch
from torch import Tensor, nn


class Part(nn.Module):
    """`filters` of each width, side by side; zero where attention may not rest."""

    def __init__(self, width: int, filters: int, kernels: tuple[int, ...]) -> None:
        super().__init__()
        self.convolutions = nn.ModuleList(
            nn.Conv1d(width, filters, kernel, padding=(kernel - 1) // 2) for kernel in kernels
        )
        self.size = filters * len(kernels)

    def forward(self, embedded: Tensor, lengths: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """States (B, T, H) after ReLU; their maximum over time (B, H)."""
        over_time = embedded.transpose(1, 2)  # (B, E, T)
        joined = torch.cat([convolve(over_time) for convolve in self.convolutions], 1)
        states = joined.relu().transpose(1, 2) * mask.unsqueeze(-1)
        return states, states.amax(1)
