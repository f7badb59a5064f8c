"""Attention as different as possible with the same output (Jain & Wallace 2019, section 4.5).

For every document k candidates at once minimise
  sum_k [ -JSD(a_k, a) + penalty * relu(d_k - margin) ] - mean_{k,k'} JSD(a_k, a_k')
by AMSGrad on the logits of a_k, where d is the L1 change of the output. The gradients of the
divergences are written out; only that of the output is computed by autograd.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from stages.counterfactual.outputs import Outputs
from stages.settings.analyses import Adversarial
from stages.statistics.divergences import jensen_shannon, total_variation

FLOOR = 1e-30  # under logarithms; weights this small add nothing


@dataclass(frozen=True)
class Candidates:
    """Candidates for B documents, their divergence from the original and change of the output."""

    weights: Tensor  # (B, K, T)
    divergence: Tensor  # (B, K)
    change: Tensor  # (B, K) total variation
    best: Tensor  # (B, E) farthest of all iterates within each epsilon


@torch.no_grad()
def search(
    under: Outputs, original: Tensor, mask: Tensor, start: Tensor, options: Adversarial
) -> Candidates:
    """Candidates for original weights (B, T), from standard normal draws `start` (B, K, T)."""
    answer = under(original.unsqueeze(1))  # (B, 1, C)
    logits = (options.spread * start).masked_fill(~mask.unsqueeze(1), -torch.inf)
    optimizer = torch.optim.Adam([logits], options.learning_rate, amsgrad=True)
    best = torch.zeros(len(original), len(options.epsilons))
    for _ in range(options.steps):
        weights = logits.softmax(-1)  # (B, K, T)
        slope, change = _penalty(under, weights, answer, options)
        divergence_slope, divergence = _divergences(weights, original)
        _keep_best(best, divergence, change, options.epsilons)
        slope -= divergence_slope
        logits.grad = weights * (slope - (weights * slope).sum(-1, keepdim=True))
        optimizer.step()
    weights = logits.softmax(-1)
    divergence = jensen_shannon(weights, original.unsqueeze(1))
    change = total_variation(under(weights), answer)
    _keep_best(best, divergence, change, options.epsilons)
    return Candidates(weights, divergence, change, best)


def _penalty(
    under: Outputs, weights: Tensor, answer: Tensor, options: Adversarial
) -> tuple[Tensor, Tensor]:
    """Slope (B, K, T) of the penalty for changing the output, and that change (B, K)."""
    with torch.enable_grad():
        free = weights.detach().requires_grad_()
        outputs = under(free)
        moved = (outputs - answer).abs().sum(-1)  # (B, K)
        excess = options.penalty * (moved - options.margin).relu().sum()
        (slope,) = torch.autograd.grad(excess, free)
    return slope, total_variation(outputs.detach(), answer)


def _divergences(weights: Tensor, original: Tensor) -> tuple[Tensor, Tensor]:
    """Slope (B, K, T) of the divergences from the original and each other; the former (B, K).

    The slope of JSD(a, b) along a is log(a / m) / 2 with m = (a + b) / 2; each pair of candidates
    appears twice in the mean over the K x K grid.
    """
    count = weights.shape[1]
    logs, original = _log(weights), original.unsqueeze(1)
    middle = _log((weights + original) / 2)
    ratio = logs - middle
    divergence = ((weights * ratio).sum(-1) + (original * (_log(original) - middle)).sum(-1)) / 2
    one, other = torch.tril_indices(count, count, -1)  # (P,) of each pair
    middles = _log((weights[:, one] + weights[:, other]) / 2)  # (B, P, T)
    total = torch.zeros_like(weights).index_add_(1, one, middles).index_add_(1, other, middles)
    return ratio / 2 + ((count - 1) * logs - total) / count**2, divergence


def _log(values: Tensor) -> Tensor:
    return values.clamp(min=FLOOR).log()


def _keep_best(
    best: Tensor, divergence: Tensor, change: Tensor, epsilons: tuple[float, ...]
) -> None:
    """Raise `best` (B, E) to the farthest candidate that keeps the output within epsilon."""
    for place, epsilon in enumerate(epsilons):
        allowed = torch.where(change <= epsilon, divergence, 0)
        best[:, place] = torch.maximum(best[:, place], allowed.amax(1))


def epsilon_max(candidates: Candidates, epsilon: float) -> Tensor:
    """The largest divergence (B,) among last candidates within epsilon; 0 where there is none."""
    return torch.where(candidates.change <= epsilon, candidates.divergence, 0).amax(1)
