"""Losses of retrained adversaries: keep the base's outputs, move away from its attention.

Amini & Kosseim 2022, section 3: sTVD - sJSD, both scaled to [0, 1]. Wiegreffe & Pinter 2019,
section 4: TVD - strength * KL(attention || base's), over real tokens only; where the base is sparse
KL is infinite and the Jensen-Shannon divergence replaces it.
"""

from dataclasses import dataclass
from typing import Literal

from torch import Tensor

from stages.statistics.attefa import LARGEST
from stages.statistics.divergences import smoothed_relative, total_variation


@dataclass(frozen=True)
class Objective:
    """The loss of a document; `strength` is lambda."""

    loss: Literal["bounded", "swept"]
    strength: float | Tensor = 1.0
    sparse: bool = False  # whether the base has weights of zero

    def of(
        self, outputs: Tensor, base_outputs: Tensor, weights: Tensor, base_weights: Tensor
    ) -> Tensor:
        """Losses (..., B) of outputs (..., B, C) and weights (..., B, T), zero at padding."""
        change = total_variation(outputs, base_outputs)
        if self.loss == "bounded":
            return change - smoothed_jensen_shannon(weights, base_weights) / LARGEST
        # half the distance of a single probability, as in the released code
        change = change / 2 if outputs.shape[-1] == 1 else change
        divergence = smoothed_jensen_shannon if self.sparse else smoothed_relative
        return change - self.strength * divergence(weights, base_weights)


def smoothed_jensen_shannon(p: Tensor, q: Tensor) -> Tensor:
    """Jensen-Shannon divergence whose slope stays finite where a weight is zero."""
    middle = (p + q) / 2
    return (smoothed_relative(p, middle) + smoothed_relative(q, middle)) / 2
