"""Training of one run, or of several stacked runs: epochs, selection on a split, early stopping."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from tqdm import tqdm

from stages.corpora.batching import Reader
from stages.nn.attention import AttentionModel
from stages.nn.inputs import Inputs
from stages.nn.metrics import METRICS
from stages.nn.optimizers import Steps, losses
from stages.nn.penalty import penalty
from stages.nn.prediction import predict
from stages.nn.stacked import StackedRuns
from stages.settings.errors import UserError
from stages.settings.studies import Training

Weights = dict[str, Tensor]
History = list[dict[str, float]]
Watch = Callable[[int, Callable[[int], Weights]], None]  # epoch, weights by number of the run


@dataclass
class Best:
    """The best epoch so far by the study's metric; the first of equals."""

    score: float = -np.inf
    epoch: int = 0
    weights: Weights = field(default_factory=dict)
    probabilities: NDArray[np.float64] | None = None  # of the selecting split

    def offer(
        self, score: float, epoch: int, weights: Weights, probabilities: NDArray[np.float64]
    ) -> bool:
        """Keeps a copy of the weights if the score is higher than the best so far."""
        if not score > self.score:
            return False
        self.score, self.epoch = score, epoch
        # cloned, not deep-copied: a deep copy of a view would copy all stacked runs
        self.weights = {name: value.detach().clone() for name, value in weights.items()}
        self.probabilities = probabilities
        return True


class SingleRun(Steps):
    """One model, trained by autograd."""

    model: AttentionModel

    def train_batch(self, inputs: Inputs, labels: Tensor, class_weights: Tensor) -> Tensor:
        """One update; the summed loss of the batch (1,), in float64."""
        self.model.train()
        by_document = losses(self.model(inputs).logits, labels, class_weights)  # (B,)
        loss = by_document.sum() if self.training.loss == "sum" else by_document.mean()
        if self.training.product_penalty:
            named = dict(self.model.named_parameters())
            loss = loss + penalty(named, self.training.product_penalty)
        self.step(loss)
        return by_document.detach().sum().double().unsqueeze(0)

    def predict(self, reader: Reader) -> NDArray[np.float64]:
        """Probabilities (1, N, C) of every document, in the order of the split."""
        return predict(self.model, reader)[None]

    def weights(self, run: int) -> Weights:
        """The model's state dict; not a copy."""
        return self.model.state_dict()


def fit(
    name: str,
    models: list[AttentionModel],
    train: Reader,
    held_out: Reader,
    training: Training,
    draw: np.random.Generator,
    watch: Watch = lambda epoch, weights: None,
) -> list[tuple[Best, History]]:
    """Trains the models, several of them stacked; each keeps the weights of its best epoch.

    Returns the best epoch on `held_out` and the history of every run. `watch` receives the weights
    before training and after each epoch.
    """
    if len(models) > 1 and (training.clip or training.patience or training.halve_on_plateau):
        raise UserError(f"{name}: stacked runs allow no clip, patience or halve_on_plateau")
    trainee: SingleRun | StackedRuns = (
        SingleRun(models[0], training) if len(models) == 1 else StackedRuns(models, training)
    )
    weights = class_weights(train.labels, train.classes, training)
    runs: list[tuple[Best, History]] = [(Best(), []) for _ in models]
    waited = 0
    watch(0, trainee.weights)
    bar = tqdm(range(1, training.epochs + 1), desc=name, disable=None, leave=False, unit="epoch")
    for epoch in bar:
        started = time.perf_counter()
        mean_losses = _epoch(name, epoch, trainee, train, weights, training, draw)
        speed = int(len(models) * train.tokens / (time.perf_counter() - started))
        watch(epoch, trainee.weights)
        improved = _select(epoch, trainee, runs, mean_losses, held_out, training)
        loss, score = (np.mean([rows[-1][key] for _, rows in runs]) for key in ("loss", "score"))
        bar.set_postfix(loss=f"{loss:.4f}", dev=f"{score:.4f}", tokens_per_s=speed)
        waited = 0 if improved else waited + 1
        if not improved and training.halve_on_plateau:
            trainee.rate /= 2
        if training.patience is not None and waited >= training.patience:
            break
    trainee.close()
    for model, (best, _) in zip(models, runs, strict=True):
        if not best.weights:  # every score was NaN
            raise UserError(
                f"{name}: no epoch has a {training.metric} on the selecting split; "
                "it needs documents of more than one class"
            )
        model.load_state_dict(best.weights)
    return runs


def _epoch(
    name: str,
    epoch: int,
    trainee: SingleRun | StackedRuns,
    train: Reader,
    class_weights: Tensor,
    training: Training,
    draw: np.random.Generator,
) -> list[float]:
    """One pass over the training split; the mean loss of a document, by run."""
    total = torch.zeros(1)
    batches = train.batches(training.batch, draw, training.length_jitter, training.cap)
    for number, batch in enumerate(batches, 1):
        labels = torch.from_numpy(batch.labels)
        summed = trainee.train_batch(Inputs.of(batch), labels, class_weights)
        check_finite(summed.sum(), name, epoch, number, trainee.rate)
        total = total + summed  # (R,)
    trainee.finish()
    return [float(value) / len(train.labels) for value in total]


def _select(
    epoch: int,
    trainee: SingleRun | StackedRuns,
    runs: list[tuple[Best, History]],
    mean_losses: list[float],
    held_out: Reader,
    training: Training,
) -> bool:
    """Records an epoch in every run's history; whether it is the best of any run."""
    improved = False
    probabilities = trainee.predict(held_out)  # (R, N, C)
    for run, (best, history) in enumerate(runs):
        score = METRICS[training.metric](probabilities[run], held_out.labels)
        row = {"epoch": epoch, "loss": mean_losses[run], "score": score}
        history.append(row | {"learning_rate": trainee.rate})
        if epoch >= min(training.first_epoch, training.epochs):
            improved |= best.offer(score, epoch, trainee.weights(run), probabilities[run])
    return improved


def class_weights(labels: NDArray[np.int64], classes: int, training: Training) -> Tensor:
    """n_negative / n_positive for class 1 of two (Jain & Wallace), n / (C n_c) for more; or one."""
    counts = np.bincount(labels, minlength=classes)
    if not training.class_weights:
        return torch.ones(classes)
    if (counts == 0).any():
        raise UserError(f"class number {int(counts.argmin())} has no training example to weigh")
    if classes == 2:
        return torch.tensor([1.0, counts[0] / counts[1]], dtype=torch.float32)
    return torch.tensor(counts.sum() / (classes * counts), dtype=torch.float32)


def check_finite(loss: Tensor, name: str, epoch: int, batch: int, rate: float) -> None:
    """Raises if the loss is not finite."""
    if not torch.isfinite(loss):
        raise UserError(
            f"{name}: the loss became {float(loss.detach())} in epoch {epoch}, batch {batch}, "
            f"learning rate {rate}"
        )
