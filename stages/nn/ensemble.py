"""Several runs of one architecture trained at once along a leading axis.

Runs differ in seed or in an option that is a buffer (Sun & Lu's lambda). Parameters are stacked,
the model is mapped over them, and since the optimisers work element by element the runs never
touch each other: each ends where it would end alone on the same batches. Rows of the embedding
that a batch does not contain have no gradient; Adagrad and SGD leave them alone, so only the rows
of the batch are updated.
"""

import copy

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.func import functional_call, stack_module_state, vmap
from tqdm import tqdm

from stages.corpora.batching import Reader
from stages.nn.attention import AttentionModel
from stages.nn.inputs import Inputs
from stages.nn.metrics import METRICS
from stages.nn.optimizers import losses, optimizer
from stages.nn.training import Best, History, check_finite, check_kept, class_weights
from stages.settings.refusal import Refusal
from stages.settings.studies import Training

EMBEDDING = "embedding.weight"


class _Embedded(nn.Module):
    """A model that is handed embedded tokens, so that the table can stay outside the map."""

    def __init__(self, model: AttentionModel) -> None:
        super().__init__()
        self.model = model

    def forward(self, embedded: Tensor, inputs: Inputs) -> Tensor:
        return self.model.answer(self.model.encode_embedded(embedded, inputs)).logits


class Runs:
    """R models of one shape as one."""

    def __init__(self, models: list[AttentionModel], training: Training) -> None:
        parameters, self.buffers = stack_module_state(models)
        self.count, self.training = len(models), training
        self.table = parameters.pop(EMBEDDING).detach()  # (R, V, E)
        self.parameters = parameters
        self.shape = _Embedded(copy.deepcopy(models[0]))
        self.lazy = training.optimizer in ("adagrad", "sgd")
        named = list(parameters.items())
        if not self.lazy:
            self.table.requires_grad_()
            named.append((EMBEDDING, self.table))
        self.steps = optimizer(named, training)
        self.squares = torch.zeros_like(self.table) if training.optimizer == "adagrad" else None
        self.taken = 0

    def logits(self, inputs: Inputs, rows: Tensor, places: Tensor) -> Tensor:
        """(R, B, C) of tokens `places` (B, T) into `rows` (R, U, E)."""
        flat = {f"model.{name}": value for name, value in self.parameters.items()}
        fixed = {f"model.{name}": value for name, value in self.buffers.items()}

        def one(parameters: dict[str, Tensor], buffers: dict[str, Tensor], table: Tensor) -> Tensor:
            embedded = nn.functional.embedding(places, table)
            found: Tensor = functional_call(self.shape, (parameters, buffers), (embedded, inputs))
            return found

        return vmap(one, randomness="different")(flat, fixed, rows)

    def step(self, inputs: Inputs, labels: Tensor, weights: Tensor) -> Tensor:
        """One update of every run on the same batch; the documents' losses (R, B)."""
        self.shape.train()
        if self.lazy:
            present, places = inputs.tokens.unique(return_inverse=True)
            rows = self.table[:, present].requires_grad_()  # (R, U, E)
        else:
            rows, places = self.table, inputs.tokens
        logits = self.logits(inputs, rows, places)
        found = losses(logits.flatten(0, 1), labels.repeat(self.count), weights)
        found = found.view(self.count, -1)
        loss = found.sum() if self.training.loss == "sum" else found.mean(1).sum()
        self.steps.zero_grad()
        loss.backward()
        self.steps.step()
        if self.lazy:
            self._update(present, rows)
        return found.detach()

    def _update(self, present: Tensor, rows: Tensor) -> None:
        """Adagrad or SGD on the rows of the batch; the padding row never moves."""
        assert rows.grad is not None
        gradient = rows.grad.masked_fill((present == 0).view(1, -1, 1), 0.0)
        rate = self.training.learning_rate / (1 + self.taken * self.training.rate_decay)
        self.taken += 1
        if self.squares is not None:
            squares = self.squares[:, present] + gradient**2
            self.squares[:, present] = squares
            gradient = gradient / (squares.sqrt() + 1e-10)
        self.table[:, present] = rows.detach() - rate * gradient

    @torch.no_grad()
    def predict(self, reader: Reader, size: int = 256) -> NDArray[np.float64]:
        """Probabilities (R, N, C) of every document, in the order of the split."""
        self.shape.eval()
        found, rows = [], []
        for batch in reader.batches(size):
            logits = self.logits(Inputs.of(batch), self.table, torch.from_numpy(batch.tokens))
            found.append(self.shape.model.probabilities(logits))
            rows.append(batch.rows)
        joined = torch.cat(found, 1).double().numpy()
        return joined[:, np.argsort(np.concatenate(rows))]

    def weights(self, run: int) -> dict[str, Tensor]:
        """One run's parameters and buffers, as its own model names them."""
        named = {EMBEDDING: self.table, **self.parameters, **self.buffers}
        return {name: value[run].detach().clone() for name, value in named.items()}


def fit_together(
    name: str,
    models: list[AttentionModel],
    train: Reader,
    held_out: Reader,
    training: Training,
    draw: np.random.Generator,
) -> list[tuple[Best, History]]:
    """As `fit` for one model, for all of them at once; each model gets its own best weights."""
    if training.clip or training.patience or training.halve_on_plateau:
        raise Refusal(f"{name}: runs trained together know no clip, patience or halve_on_plateau")
    runs = Runs(models, training)
    weights = class_weights(train.labels, train.classes, training)
    found: list[tuple[Best, History]] = [(Best(), []) for _ in models]
    bar = tqdm(range(1, training.epochs + 1), desc=name, disable=None, leave=False, unit="epoch")
    for epoch in bar:
        total = torch.zeros(len(models))
        batches = train.batches(training.batch, draw, training.noise, training.cap)
        for number, batch in enumerate(batches, 1):
            lost = runs.step(Inputs.of(batch), torch.from_numpy(batch.labels), weights)
            check_finite(lost.sum(), name, epoch, number, training.learning_rate)
            total += lost.sum(1)
        probabilities = runs.predict(held_out)
        for run, (best, history) in enumerate(found):
            score = METRICS[training.metric](probabilities[run], held_out.labels)
            loss = float(total[run]) / len(train.labels)
            rate = training.learning_rate
            history.append({"epoch": epoch, "loss": loss, "score": score, "learning_rate": rate})
            if epoch >= min(training.first_epoch, training.epochs) and score > best.score:
                best.score, best.epoch, best.weights = score, epoch, runs.weights(run)
    for model, (best, _) in zip(models, found, strict=True):
        check_kept(best, name, training)
        model.load_state_dict(best.weights)
    return found
