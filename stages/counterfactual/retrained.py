"""Adversaries trained from scratch to keep a model's outputs and move away from its attention.

Wiegreffe & Pinter 2019, section 4; Amini & Kosseim 2022, section 3. Labels are not used. Two epochs
of every adversary are kept: the best on dev and the best on test, which the papers choose. Each
search ends after `patience` epochs without improvement.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from stages.corpora.batching import Batch, Reader
from stages.counterfactual.objectives import Objective
from stages.nn.answers import BATCH, Answers
from stages.nn.attention import AttentionModel
from stages.nn.inputs import Inputs
from stages.nn.optimizers import Steps
from stages.nn.training import Weights, check_finite
from stages.settings.studies import Training
from stages.statistics.divergences import jensen_shannon, total_variation

SELECTING = ("dev", "test")


@dataclass(frozen=True)
class Evaluation:
    """An adversary on N documents, in the order of the reader's rows."""

    probabilities: NDArray[np.float64]  # (N, C)
    change: NDArray[np.float64]  # (N,) scaled total variation from the base
    divergence: NDArray[np.float64]  # (N,) Jensen-Shannon from the base's attention
    loss: NDArray[np.float64]  # (N,)


@dataclass
class BestEpoch:
    """The best epoch on one split, with the adversary's evaluation on test."""

    patience: int
    loss: float = np.inf
    epoch: int = 0
    waited: int = 0
    test: Evaluation = field(init=False)  # the first epoch always improves on an infinite loss
    weights: Weights = field(default_factory=dict)

    @property
    def over(self) -> bool:
        """Whether patience has run out."""
        return self.waited >= self.patience

    def offer(self, loss: float, epoch: int, test: Evaluation) -> bool:
        """Keep the epoch if it is the best so far and patience has not run out."""
        if self.over or not loss < self.loss:
            self.waited += 1
            return False
        self.loss, self.epoch, self.waited, self.test = loss, epoch, 0, test
        return True


@dataclass
class AdversaryRun:
    """One trained adversary: the best epoch by each selecting split, and values by epoch."""

    best: dict[str, BestEpoch]
    history: list[dict[str, float]] = field(default_factory=list)


class Adversaries(Protocol):
    """One or several adversaries, each trained on its own batches."""

    count: int

    def freeze_attention(self, frozen: bool) -> None:
        """Exclude the parameters of attention from training, or include them."""

    def train_epoch(self, number: int, draws: Sequence[np.random.Generator]) -> None:
        """One pass over the training documents; a draw for each adversary shuffles its batches."""

    def evaluate(self, split: str) -> list[Evaluation]:
        """Every adversary on a split."""

    def weights(self, run: int) -> Weights:
        """One adversary's weights, named as in its model."""


def retrained(
    adversaries: Adversaries,
    epochs: int,
    patience: int,
    draws: Sequence[np.random.Generator],
    hold: int = 0,
) -> list[AdversaryRun]:
    """Train until patience has run out for every adversary, at most for `epochs`.

    For the first `hold` epochs attention keeps its initial, nearly uniform weights and only the
    outputs are learnt: if attention moves first, adversaries seldom reach the base's outputs. The
    weights of the best epoch on dev are kept only for an adversary that is trained on its own.
    """
    runs = [
        AdversaryRun({split: BestEpoch(patience) for split in SELECTING})
        for _ in range(adversaries.count)
    ]
    for epoch in range(1, epochs + 1):
        adversaries.freeze_attention(epoch <= hold)
        adversaries.train_epoch(epoch, draws)
        evaluations = {split: adversaries.evaluate(split) for split in SELECTING}
        for number, run in enumerate(runs):
            test = evaluations["test"][number]
            row = {"epoch": float(epoch)}
            for split, best in run.best.items():
                loss = float(evaluations[split][number].loss.mean())
                row[f"{split}_loss"] = loss
                if best.offer(loss, epoch, test) and split == "dev" and adversaries.count == 1:
                    weights = adversaries.weights(number)
                    best.weights = {name: value.clone() for name, value in weights.items()}
            row |= {"change": float(test.change.mean()), "jsd": float(test.divergence.mean())}
            run.history.append(row)
        if all(best.over for run in runs for best in run.best.values()):
            break
    return runs


def compared(
    objective: Objective, outputs: Tensor, base_outputs: Tensor, weights: Tensor, base: Tensor
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Fields of `Evaluation` from outputs (..., B, C) and weights (..., B, T) of both models."""
    change = total_variation(outputs, base_outputs)
    divergence = jensen_shannon(weights.double(), base.double())
    return outputs, change, divergence, objective.of(outputs, base_outputs, weights, base)


class SingleAdversary:
    """One adversary of any flat model; the readers' batches carry the base's attention."""

    count = 1

    def __init__(
        self,
        name: str,
        model: AttentionModel,
        readers: Mapping[str, Reader],
        base: Mapping[str, Answers],
        training: Training,
        objective: Objective,
    ) -> None:
        self.name, self.model, self.readers, self.base = name, model, readers, base
        self.training, self.objective = training, objective
        self.steps = Steps(model, training)
        for split, reader in readers.items():
            reader.weights = base[split].weights

    def freeze_attention(self, frozen: bool) -> None:
        """The optimiser does not change parameters without a gradient."""
        self.model.score.requires_grad_(not frozen)

    def train_epoch(self, number: int, draws: Sequence[np.random.Generator]) -> None:
        """One pass over the training documents."""
        (draw,) = draws
        self.model.train()
        options = (self.training.batch, draw, self.training.length_jitter, self.training.cap)
        for place, batch in enumerate(self.readers["train"].batches(*options), 1):
            loss = self.objective.of(*self._outputs("train", batch)).mean()
            check_finite(loss, self.name, number, place, self.steps.rate)
            self.steps.step(loss)
        self.steps.finish()

    def _outputs(self, split: str, batch: Batch) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Outputs of adversary and base (B, C), weights of adversary and base (B, T)."""
        inputs = Inputs.of(batch)
        output = self.model(inputs)
        assert inputs.weights is not None
        base_outputs = self.base[split].probabilities[torch.from_numpy(batch.rows)]
        outputs = self.model.probabilities(output.logits)
        return outputs, base_outputs, output.weights, inputs.weights

    @torch.no_grad()
    def evaluate(self, split: str) -> list[Evaluation]:
        """The adversary on a split."""
        self.model.eval()
        rows, parts = [], []
        for batch in self.readers[split].batches(BATCH):
            parts.append(compared(self.objective, *self._outputs(split, batch)))
            rows.append(batch.rows)
        order = np.argsort(np.concatenate(rows))
        joined = (torch.cat(part).double().numpy()[order] for part in zip(*parts, strict=True))
        return [Evaluation(*joined)]

    def weights(self, run: int) -> Weights:
        """The adversary's weights."""
        return {name: value.detach() for name, value in self.model.state_dict().items()}
