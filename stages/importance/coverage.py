"""How well the tokens with attention cover the tokens that matter (Meister et al. 2021, section 6).

A small, critical set of inputs would hold most of the importance that as many tokens can hold.
"""

import torch
from torch import Tensor

from stages.statistics.ranks import auc


def mass_of_top(values: Tensor, count: Tensor) -> Tensor:
    """Share (B,) of values (B, T), zero at padding, on the `count` (B,) largest; NaN if all are 0.

    No other set of as many tokens has more.
    """
    ordered = values.double().sort(descending=True).values
    first = torch.arange(values.shape[1]) < count.unsqueeze(1)
    return (ordered * first).sum(1) / ordered.sum(1)


def support_auc(values: Tensor, support: Tensor, mask: Tensor) -> Tensor:
    """P(a token with weight has a larger value than one without), ties half (B,).

    NaN where all tokens have weight.
    """
    shares = torch.full((len(values),), torch.nan, dtype=torch.float64)
    for row, (value, inside, other) in enumerate(
        zip(values, support, mask & ~support, strict=True)
    ):
        if inside.any() and other.any():
            one, rest = (value[chosen].double().numpy()[None] for chosen in (inside, other))
            shares[row] = auc(one, rest).item()
    return shares
