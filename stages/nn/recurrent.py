"""Base class of the LSTM and GRU encoders: both directions over padded batches.

Each direction is a layer of its own; both run side by side through kernels/recurrence.py. Packed
sequences copy the whole batch at every step of the backward pass, which is slow on a CPU.
"""

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from stages.nn.kernels.recurrence import GRUFunction, LSTMFunction
from stages.nn.typed import Typed


class Recurrent(Typed):
    """One layer per direction; states at padded positions are zero."""

    affine = True

    def __init__(self, forwards: nn.RNNBase, backwards: nn.RNNBase) -> None:
        super().__init__()
        self.forwards, self.backwards = forwards, backwards
        self.size = 2 * forwards.hidden_size

    def project(self, embedded: Tensor) -> Tensor:
        """Input part of the gates of both directions (N, 2G) of tokens (N, E)."""
        bias = torch.cat(self.both("bias_ih_l0"))
        if isinstance(self.forwards, nn.LSTM):
            bias = bias + torch.cat(self.both("bias_hh_l0"))
        return linear(embedded, torch.cat(self.both("weight_ih_l0")), bias)

    def combine(
        self, projected: Tensor, places: Tensor, lengths: Tensor, mask: Tensor
    ) -> tuple[Tensor, Tensor]:
        """States (B, T, H) and the last state of each direction, concatenated (B, H)."""
        parameters = [torch.stack(self.both("weight_hh_l0"))]
        if isinstance(self.forwards, nn.LSTM):
            states = LSTMFunction.apply(projected, *parameters, places, lengths)
        else:
            parameters.append(torch.stack(self.both("bias_hh_l0")))
            states = GRUFunction.apply(projected, *parameters, places, lengths)
        return states, _summary(states, lengths)

    def both(self, name: str) -> list[Tensor]:
        """A parameter of each direction."""
        return [getattr(layer, name) for layer in (self.forwards, self.backwards)]


def _summary(states: Tensor, lengths: Tensor) -> Tensor:
    """Last state of each direction (B, H), at the end and the beginning of the text."""
    ahead, behind = states.chunk(2, -1)
    last = (lengths - 1).clamp(min=0)
    return torch.cat([ahead[torch.arange(len(ahead)), last], behind[:, 0]], -1)
