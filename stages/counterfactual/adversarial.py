"""Attention as different as possible with the same output (Jain & Wallace 2019, section 4.5).

For every document k candidates at once minimise
  sum_k [ -JSD(a_k, a) + penalty * relu(d_k - margin) ] - mean_{k,k'} JSD(a_k, a_k')
by AMSGrad on the logits of a_k, where d is the L1 change of the output. Steps are compiled; only
with a head that is not linear autograd computes the gradient of the penalty.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import pad

from stages.counterfactual.adversarial_steps import MASKED, Rule, move, search_linear
from stages.counterfactual.outputs import Outputs, outputs_under
from stages.nn.attention import AttentionModel
from stages.nn.inputs import Output
from stages.settings.analyses import Adversarial
from stages.statistics.divergences import jensen_shannon, total_variation

VECTOR = 16  # numbers in a vector register; compiled loops over other widths end slowly


@dataclass(frozen=True)
class Candidates:
    """Candidates for B documents, their divergence from the original and change of the output."""

    weights: Tensor  # (B, K, T)
    outputs: Tensor  # (B, K, C)
    divergence: Tensor  # (B, K)
    change: Tensor  # (B, K) total variation
    best: Tensor  # (B, E) farthest of all iterates within each epsilon

    def farthest(self, epsilon: float) -> Tensor:
        """The largest divergence (B,) of a candidate within epsilon; 0 where there is none."""
        return torch.where(self.change <= epsilon, self.divergence, 0).amax(1)


@torch.no_grad()
def search(
    model: AttentionModel, output: Output, start: Tensor, options: Adversarial
) -> Candidates:
    """Candidates for a model's output, from standard normal draws `start` (B, K, T)."""
    original, mask = output.weights, output.encoded.mask.unsqueeze(1)  # (B, T), (B, 1, T)
    under = outputs_under(model, output.encoded)
    answer = under(original.unsqueeze(1))  # (B, 1, C)
    logits = (options.spread * start).masked_fill(~mask, MASKED)
    best = torch.zeros(len(original), len(options.epsilons))
    epsilons = np.array(options.epsilons, np.float32)
    rule = Rule(options.steps, options.learning_rate, options.penalty, options.margin, epsilons)
    if model.head.linear:
        evidence, bias = model.evidence(output.encoded)
        spare = (0, -start.shape[-1] % VECTOR)
        logits = pad(logits, spare, value=MASKED).contiguous()  # moved in place
        by_class = pad(evidence.transpose(1, 2), spare)  # (B, C, T)
        tensors = logits, pad(original, spare), by_class, bias, answer.squeeze(1)
        arrays: Any = [tensor.detach().contiguous().numpy() for tensor in tensors]
        search_linear(*arrays, rule, best.numpy())  # type: ignore[call-arg]
        logits = logits[..., : start.shape[-1]]
    else:
        _search_by_autograd(under, logits, original, answer, rule, best)
    weights = logits.softmax(-1)
    outputs, divergence = under(weights), jensen_shannon(weights, original.unsqueeze(1))
    candidates = Candidates(weights, outputs, divergence, total_variation(outputs, answer), best)
    last = torch.stack([candidates.farthest(epsilon) for epsilon in options.epsilons], 1)
    torch.maximum(best, last, out=best)
    return candidates


def _search_by_autograd(
    under: Outputs, logits: Tensor, original: Tensor, answer: Tensor, rule: Rule, best: Tensor
) -> None:
    """All steps on the logits (B, K, T), in place, for any head."""
    documents, *shape = logits.shape
    moments = np.zeros((documents, 3, *shape), np.float32)
    for step in range(rule.steps):
        weights = logits.softmax(-1)
        with torch.enable_grad():
            outputs = under(weights.requires_grad_())
            moved = (outputs - answer).abs().sum(-1)  # (B, K)
            (slope,) = torch.autograd.grad((moved - rule.margin).relu().sum(), weights)
        change = total_variation(outputs.detach(), answer)
        tensors = logits, weights, original, rule.penalty * slope, change
        arrays: Any = [tensor.detach().numpy() for tensor in tensors]
        move(*arrays, moments, step, rule, best.numpy())  # type: ignore[call-arg]
