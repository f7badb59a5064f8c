"""Optimisers as the papers set them, with weight decay by group of parameters."""

from collections.abc import Iterable
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from stages.nn.kernels.rows import Longs, Rows
from stages.settings.studies import Training


def groups(parameters: Iterable[tuple[str, Tensor]], training: Training) -> list[dict[str, Any]]:
    """Parameter groups by weight decay, which depends on the part a parameter belongs to."""
    by_decay: dict[float, list[Tensor]] = {}
    for name, parameter in parameters:
        by_decay.setdefault(_decay(name, training), []).append(parameter)
    return [{"params": params, "weight_decay": decay} for decay, params in by_decay.items()]


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
    """Fused Adam (with AMSGrad if set), Adagrad or plain gradient descent."""
    grouped, rate = groups(parameters, training), training.learning_rate
    match training.optimizer:
        case "adam" | "amsgrad":
            amsgrad = training.optimizer == "amsgrad"
            return torch.optim.Adam(grouped, rate, amsgrad=amsgrad, fused=True)
        case "adagrad":
            return torch.optim.Adagrad(grouped, rate, lr_decay=training.rate_decay, fused=True)
        case "sgd":
            return torch.optim.SGD(grouped, rate, fused=True)


class Steps:
    """Training steps of one model: embeddings by rows (kernels/rows.py), the rest densely.

    A forward hook brings rows up to date whenever they are looked up.
    """

    def __init__(self, model: nn.Module, training: Training) -> None:
        self.model, self.training, self.rate = model, training, training.learning_rate
        self.tables: list[tuple[nn.Embedding, Rows]] = []
        if Rows.exact_for(training):
            modules = [module for module in model.modules() if isinstance(module, nn.Embedding)]
            self.tables = [(module, Rows(module.weight, training)) for module in modules]
        self.hooks = []
        for table, rows in self.tables:
            table.sparse = True
            self.hooks.append(table.register_forward_pre_hook(partial(_refresh, rows)))
        by_rows = {id(table.weight) for table, _ in self.tables}
        named = [(name, p) for name, p in model.named_parameters() if id(p) not in by_rows]
        self.parameters = [parameter for _, parameter in named]
        self.others = optimizer(named, training)

    def step(self, loss: Tensor) -> None:
        """Backward pass, clipping, and one step of all parameters."""
        for parameter in self.parameters:  # Optimizer.zero_grad takes longer than a small model
            parameter.grad = None
        loss.backward()
        of_rows = [_row_gradients(table) for table, _ in self.tables]
        if self.training.clip is not None:
            self._clip([*(p.grad for p in self.parameters), *(grad for _, grad in of_rows)])
        for group in self.others.param_groups:
            group["lr"] = self.rate
        self.others.step()
        for (_, rows), (ids, gradient) in zip(self.tables, of_rows, strict=True):
            rows.rate = self.rate
            rows.update(ids, gradient.numpy())

    def _clip(self, gradients: list[Tensor | None]) -> None:
        """Scales all gradients so that their joint norm is at most `clip`."""
        present = [gradient for gradient in gradients if gradient is not None]
        norm = torch.stack([gradient.norm() for gradient in present]).norm()
        factor = (self.training.clip / (norm + 1e-6)).clamp(max=1.0)
        for gradient in present:
            gradient *= factor

    def finish(self) -> None:
        """Brings every row up to date, before weights are read or the rate changes."""
        for _, rows in self.tables:
            rows.finish()

    def close(self) -> None:
        """Removes the hooks and sparse gradients from the embedding tables."""
        for (table, _), hook in zip(self.tables, self.hooks, strict=True):
            table.sparse = False
            hook.remove()


def _refresh(rows: Rows, _: nn.Module, arguments: tuple[Tensor, ...]) -> None:
    rows.refresh(arguments[0].flatten().numpy())


def _row_gradients(table: nn.Embedding) -> tuple[Longs, Tensor]:
    """Row numbers (n,) and gradients (n, E) of the last backward pass; clears the gradient."""
    gradient, table.weight.grad = table.weight.grad, None
    assert gradient is not None
    ids = gradient._indices()[0]
    if (ids.diff() <= 0).any():  # rows that were looked up more than once
        gradient = gradient.coalesce()
    return gradient._indices()[0].numpy(), gradient._values()


def losses(logits: Tensor, labels: Tensor, weights: Tensor) -> Tensor:
    """Loss of each document (B,): binary cross-entropy of one logit, cross-entropy of several.

    `weights` (C,) are class weights.
    """
    if logits.shape[-1] == 1:
        unweighted = nn.functional.binary_cross_entropy_with_logits(
            logits.squeeze(-1), labels.to(logits.dtype), reduction="none"
        )
    else:
        unweighted = nn.functional.cross_entropy(logits, labels, reduction="none")
    return unweighted * weights[labels]
