"""Comprehensiveness and sufficiency of a ranking of tokens (DeYoung et al. 2020, ERASER).

How much probability the answer loses when the most important tokens are deleted (high is good for
the ranking), and when only they are kept (low is good); means over several shares of the text.
"""

import torch
from torch import Tensor

from stages.importance.removals import subset
from stages.nn.attention import AttentionModel
from stages.nn.inputs import Inputs


@torch.no_grad()
def faithfulness(
    model: AttentionModel, inputs: Inputs, importance: Tensor, shares: tuple[float, ...]
) -> tuple[Tensor, Tensor]:
    """Comprehensiveness (B,) and sufficiency (B,) of importance (B, T); ties go to the left."""
    whole = model(inputs).logits
    answers = model.decision(whole)
    before = model.probability(whole, answers)
    ranked = importance.masked_fill(~inputs.mask, -1).argsort(dim=1, descending=True, stable=True)
    rank = ranked.argsort(1)  # (B, T), 0 for the most important
    tokens = inputs.mask.sum(1)
    comprehensiveness, sufficiency = torch.zeros(len(before)), torch.zeros(len(before))
    for share in shares:
        top = rank < torch.ceil(share * tokens).unsqueeze(1)
        edges = ~inputs.mask & (torch.arange(top.shape[1]) < inputs.lengths.unsqueeze(1))
        without, alone = edges | (inputs.mask & ~top), edges | (inputs.mask & top)
        for kept, total in ((without, comprehensiveness), (alone, sufficiency)):
            total += before - model.probability(model(subset(inputs, kept)).logits, answers)
    return comprehensiveness / len(shares), sufficiency / len(shares)
