"""Parallel convolutions of several widths (Jain & Wallace 2019: 1, 3, 5, 7)."""

import torch
from torch import Tensor, nn
from torch.nn.functional import embedding, pad

from stages.nn.typed import Typed


class CNN(Typed):
    """`filters` of each width, side by side; zero outside the mask."""

    affine = True

    def __init__(self, width: int, filters: int, kernels: tuple[int, ...]) -> None:
        super().__init__()
        self.convolutions = nn.ModuleList(
            nn.Conv1d(width, filters, kernel, padding=(kernel - 1) // 2) for kernel in kernels
        )
        self.size = filters * len(kernels)

    def project(self, embedded: Tensor) -> Tensor:
        """Each token (N, E) times every offset of every filter (N, sum of kernels * filters)."""
        flat = [c.weight.permute(2, 0, 1).flatten(0, 1) for c in self._each()]  # (k * F, E)
        return embedded @ torch.cat(flat).T

    def combine(
        self, projected: Tensor, places: Tensor, lengths: Tensor, mask: Tensor
    ) -> tuple[Tensor, Tensor]:
        """States (B, T, H) after ReLU; their maximum over time (B, H)."""
        filters, width = self._each()[0].out_channels, places.shape[1]
        tokens = embedding(places, projected)
        outputs, start = [], 0
        for convolution in self._each():
            kernel = convolution.kernel_size[0]
            edge = (kernel - 1) // 2
            block = tokens[..., start : start + kernel * filters]
            by_offset = pad(block, (0, 0, edge, edge)).split(filters, -1)  # k times (B, T + 2e, F)
            shifted = [by_offset[k][:, k : k + width] for k in range(kernel)]
            assert convolution.bias is not None
            outputs.append(torch.stack(shifted).sum(0) + convolution.bias)
            start += kernel * filters
        states = torch.cat(outputs, -1).relu() * mask.unsqueeze(-1)
        return states, states.amax(1)

    def _each(self) -> list[nn.Conv1d]:
        return list(self.convolutions)  # type: ignore[arg-type]
