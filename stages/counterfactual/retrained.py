"""Adversaries trained from scratch to keep a model's outputs and move away from its attention.

Wiegreffe & Pinter 2019, section 4; Amini & Kosseim 2022, section 3. Labels are not used. Two epochs
of every adversary are kept: the best on dev and the best on test, which the papers choose. Each
search ends after `patience` epochs without improvement. Epochs are compared on a fixed sample of a
large split; the best few on the sample are then compared on the whole split.
"""

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from stages.corpora.batching import Batch, Reader
from stages.counterfactual.objectives import Objective
from stages.nn.attention import AttentionModel
from stages.nn.context_free import outputs
from stages.nn.inputs import Inputs
from stages.nn.optimizers import Steps
from stages.nn.prediction import BATCH, answers
from stages.nn.training import Weights, check_finite
from stages.settings.studies import Training
from stages.statistics.divergences import jensen_shannon, total_variation

SELECTING = ("dev", "test")
CANDIDATES = 3  # epochs, the best on a sample, that are compared on the whole split


@dataclass(frozen=True)
class Evaluation:
    """An adversary on N documents, in the order of the reader's rows."""

    probabilities: NDArray[np.float64]  # (N, C)
    change: NDArray[np.float64]  # (N,) scaled total variation from the base
    divergence: NDArray[np.float64]  # (N,) Jensen-Shannon from the base's attention
    loss: NDArray[np.float64]  # (N,)


@dataclass(frozen=True)
class Epoch:
    """An adversary after one epoch."""

    loss: float  # on the selecting split
    number: int
    weights: Weights
    test: Evaluation


@dataclass
class Search:
    """The best epochs so far on one split: loss, number and weights of at most CANDIDATES."""

    patience: int
    waited: int = 0
    best: list[tuple[float, int, Weights]] = field(default_factory=list)

    @property
    def over(self) -> bool:
        """Whether patience has run out."""
        return self.waited >= self.patience

    def offer(self, loss: float, number: int, weights: Callable[[], Weights]) -> None:
        """Keep the epoch if it is among the best and patience has not run out."""
        if self.over:
            return
        improved = not self.best or loss < self.best[0][0]
        self.waited = 0 if improved else self.waited + 1
        if len(self.best) < CANDIDATES or loss < self.best[-1][0]:
            epochs = [*self.best, (loss, number, weights())]
            self.best = sorted(epochs, key=lambda epoch: epoch[0])[:CANDIDATES]


@dataclass(frozen=True)
class AdversaryRun:
    """One trained adversary: the best epoch by each selecting split, and values by epoch."""

    best: dict[str, Epoch]
    history: list[dict[str, float]]


def retrained(
    adversary: "Adversary", epochs: int, patience: int, draw: np.random.Generator, hold: int = 0
) -> AdversaryRun:
    """Train until patience has run out on both splits, at most for `epochs`; a draw shuffles.

    For the first `hold` epochs attention keeps its initial, nearly uniform weights and only the
    outputs are learnt: if attention moves first, adversaries seldom reach the base's outputs.
    """
    searches = {split: Search(patience) for split in SELECTING}
    history = []
    for epoch in range(1, epochs + 1):
        adversary.freeze_attention(epoch <= hold)
        adversary.train_epoch(epoch, draw)
        evaluations = {split: adversary.evaluate(split, sampled=True) for split in SELECTING}
        test, row = evaluations["test"], {"epoch": float(epoch)}
        for split, search in searches.items():
            row[f"{split}_loss"] = float(evaluations[split].loss.mean())
            search.offer(row[f"{split}_loss"], epoch, adversary.weights)
        row |= {"change": float(test.change.mean()), "jsd": float(test.divergence.mean())}
        history.append(row)
        if all(search.over for search in searches.values()):
            break
    best = {split: _on_all(adversary, split, search) for split, search in searches.items()}
    return AdversaryRun(best, history)


def _on_all(adversary: "Adversary", split: str, search: Search) -> Epoch:
    """The best of the candidates on the whole split, with its evaluation on all of test."""
    epochs = []
    for _, number, weights in search.best:
        adversary.load(weights)
        test = adversary.evaluate("test")
        selecting = test if split == "test" else adversary.evaluate(split)
        epochs.append(Epoch(float(selecting.loss.mean()), number, weights, test))
    return min(epochs, key=lambda epoch: epoch.loss)


class Adversary:
    """An adversary of a flat model; the readers' batches carry the base's attention.

    Splits of more than `sample` documents are evaluated on as many while the adversary is trained.
    """

    def __init__(
        self,
        name: str,
        model: AttentionModel,
        readers: Mapping[str, Reader],
        base: AttentionModel,
        training: Training,
        objective: Objective,
        sample: int | None = None,
    ) -> None:
        self.name, self.model, self.readers = name, model, readers
        self.training, self.objective = training, objective
        self.steps = Steps(model, training)
        self.base = {split: answers(base, reader) for split, reader in readers.items()}
        for split, reader in readers.items():
            reader.weights = self.base[split].weights
        self.samples = {split: sample_of(readers[split], sample) for split in SELECTING}

    def freeze_attention(self, frozen: bool) -> None:
        """The optimiser does not change parameters without a gradient."""
        self.model.score.requires_grad_(not frozen)

    def train_epoch(self, number: int, draw: np.random.Generator) -> None:
        """One pass over the training documents."""
        self.model.train()
        options = (self.training.batch, draw, self.training.length_jitter, self.training.cap)
        for place, batch in enumerate(self.readers["train"].batches(*options), 1):
            loss = self.objective.of(*self._outputs("train", batch)).mean()
            check_finite(loss, self.name, number, place, self.steps.rate)
            self.steps.step(loss)

    def _outputs(self, split: str, batch: Batch) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Outputs of adversary and base (B, C), weights of adversary and base (B, T)."""
        inputs = Inputs.of(batch)
        logits, weights = outputs(self.model, inputs)
        assert inputs.weights is not None
        of_base = self.base[split].probabilities[torch.from_numpy(batch.rows)]
        return self.model.probabilities(logits), of_base, weights, inputs.weights

    @torch.no_grad()
    def evaluate(self, split: str, sampled: bool = False) -> Evaluation:
        """The adversary on a split, or on its sample."""
        self.model.eval()
        rows, parts = [], []
        for batch in (self.samples if sampled else self.readers)[split].batches(BATCH):
            both = probabilities, of_base, weights, of_attention = self._outputs(split, batch)
            change = total_variation(probabilities, of_base)
            divergence = jensen_shannon(weights.double(), of_attention.double())
            parts.append((probabilities, change, divergence, self.objective.of(*both)))
            rows.append(batch.rows)
        order = np.argsort(np.concatenate(rows))
        joined = (torch.cat(part).double().numpy()[order] for part in zip(*parts, strict=True))
        return Evaluation(*joined)

    def weights(self) -> Weights:
        """A copy of the adversary's weights."""
        self.steps.finish()
        return {name: value.detach().clone() for name, value in self.model.state_dict().items()}

    def load(self, weights: Weights) -> None:
        """Puts weights into the model, after its training."""
        self.steps.finish()
        self.model.load_state_dict(weights)


def sample_of(reader: Reader, count: int | None) -> Reader:
    """The same reader, or one of `count` evenly spaced documents of a larger split."""
    if count is None or len(reader.rows) <= count:
        return reader
    sample = copy.copy(reader)
    chosen = np.linspace(0, len(reader.rows) - 1, count).round().astype(np.int64)
    sample.rows, sample.labels = reader.rows[chosen], reader.labels[chosen]
    return sample
