"""Training one model: batches of like length, selection on dev, early stop, plateau halving."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from tqdm import tqdm

from stages.corpora.batching import Reader
from stages.nn import by_type
from stages.nn.attention import AttentionModel
from stages.nn.inputs import Inputs
from stages.nn.metrics import METRICS
from stages.nn.optimizers import Steps, losses
from stages.nn.penalty import penalty
from stages.settings.errors import UserError
from stages.settings.studies import Training

Weights = dict[str, Tensor]
History = list[dict[str, float]]
Watch = Callable[[int, Callable[[int], Weights]], None]  # epoch, the weights of a run


def unwatched(epoch: int, weights: Callable[[int], Weights]) -> None:
    """Nobody looks at training while it goes on."""


@dataclass
class Best:
    """The best epoch so far by the study's metric; the first of equals."""

    score: float = -np.inf
    epoch: int = 0
    weights: Weights = field(default_factory=dict)
    probabilities: NDArray[np.float64] | None = None  # of the split that selects

    def offer(
        self,
        score: float,
        epoch: int,
        weights: Callable[[], Weights],
        probabilities: NDArray[np.float64] | None = None,
    ) -> bool:
        """Keep a copy of the weights if they beat the best."""
        if not score > self.score:
            return False
        self.score, self.epoch = score, epoch
        # cloned, not deep-copied: of a view that would copy all runs
        self.weights = {name: value.detach().clone() for name, value in weights().items()}
        self.probabilities = probabilities
        return True


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


def fit(
    name: str,
    model: AttentionModel,
    train: Reader,
    held_out: Reader,
    training: Training,
    draw: np.random.Generator,
    watch: Watch = unwatched,
) -> tuple[Best, History]:
    """Train; the weights of the best epoch on `held_out`, and the course of training.

    `watch` is shown the weights before training and after each epoch.
    """
    steps = Steps(model, training)
    weights = class_weights(train.labels, train.classes, training)
    best, history, waited = Best(), [], 0
    watch(0, lambda _: model.state_dict())
    bar = tqdm(range(1, training.epochs + 1), desc=name, disable=None, leave=False, unit="epoch")
    for epoch in bar:
        started = time.perf_counter()
        loss = _epoch(name, epoch, model, train, weights, training, steps, draw)
        steps.finish()
        probabilities = predict(model, held_out)
        score = METRICS[training.metric](probabilities, held_out.labels)
        watch(epoch, lambda _: model.state_dict())
        rate = steps.rate
        history.append({"epoch": epoch, "loss": loss, "score": score, "learning_rate": rate})
        speed = int(train.tokens / (time.perf_counter() - started))
        bar.set_postfix(loss=f"{loss:.4f}", dev=f"{score:.4f}", tokens_per_s=speed)
        better = epoch >= min(training.first_epoch, training.epochs) and best.offer(
            score, epoch, model.state_dict, probabilities
        )
        waited = 0 if better else waited + 1
        if not better and training.halve_on_plateau:
            steps.rate /= 2
        if training.patience is not None and waited >= training.patience:
            break
    steps.close()
    check_kept(best, name, training)
    model.load_state_dict(best.weights)
    return best, history


def _epoch(
    name: str,
    epoch: int,
    model: AttentionModel,
    train: Reader,
    weights: Tensor,
    training: Training,
    steps: Steps,
    draw: np.random.Generator,
) -> float:
    """One pass; the mean loss of a document."""
    model.train()
    total = 0.0
    batches = train.batches(training.batch, draw, training.length_jitter, training.cap)
    for number, batch in enumerate(batches, 1):
        found = losses(model(Inputs.of(batch)).logits, torch.from_numpy(batch.labels), weights)
        loss = found.sum() if training.loss == "sum" else found.mean()
        if training.product_penalty:
            loss = loss + penalty(dict(model.named_parameters()), training.product_penalty)
        check_finite(loss, name, epoch, number, steps.rate)
        steps.step(loss)
        total += float(found.detach().sum())
    return total / len(train.labels)


def check_finite(loss: Tensor, name: str, epoch: int, batch: int, rate: float) -> None:
    """Stop at once when training has blown up."""
    if not torch.isfinite(loss):
        raise UserError(
            f"{name}: the loss became {float(loss.detach())} in epoch {epoch}, batch {batch}, "
            f"learning rate {rate}"
        )


def check_kept(best: Best, name: str, training: Training) -> None:
    """Every epoch scored NaN: the split that selects holds one class only."""
    if not best.weights:
        raise UserError(
            f"{name}: no epoch has a {training.metric} on the selecting split; "
            "it needs documents of more than one class"
        )


def predict(model: AttentionModel, reader: Reader, size: int = 128) -> NDArray[np.float64]:
    """Probabilities (N, C) of every document, in the order of the split."""
    if by_type.applies(model):
        return by_type.predict(model, reader)
    return collect(model, reader, lambda output: model.probabilities(output.logits), size)


@torch.no_grad()
def collect(
    model: AttentionModel, reader: Reader, of: Callable[..., Tensor], size: int = 128
) -> NDArray[np.float64]:
    """One tensor (B, ...) of each batch's output, put together in the order of the split."""
    model.eval()
    found: list[Tensor] = []
    rows: list[NDArray[np.int64]] = []
    for batch in reader.batches(size):
        found.append(of(model(Inputs.of(batch))))
        rows.append(batch.rows)
    joined = torch.cat(found).double().numpy()
    return joined[np.argsort(np.concatenate(rows))]
