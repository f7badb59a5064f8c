"""Softmax attention without a stretch of the text, from running sums, for all stretches at once.

Sums before and behind every place are computed once, in float64, so that no small remainder is the
difference of two large numbers.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

LEAST = 1e-250  # of the largest weight: the smallest remainder that is safe from underflow


@dataclass(frozen=True)
class SoftmaxSums:
    """Running sums over the documents of a batch, to pool everything beyond `reach` of a place."""

    highest: Tensor  # (B, 1) score that all weights are relative to
    before: Tensor  # (B, T + 1, 1 + H) sums over places before one, of weights and weighted states
    behind: Tensor  # (B, T + 1, 1 + H) over that place and all after it
    reach: int
    dtype: torch.dtype  # of the states

    @classmethod
    def of(cls, scores: Tensor, states: Tensor, mask: Tensor, reach: int) -> "SoftmaxSums":
        """From scores (B, T), states (B, T, H) and the mask (B, T) of attention."""
        scores = scores.double().masked_fill(~mask, -torch.inf)
        highest = scores.amax(1, keepdim=True)
        weights = (scores - highest).exp().unsqueeze(-1)  # (B, T, 1)
        terms = torch.cat([weights, weights * states], -1)
        zero = torch.zeros_like(terms[:, :1])
        before = torch.cat([zero, terms.cumsum(1)], 1)
        behind = torch.cat([terms.flip(1).cumsum(1).flip(1), zero], 1)
        return cls(highest, before, behind, reach, states.dtype)

    def pooled(
        self,
        documents: Tensor,
        places: Tensor,
        scores: Tensor | None = None,
        states: Tensor | None = None,
    ) -> Tensor | None:
        """Pooled states (P, H) of what is beyond reach and of new states (P, N, H), scored (P, N).

        None if the weight that is left in some document has underflowed.
        """
        first = (places - self.reach).clamp(min=0)
        last = (places + self.reach + 1).clamp(max=self.before.shape[1] - 1)
        total = self.before[documents, first] + self.behind[documents, last]  # (P, 1 + H)
        if scores is not None and states is not None:
            weights = (scores.double() - self.highest[documents]).exp().unsqueeze(1)  # (P, 1, N)
            total[:, :1] += weights.sum(-1)
            total[:, 1:] += (weights @ states.double()).squeeze(1)
        if not (total[:, 0] > LEAST).all():
            return None
        return (total[:, 1:] / total[:, :1]).to(self.dtype)
