"""Training of a run: epochs, selection on a split, early stopping."""

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
from stages.nn.context_free import outputs
from stages.nn.inputs import Inputs
from stages.nn.metrics import METRICS, log_loss
from stages.nn.optimizers import Steps, losses
from stages.nn.penalty import penalty
from stages.nn.prediction import predict
from stages.settings.errors import UserError
from stages.settings.studies import Training

Weights = dict[str, Tensor]
History = list[dict[str, float]]
Watch = Callable[[int, Weights], None]  # epoch, weights


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
        self.weights = {name: value.detach().clone() for name, value in weights.items()}
        self.probabilities = probabilities
        return improved


def fit(
    name: str,
    model: AttentionModel,
    train: Reader,
    held_out: Reader,
    training: Training,
    draw: np.random.Generator,
    watch: Watch = lambda epoch, weights: None,
) -> tuple[Best, History]:
    """Trains a model, which gets the weights of its best epoch on `held_out`.

    `draw` shuffles the batches. `watch` receives the weights before training and after each epoch.
    """
    steps, best, waited = Steps(model, training), Best(), 0
    history: History = []
    weights = class_weights(train.labels, train.classes, training)
    watch(0, model.state_dict())
    bar = tqdm(range(1, training.epochs + 1), desc=name, disable=None, leave=False, unit="epoch")
    for epoch in bar:
        started = time.perf_counter()
        loss = _epoch(name, epoch, model, steps, train, weights, draw)
        speed = int(train.tokens / (time.perf_counter() - started))
        watch(epoch, model.state_dict())
        history.append({"epoch": epoch, "loss": loss})
        improved = _select(model, held_out, training, best, history)
        history[-1]["learning_rate"] = steps.rate
        bar.set_postfix(loss=f"{loss:.4f}", dev=f"{history[-1]['score']:.4f}", tokens_per_s=speed)
        waited = 0 if improved else waited + 1
        if not improved and training.halve_on_plateau:
            steps.rate /= 2
        if training.patience is not None and waited >= training.patience:
            break
    steps.close()
    if not best.weights:  # every score was NaN
        raise UserError(
            f"{name}: no epoch has a {training.metric} on the selecting split; "
            "it needs documents of more than one class"
        )
    model.load_state_dict(best.weights)
    return best, history


def _epoch(
    name: str,
    epoch: int,
    model: AttentionModel,
    steps: Steps,
    train: Reader,
    class_weights: Tensor,
    draw: np.random.Generator,
) -> float:
    """One pass over the training split; the mean loss of a document."""
    training, total = steps.training, 0.0
    model.train()
    batches = train.batches(training.batch, draw, training.length_jitter, training.cap)
    for number, batch in enumerate(batches, 1):
        logits, _ = outputs(model, Inputs.of(batch))
        by_document = losses(logits, torch.from_numpy(batch.labels), class_weights)  # (B,)
        loss = by_document.sum() if training.loss == "sum" else by_document.mean()
        if training.product_penalty:
            loss = loss + penalty(dict(model.named_parameters()), training.product_penalty)
        steps.step(loss)
        check_finite(loss, name, epoch, number, steps.rate)
        total += float(by_document.detach().sum())
    steps.finish()
    return total / len(train.labels)


def _select(
    model: AttentionModel, held_out: Reader, training: Training, best: Best, history: History
) -> bool:
    """Adds the scores of the last epoch to the history; whether it is the best so far."""
    probabilities = predict(model, held_out)  # (N, C)
    score = METRICS[training.metric](probabilities, held_out.labels)
    loss = log_loss(probabilities, held_out.labels)
    history[-1] |= {"score": score, "held_out_loss": loss}
    epoch = int(history[-1]["epoch"])
    if epoch < min(training.first_epoch, training.epochs):
        return False
    return best.offer(score, loss, epoch, model.state_dict(), probabilities)


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
