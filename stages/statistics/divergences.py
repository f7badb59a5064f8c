"""Distances between outputs and between attentions (Jain & Wallace 2019, section 3).

Natural logarithms: the Jensen-Shannon divergence lies between 0 and ln 2 = 0.693.
"""

import torch
from torch import Tensor

SMOOTHING = 1e-10  # under logarithms (Amini & Kosseim 2022)


def total_variation(p: Tensor, q: Tensor) -> Tensor:
    """Half the L1 distance over the last axis; |p - q| for a single sigmoid output."""
    gap = (p - q).abs()
    return gap.squeeze(-1) if gap.shape[-1] == 1 else gap.sum(-1) / 2


def jensen_shannon(p: Tensor, q: Tensor) -> Tensor:
    """Divergence of distributions over the last axis; zeros are allowed on either side."""
    middle = (p + q) / 2
    return (_relative(p, middle) + _relative(q, middle)).clamp(min=0) / 2


def _relative(p: Tensor, q: Tensor) -> Tensor:
    """Kullback-Leibler divergence; q must be positive wherever p is."""
    return (torch.xlogy(p, p) - torch.xlogy(p, q)).sum(-1)


def smoothed_relative(p: Tensor, q: Tensor) -> Tensor:
    """Kullback-Leibler divergence over the last axis, finite even where q is zero."""
    return (p * ((p + SMOOTHING).log() - (q + SMOOTHING).log())).sum(-1)
