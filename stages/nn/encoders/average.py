"""One layer per token, no context (Jain & Wallace's Average, Wiegreffe & Pinter's MLP)."""

import torch
from torch import Tensor, nn
from torch.nn.functional import embedding

from stages.nn.typed import Typed


class Average(Typed):
    """Linear E -> `hidden`, then tanh or relu; the summary is the mean over real positions."""

    without_context = True

    def __init__(self, width: int, hidden: int, activation: str) -> None:
        super().__init__()
        self.layer = nn.Linear(width, hidden)
        self.activation = {"tanh": torch.tanh, "relu": torch.relu}[activation]
        self.size = hidden

    def project(self, embedded: Tensor) -> Tensor:
        """The state of each token."""
        return self.activation(self.layer(embedded))

    def combine(
        self, projected: Tensor, places: Tensor, lengths: Tensor, mask: Tensor
    ) -> tuple[Tensor, Tensor]:
        """States (B, T, H); their mean over the document (B, H), padding excluded."""
        states = embedding(places, projected)
        real = torch.arange(states.shape[1]) < lengths.unsqueeze(-1)  # (B, T)
        summary = (states * real.unsqueeze(-1)).sum(1) / lengths.unsqueeze(-1).clamp(min=1)
        return states, summary
