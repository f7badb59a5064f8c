"""What a retrained adversary minimises: keep the base's outputs, move its attention away.

Amini & Kosseim 2022, section 3: sTVD - sJSD, both scaled to [0, 1]. Wiegreffe & Pinter 2019,
section 4: TVD - strength * KL(attention || base's), over real tokens only; where the base is sparse
KL is infinite and the Jensen-Shannon divergence stands for it.
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

    def of(self, said: Tensor, base_said: Tensor, weights: Tensor, base_weights: Tensor) -> Tensor:
        """Losses (..., B) of outputs (..., B, C) under weights (..., B, T), zero at no token."""
        change = total_variation(said, base_said)
        if self.loss == "bounded":
            return change - smoothed_jensen_shannon(weights, base_weights) / LARGEST
        # half the distance of a single probability, as in the released code
        change = change / 2 if said.shape[-1] == 1 else change
        away = smoothed_jensen_shannon if self.sparse else smoothed_relative
        return change - self.strength * away(weights, base_weights)


def smoothed_jensen_shannon(p: Tensor, q: Tensor) -> Tensor:
    """Jensen-Shannon divergence whose slope stays finite where a weight is zero."""
    middle = (p + q) / 2
    return (smoothed_relative(p, middle) + smoothed_relative(q, middle)) / 2
