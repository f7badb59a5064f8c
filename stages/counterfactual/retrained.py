"""Adversaries trained from scratch to keep a model's outputs and move its attention away.

Wiegreffe & Pinter 2019, section 4; Amini & Kosseim 2022, section 3. Labels are never used. Of every
run two epochs are kept: the one that is best on dev, and the one that is best on test, which the
papers choose; each is looked for until it has not been beaten for `patience` epochs.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from stages.corpora.batching import Reader
from stages.counterfactual.objectives import Objective
from stages.nn.attention import AttentionModel
from stages.nn.inputs import Inputs
from stages.nn.optimizers import Steps
from stages.nn.training import Weights, check_finite
from stages.settings.studies import Training
from stages.statistics.divergences import jensen_shannon, total_variation

SELECTING = ("dev", "test")
BATCH = 128  # documents at a time where nothing is trained


@dataclass(frozen=True)
class Seen:
    """An adversary on N documents, in the order of the reader's rows."""

    said: NDArray[np.float64]  # (N, C) probabilities
    change: NDArray[np.float64]  # (N,) scaled total variation from the base
    divergence: NDArray[np.float64]  # (N,) Jensen-Shannon from the base's attention
    loss: NDArray[np.float64]  # (N,)


@dataclass
class Kept:
    """The best epoch on one split, and what the adversary then did on test."""

    patience: int
    loss: float = np.inf
    epoch: int = 0
    waited: int = 0
    test: Seen | None = None
    weights: Weights = field(default_factory=dict)

    @property
    def over(self) -> bool:
        """Whether nothing later can count."""
        return self.waited >= self.patience

    def offer(self, loss: float, epoch: int, test: Seen) -> bool:
        """Whether this epoch is the best so far; once patience is over none is."""
        if self.over or not loss < self.loss:
            self.waited += 1
            return False
        self.loss, self.epoch, self.waited, self.test = loss, epoch, 0, test
        return True


@dataclass
class Run:
    """One adversary's training: what was kept for each selecting split, and its course."""

    kept: dict[str, Kept]
    course: list[dict[str, float]] = field(default_factory=list)


class Trainee(Protocol):
    """One or several adversaries that are trained on the same batches."""

    count: int

    def hold(self, still: bool) -> None:
        """Keep the parameters of attention where they are, or let them go."""

    def epoch(self, number: int, draw: np.random.Generator) -> None:
        """One pass over the training documents."""

    def look(self, split: str) -> list[Seen]:
        """Every adversary on a split."""

    def weights(self, run: int) -> Weights:
        """One adversary's weights as its model names them."""


def retrained(
    trainee: Trainee, epochs: int, patience: int, draw: np.random.Generator, hold: int = 0
) -> list[Run]:
    """Train until every run's epochs are found, or for as many epochs as there are.

    For `hold` epochs attention stays as it was drawn, nearly uniform, and only the answers are
    learnt: where attention moves first, an adversary seldom finds them any more. The weights that
    are best on dev are kept of an adversary that is trained alone.
    """
    runs = [Run({split: Kept(patience) for split in SELECTING}) for _ in range(trainee.count)]
    for epoch in range(1, epochs + 1):
        trainee.hold(epoch <= hold)
        trainee.epoch(epoch, draw)
        seen = {split: trainee.look(split) for split in SELECTING}
        for number, run in enumerate(runs):
            test = seen["test"][number]
            row = {"epoch": float(epoch)}
            for split, kept in run.kept.items():
                found = seen[split][number]
                loss = float(found.loss.mean())
                row |= {f"{split}_loss": loss}
                if kept.offer(loss, epoch, test) and split == "dev" and trainee.count == 1:
                    weights = trainee.weights(number)
                    kept.weights = {name: value.clone() for name, value in weights.items()}
            row |= {"change": float(test.change.mean()), "jsd": float(test.divergence.mean())}
            run.course.append(row)
        if all(kept.over for run in runs for kept in run.kept.values()):
            break
    return runs


@dataclass(frozen=True)
class Answers:
    """What the base says of a split and where it looks; fixed while an adversary is trained."""

    said: Tensor  # (rows of the split, C); documents that are not read left at zero
    weights: NDArray[np.float32]  # one for each value of the reader's text


@torch.no_grad()
def answers(model: AttentionModel, reader: Reader) -> Answers:
    """The base's outputs and attention for every document of a reader."""
    model.eval()
    flat = np.zeros(len(reader.text.values), np.float32)
    said: Tensor | None = None
    for batch in reader.batches(BATCH):
        output = model(Inputs.of(batch))
        found = model.probabilities(output.logits)
        if said is None:
            said = found.new_zeros(len(reader.text), found.shape[1])
        said[torch.from_numpy(batch.rows)] = found
        for row, length, weights in zip(
            batch.rows, batch.lengths, output.weights.numpy(), strict=True
        ):
            start = reader.text.offsets[row]
            flat[start : start + length] = weights[:length]
    assert said is not None
    return Answers(said, flat)


class Alone:
    """One adversary of any architecture; the base's attention rides on the readers' batches."""

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

    def hold(self, still: bool) -> None:
        """Without a gradient the optimiser leaves a parameter where it is."""
        self.model.score.requires_grad_(not still)

    def epoch(self, number: int, draw: np.random.Generator) -> None:
        """One pass over the training documents."""
        self.model.train()
        options = (self.training.batch, draw, self.training.length_jitter, self.training.cap)
        for place, batch in enumerate(self.readers["train"].batches(*options), 1):
            inputs = Inputs.of(batch)
            lost, _ = self._losses(inputs, self.base["train"].said[torch.from_numpy(batch.rows)])
            loss = lost.mean()
            check_finite(loss, self.name, number, place, self.steps.rate)
            self.steps.step(loss)
        self.steps.finish()

    def _losses(self, inputs: Inputs, base_said: Tensor) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """Losses (B,), outputs (B, C) and weights (B, T)."""
        output = self.model(inputs)
        said = self.model.probabilities(output.logits)
        assert inputs.weights is not None
        lost = self.objective.of(said, base_said, output.weights, inputs.weights)
        return lost, (said, output.weights)

    @torch.no_grad()
    def look(self, split: str) -> list[Seen]:
        """The adversary on a split."""
        self.model.eval()
        rows, parts = [], []
        for batch in self.readers[split].batches(BATCH):
            inputs = Inputs.of(batch)
            base_said = self.base[split].said[torch.from_numpy(batch.rows)]
            lost, (said, weights) = self._losses(inputs, base_said)
            assert inputs.weights is not None
            away = jensen_shannon(weights.double(), inputs.weights.double())
            parts.append((said, total_variation(said, base_said), away, lost))
            rows.append(batch.rows)
        order = np.argsort(np.concatenate(rows))
        joined = (torch.cat(part).double().numpy()[order] for part in zip(*parts, strict=True))
        return [Seen(*joined)]

    def weights(self, run: int) -> Weights:
        """The adversary's weights."""
        return {name: value.detach() for name, value in self.model.state_dict().items()}
