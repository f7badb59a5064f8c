"""Optimisers as the papers set them, with weight decay by group of parameters."""

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn

from stages.settings.studies import Training


def groups(parameters: Iterable[tuple[str, Tensor]], training: Training) -> list[dict[str, Any]]:
    """Parameters by what they belong to, each group with its own weight decay."""
    sorted_out: dict[float, list[Tensor]] = {}
    for name, parameter in parameters:
        sorted_out.setdefault(_decay(name, training), []).append(parameter)
    return [{"params": found, "weight_decay": decay} for decay, found in sorted_out.items()]


def _decay(name: str, training: Training) -> float:
    decay = training.weight_decay
    if "embedding" in name:
        return decay.embedding
    if "score.layer" in name:
        return decay.encoder  # the layer that Sun & Lu's AD adds
    if name.startswith("score") or ".score" in name:
        return decay.attention
    return decay.head if name.startswith("head") else decay.encoder


def optimizer(
    parameters: Iterable[tuple[str, Tensor]], training: Training
) -> torch.optim.Optimizer:
    """Fused Adam (AMSGrad where the paper has it), Adagrad or plain gradient descent."""
    grouped, rate = groups(parameters, training), training.learning_rate
    match training.optimizer:
        case "adam" | "amsgrad":
            amsgrad = training.optimizer == "amsgrad"
            return torch.optim.Adam(grouped, rate, amsgrad=amsgrad, fused=True)
        case "adagrad":
            return torch.optim.Adagrad(grouped, rate, lr_decay=training.rate_decay, fused=True)
        case "sgd":
            return torch.optim.SGD(grouped, rate, fused=True)


def losses(logits: Tensor, labels: Tensor, weights: Tensor) -> Tensor:
    """Loss of each document (B,): binary cross-entropy of one logit, cross-entropy of several.

    `weights` (C,) are the classes' weights.
    """
    if logits.shape[-1] == 1:
        plain = nn.functional.binary_cross_entropy_with_logits(
            logits.squeeze(-1), labels.to(logits.dtype), reduction="none"
        )
    else:
        plain = nn.functional.cross_entropy(logits, labels, reduction="none")
    return plain * weights[labels]
