"""What the LSTM and GRU encoders share: both directions over padded batches.

Packed sequences cost a copy of the whole batch per step in the backward pass, five times slower on
a CPU. Instead each direction is a layer of its own, and the backward one reads every document
reversed within its length: padding always comes last, so no real state ever sees it.
"""

import torch
from torch import Tensor, nn


class Recurrent(nn.Module):
    """One layer per direction; padded positions come out as zeros."""

    def __init__(self, forwards: nn.RNNBase, backwards: nn.RNNBase) -> None:
        super().__init__()
        self.forwards, self.backwards = forwards, backwards
        self.size = 2 * forwards.hidden_size

    def forward(self, embedded: Tensor, lengths: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """States (B, T, H) and the last state of each direction, joined (B, H)."""
        ends = lengths.unsqueeze(-1)  # (B, 1)
        places = torch.arange(embedded.shape[1])
        real = places < ends  # (B, T)
        mirrored = torch.where(real, ends - 1 - places, places)
        ahead, _ = self.forwards(embedded)
        behind, _ = self.backwards(_taken(embedded, mirrored))
        last = (ends - 1).clamp(min=0)
        summary = torch.cat([_taken(ahead, last), _taken(behind, last)], -1).squeeze(1)
        states = torch.cat([ahead, _taken(behind, mirrored)], -1)
        return states * real.unsqueeze(-1), summary


def _taken(states: Tensor, places: Tensor) -> Tensor:
    """states[b, places[b]] (B, P, H)."""
    return states.gather(1, places.unsqueeze(-1).expand(-1, -1, states.shape[-1]))
