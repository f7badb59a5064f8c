"""Integrated gradients (Sundararajan et al. 2017) from the zero vector, as captum computes them.

Gauss-Legendre points: for a smooth path a few of them are as exact as fifty equal steps.
"""

import numpy as np
import torch
from torch import Tensor

from stages.nn.attention import AttentionModel
from stages.nn.inputs import Inputs


def integrated_gradients(
    model: AttentionModel, inputs: Inputs, points: int
) -> tuple[Tensor, Tensor]:
    """Attributions (B, T) with their sign, and the gap (B,) to p(text) - p(zero vectors).

    Tokens outside the mask are on the path, but their attributions are set to zero.
    """
    places, shares = (torch.from_numpy(v) for v in np.polynomial.legendre.leggauss(points))
    embedded = model.embedding(inputs.tokens).detach()  # (B, T, E)
    with torch.no_grad():
        whole = model(inputs).logits
        answers = model.decision(whole)
        zero = model.answer(model.encode_embedded(embedded * 0, inputs)).logits
        difference = model.probability(whole, answers) - model.probability(zero, answers)
    total = torch.zeros_like(embedded)
    for place, share in zip(places.tolist(), shares.tolist(), strict=True):
        scaled = (embedded * (place + 1) / 2).requires_grad_()
        logits = model.answer(model.encode_embedded(scaled, inputs)).logits
        chosen = model.probability(logits, answers).sum()
        total += share / 2 * torch.autograd.grad(chosen, scaled)[0]
    attributions = (total * embedded).sum(-1)  # (B, T)
    return attributions * inputs.mask, (attributions.sum(1) - difference).abs()
