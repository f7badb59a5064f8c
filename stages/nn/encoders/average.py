"""No context: each token through one layer (Jain & Wallace's Average, Wiegreffe & Pinter's MLP)."""

import torch
from torch import Tensor, nn


class Part(nn.Module):
    """Linear E -> `hidden`, then tanh or relu; the summary is the mean over real positions."""

    without_context = True

    def __init__(self, width: int, hidden: int, activation: str) -> None:
        super().__init__()
        self.layer = nn.Linear(width, hidden)
        self.activation = {"tanh": torch.tanh, "relu": torch.relu}[activation]
        self.size = hidden

    def forward(self, embedded: Tensor, lengths: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """States (B, T, H); their mean over the document (B, H), which no padding can change."""
        states = self.activation(self.layer(embedded))
        real = torch.arange(states.shape[1]) < lengths.unsqueeze(-1)  # (B, T)
        summary = (states * real.unsqueeze(-1)).sum(1) / lengths.unsqueeze(-1).clamp(min=1)
        return states, summary
