"""v . tanh(W h + b), for pairs v . tanh(W h + b + U q + c) (Bahdanau; all five papers' choice).

Jain & Wallace 2019: W maps to half the state size. Serrano & Smith 2019: to the same size.
"""

import torch
from torch import Tensor, nn


class Additive(nn.Module):
    """`divisor` is the state size over the inner size."""

    def __init__(self, size: int, pair: bool, divisor: int) -> None:
        super().__init__()
        self.of_state = nn.Linear(size, size // divisor)
        self.of_query = nn.Linear(size, size // divisor) if pair else None
        self.vector = nn.Linear(size // divisor, 1, bias=False)

    def forward(self, states: Tensor, query: Tensor | None) -> Tensor:
        """Scores (B, T)."""
        inner = self.of_state(states)
        if self.of_query is not None:
            inner = inner + self.of_query(query).unsqueeze(-2)
        return self.vector(torch.tanh(inner)).squeeze(-1)
