"""The two convolutions of Serrano & Smith 2019 (section 2.4): widths 3 and 5, dropout inside."""

import torch
from torch import Tensor, nn

from stages.nn.dropout import Dropout


class Conv(nn.Module):
    """Masked input, dropout, two convolutions, ReLU, joined, masked again."""

    def __init__(self, width: int, filters: int, dropout: float) -> None:
        super().__init__()
        self.dropout = Dropout(dropout)
        self.three = nn.Conv1d(width, filters, 3, padding=1)
        self.five = nn.Conv1d(width, filters, 5, padding=2)
        self.size = 2 * filters

    def forward(self, embedded: Tensor, lengths: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """States (B, T, H); their maximum over time (B, H)."""
        over_time = self.dropout(embedded * mask.unsqueeze(-1)).transpose(1, 2)
        joined = torch.cat([self.three(over_time), self.five(over_time)], 1)
        states = joined.relu().transpose(1, 2) * mask.unsqueeze(-1)
        return states, states.amax(1)
