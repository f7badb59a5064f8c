"""Training of one run, or of several stacked runs: epochs, selection on a split, early stopping."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from tqdm import tqdm

from stages.corpora.batching import Batch, Reader
from stages.nn.attention import AttentionModel
from stages.nn.inputs import Inputs
from stages.nn.metrics import METRICS, log_loss
from stages.nn.optimizers import Steps, losses
from stages.nn.penalty import penalty
from stages.nn.prediction import predict
from stages.nn.stacked import StackedDotProducts
from stages.settings.errors import UserError
from stages.settings.studies import Training

Weights = dict[str, Tensor]
History = list[dict[str, float]]
Watch = Callable[[int, int, Weights], None]  # number of the run, epoch, weights


@dataclass
class Best:
    """The best epoch so far by the study's metric; of equal ones that with the lowest loss."""

    score: float = -np.inf
    loss: float = np.inf  # on the selecting split
    epoch: int = 0
    weights: Weights = field(default_factory=dict)
    probabilities: NDArray[np.float64] | None = None  # of the selecting split

    def offer(
        self,
        score: float,
        loss: float,
        epoch: int,
        weights: Weights,
        probabilities: NDArray[np.float64],
    ) -> bool:
        """Keeps a copy of the weights of the best epoch; whether the score is a new maximum."""
        improved = score > self.score
        if not (improved or (score == self.score and loss < self.loss)):
            return False
        self.score, self.loss, self.epoch = score, loss, epoch
        # cloned, not deep-copied: a deep copy of a view would copy all stacked runs
        self.weights = {name: value.detach().clone() for name, value in weights.items()}
        self.probabilities = probabilities
        return improved


class SingleRun(Steps):
    """One model, trained by autograd."""

    model: AttentionModel

    def train_batch(self, batches: Sequence[Batch], class_weights: Tensor) -> Tensor:
        """One update on the only batch; its summed loss (1,), in float64."""
        (batch,) = batches
        self.model.train()
        logits = self.model(Inputs.of(batch)).logits
        by_document = losses(logits, torch.from_numpy(batch.labels), class_weights)  # (B,)
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
    models: Sequence[AttentionModel],
    train: Reader,
    held_out: Reader,
    training: Training,
    draws: Sequence[np.random.Generator],
    watch: Watch = lambda run, epoch, weights: None,
) -> list[tuple[Best, History]]:
    """Trains the models, stacked where that is faster; each keeps the weights of its best epoch.

    `draws` shuffle the batches of each run, so that it does not depend on the others. Returns the
    best epoch on `held_out` and the history of every run. `watch` receives the weights before
    training and after each epoch.
    """
    if StackedDotProducts.applies(models, train, training):
        stacked = StackedDotProducts(list(models), training)
        runs = _fit(name, stacked, train, held_out, training, draws, watch)
    else:
        runs = []
        for place, (model, draw) in enumerate(zip(models, draws, strict=True)):
            single = SingleRun(model, training)
            runs += _fit(name, single, train, held_out, training, [draw], watch, place)
    for model, (best, _) in zip(models, runs, strict=True):
        if not best.weights:  # every score was NaN
            raise UserError(
                f"{name}: no epoch has a {training.metric} on the selecting split; "
                "it needs documents of more than one class"
            )
        model.load_state_dict(best.weights)
    return runs


def _fit(
    name: str,
    trainee: SingleRun | StackedDotProducts,
    train: Reader,
    held_out: Reader,
    training: Training,
    draws: Sequence[np.random.Generator],
    watch: Watch,
    first: int = 0,
) -> list[tuple[Best, History]]:
    """Trains one run, or stacked runs; `first` is the number of the first for `watch`."""
    weights = class_weights(train.labels, train.classes, training)
    runs: list[tuple[Best, History]] = [(Best(), []) for _ in draws]
    waited = 0
    _watched(watch, 0, trainee, first, len(runs))
    bar = tqdm(range(1, training.epochs + 1), desc=name, disable=None, leave=False, unit="epoch")
    for epoch in bar:
        started = time.perf_counter()
        mean_losses = _epoch(name, epoch, trainee, train, weights, training, draws)
        speed = int(len(runs) * train.tokens / (time.perf_counter() - started))
        _watched(watch, epoch, trainee, first, len(runs))
        improved = _select(epoch, trainee, runs, mean_losses, held_out, training)
        loss, score = (np.mean([rows[-1][key] for _, rows in runs]) for key in ("loss", "score"))
        bar.set_postfix(loss=f"{loss:.4f}", dev=f"{score:.4f}", tokens_per_s=speed)
        waited = 0 if improved else waited + 1
        if not improved and training.halve_on_plateau:
            trainee.rate /= 2
        if training.patience is not None and waited >= training.patience:
            break
    trainee.close()
    return runs


def _watched(
    watch: Watch, epoch: int, trainee: SingleRun | StackedDotProducts, first: int, count: int
) -> None:
    for run in range(count):
        watch(first + run, epoch, trainee.weights(run))


def _epoch(
    name: str,
    epoch: int,
    trainee: SingleRun | StackedDotProducts,
    train: Reader,
    class_weights: Tensor,
    training: Training,
    draws: Sequence[np.random.Generator],
) -> list[float]:
    """One pass over the training split; the mean loss of a document, by run."""
    total = torch.zeros(1)
    orders = [
        train.batches(training.batch, draw, training.length_jitter, training.cap) for draw in draws
    ]
    for number, batches in enumerate(zip(*orders, strict=True), 1):
        summed = trainee.train_batch(batches, class_weights)
        check_finite(summed.sum(), name, epoch, number, trainee.rate)
        total = total + summed  # (R,)
    trainee.finish()
    return [float(value) / len(train.labels) for value in total]


def _select(
    epoch: int,
    trainee: SingleRun | StackedDotProducts,
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
        loss = log_loss(probabilities[run], held_out.labels)
        row = {"epoch": epoch, "loss": mean_losses[run], "score": score, "held_out_loss": loss}
        history.append(row | {"learning_rate": trainee.rate})
        if epoch >= min(training.first_epoch, training.epochs):
            improved |= best.offer(score, loss, epoch, trainee.weights(run), probabilities[run])
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
