"""Base class of the LSTM and GRU encoders: both directions over padded batches.

Packed sequences copy the whole batch at every step of the backward pass, which is slow on a CPU.
Instead each direction is a layer of its own, and the backward one reads every document reversed
within its length: padding always comes last, so it does not reach any real state. Both run side by
side through kernels/recurrence.py; dtypes other than float32 use torch's own layers.
"""

import torch
from torch import Tensor, nn
from torch.nn.functional import embedding, linear

from stages.nn.kernels.recurrence import GRUFunction, LSTMFunction
from stages.nn.typed import Typed


class Recurrent(Typed):
    """One layer per direction; states at padded positions are zero."""

    def __init__(self, forwards: nn.RNNBase, backwards: nn.RNNBase) -> None:
        super().__init__()
        self.forwards, self.backwards = forwards, backwards
        self.size = 2 * forwards.hidden_size

    def project(self, embedded: Tensor) -> Tensor:
        """Input part of the gates of both directions (N, 2G) of tokens (N, E)."""
        biases = self._both("bias_ih_l0")
        if isinstance(self.forwards, nn.LSTM):
            biases = [
                input_bias + hidden_bias
                for input_bias, hidden_bias in zip(biases, self._both("bias_hh_l0"), strict=True)
            ]
        return linear(embedded, torch.cat(self._both("weight_ih_l0")), torch.cat(biases))

    def combine(
        self, projected: Tensor, places: Tensor, lengths: Tensor, mask: Tensor
    ) -> tuple[Tensor, Tensor]:
        """States (B, T, H) and the last state of each direction, concatenated (B, H)."""
        mirrored, _ = _mirrored(lengths, places.shape[1])
        both = torch.stack([places, places.gather(1, mirrored)]).transpose(1, 2)  # (2, T, B)
        rows = 2 * both + torch.arange(2)[:, None, None]
        inputs = embedding(rows, projected.view(2 * len(projected), -1))  # (2, T, B, G)
        weight = torch.stack(self._both("weight_hh_l0"))
        if isinstance(self.forwards, nn.LSTM):
            states = LSTMFunction.apply(inputs, weight)
        else:
            states = GRUFunction.apply(inputs, weight, torch.stack(self._both("bias_hh_l0")))
        ahead, behind = states.transpose(1, 2)  # (B, T, H / 2) each
        return _joined(ahead, behind, lengths)

    def _both(self, name: str) -> list[Tensor]:
        """A parameter of each direction."""
        return [getattr(layer, name) for layer in (self.forwards, self.backwards)]

    def forward(self, embedded: Tensor, lengths: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """States (B, T, H) and the last state of each direction, concatenated (B, H)."""
        if embedded.dtype == torch.float32:
            return super().forward(embedded, lengths, mask)
        mirrored, _ = _mirrored(lengths, embedded.shape[1])
        ahead, _ = self.forwards(embedded)
        behind, _ = self.backwards(_gathered(embedded, mirrored))
        return _joined(ahead, behind, lengths)


def _mirrored(lengths: Tensor, width: int) -> tuple[Tensor, Tensor]:
    """Mirror image of each position within its document (B, T); true where not padding (B, T)."""
    ends, places = lengths.unsqueeze(-1), torch.arange(width)
    real = places < ends
    return torch.where(real, ends - 1 - places, places), real


def _joined(ahead: Tensor, behind: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    """States and summary of both directions (B, T, H / 2), of which `behind` is mirrored."""
    mirrored, real = _mirrored(lengths, ahead.shape[1])
    last = (lengths.unsqueeze(-1) - 1).clamp(min=0)
    summary = torch.cat([_gathered(ahead, last), _gathered(behind, last)], -1).squeeze(1)
    states = torch.cat([ahead, _gathered(behind, mirrored)], -1)
    return states * real.unsqueeze(-1), summary


def _gathered(states: Tensor, places: Tensor) -> Tensor:
    """states[b, places[b]] (B, P, H)."""
    return states.gather(1, places.unsqueeze(-1).expand(-1, -1, states.shape[-1]))
