"""Several runs of one architecture trained at once along a leading axis.

Runs differ in seed or in an option that is a buffer (Sun & Lu's lambda). Parameters are stacked,
the model is mapped over them, and since the optimisers work element by element the runs never
touch each other: each ends where it would end alone on the same batches.
"""

import copy
import time
from functools import partial

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.func import functional_call, stack_module_state, vmap
from tqdm import tqdm

from stages.corpora.batching import Reader
from stages.corpora.vocabulary import PADDING
from stages.nn import dot_product
from stages.nn.attention import AttentionModel
from stages.nn.encoders import none
from stages.nn.heads import linear
from stages.nn.inputs import Inputs
from stages.nn.metrics import METRICS
from stages.nn.optimizers import losses, optimizer
from stages.nn.penalty import penalty
from stages.nn.projections import softmax
from stages.nn.rows import Rows
from stages.nn.training import (
    Best,
    History,
    Watch,
    check_finite,
    check_kept,
    class_weights,
    predict,
    unwatched,
)
from stages.settings.errors import UserError
from stages.settings.studies import Training

EMBEDDING = "embedding.weight"
CONTEXT, OUTPUT, SCALE = "score.vector", "head.layer.weight", "score.scale"


def _is_dot_product(model: AttentionModel) -> bool:
    """Whether the model is what the compiled kernel computes: DP and nothing beside it."""
    names = {name for name, _ in model.named_parameters()}
    plain = names == {EMBEDDING, CONTEXT, OUTPUT} and isinstance(model.encoder, none.Part)
    attends = isinstance(model.projection, softmax.Part)
    return (
        plain and attends and isinstance(model.head, linear.Part) and model.head.dropout.rate == 0
    )


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
        self.lazy = Rows.exact_for(training)
        named = list(parameters.items())
        if self.lazy:
            self.rows = [Rows(table, training) for table in self.table]
        else:
            self.table.requires_grad_()
            named.append((EMBEDDING, self.table))
        self.steps = optimizer(named, training)
        self.compiled = self.lazy and _is_dot_product(models[0])
        self.draw = np.random.default_rng(int(torch.randint(2**62, ())))

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
        self.steps.zero_grad()
        if not self.lazy:
            found = self._backward(inputs, labels, weights, self.table, inputs.tokens)
            self.steps.step()
            return found
        present, places = inputs.tokens.unique(return_inverse=True)
        step = self._compiled if self.compiled else self._by_autograd
        found = step(inputs, labels, weights, present, places)
        self.steps.step()
        return found

    def _by_autograd(
        self, inputs: Inputs, labels: Tensor, weights: Tensor, present: Tensor, places: Tensor
    ) -> Tensor:
        """Losses (R, B); the rows of the batch take their step."""
        rows = self.looked_up(present)
        found = self._backward(inputs, labels, weights, rows, places)
        self.update(present, rows)
        return found

    def looked_up(self, present: Tensor) -> Tensor:
        """Embeddings (R, U, E) of the tokens (U,) in a batch, up to date, to be differentiated."""
        for rows in self.rows:
            rows.refresh(present.numpy())
        return self.table[:, present].requires_grad_()

    def update(self, present: Tensor, looked_up: Tensor) -> None:
        """One step of the rows that were looked up, by their gradients; padding stays."""
        assert looked_up.grad is not None
        looked_up.grad[:, present == PADDING] = 0.0
        for rows, gradient in zip(self.rows, looked_up.grad.numpy(), strict=True):
            rows.update(present.numpy(), gradient)

    def _backward(
        self, inputs: Inputs, labels: Tensor, weights: Tensor, rows: Tensor, places: Tensor
    ) -> Tensor:
        """Losses (R, B), and gradients of everything by autograd."""
        logits = self.logits(inputs, rows, places)
        found = losses(logits.flatten(0, 1), labels.repeat(self.count), weights)
        found = found.view(self.count, -1)
        loss = found.sum() if self.training.loss == "sum" else found.mean(1).sum()
        if self.training.product_penalty:
            loss = loss + penalty(self.parameters, self.training.product_penalty)
        loss.backward()
        return found.detach()

    def _compiled(
        self, inputs: Inputs, labels: Tensor, weights: Tensor, present: Tensor, places: Tensor
    ) -> Tensor:
        """The same of dot-product attention straight over embeddings, by the compiled kernel.

        Run after run: what a run's step touches stays in cache from look-up to update.
        """
        model, classes, ids = self.shape.model, labels.numpy(), present.numpy()
        shared = (ids, places.numpy(), inputs.lengths.numpy(), classes)
        share = (weights / (1 if self.training.loss == "sum" else len(classes))).numpy()
        vector, output = (self.parameters[name] for name in (CONTEXT, OUTPUT))
        vector.grad, output.grad = torch.empty_like(vector), torch.empty_like(output)
        tables, vectors, outputs, of_vectors, of_outputs = (
            value.detach().numpy()
            for value in (self.table, vector, output, vector.grad, output.grad)
        )
        scales = self.buffers[SCALE].tolist()
        dropout = (model.drop_embedded.rate, model.drop_pooled.rate)
        lost = np.empty((self.count, len(classes)), np.float32)
        for run, rows in enumerate(self.rows):
            rows.refresh(ids)
            lost[run], of_rows, of_vectors[run], of_outputs[run] = dot_product.gradients(
                tables[run],
                *shared,
                share,
                vectors[run],
                outputs[run],
                scales[run],
                dropout,
                np.uint32(self.draw.integers(2**32)),
            )
            of_rows[ids == PADDING] = 0.0  # it stays
            rows.update(ids, of_rows)
        if self.training.product_penalty:
            penalty(self.parameters, self.training.product_penalty).backward()
        return torch.from_numpy(lost) * weights[labels]

    def finish(self) -> None:
        """Bring every row up to date: after an epoch, before anything is copied or predicted."""
        if self.lazy:
            for rows in self.rows:
                rows.finish()

    def predict(self, reader: Reader) -> NDArray[np.float64]:
        """Probabilities (R, N, C) of every document, in the order of the split."""
        found = []
        for run in range(self.count):
            self.shape.model.load_state_dict(self.weights(run))
            found.append(predict(self.shape.model, reader))
        return np.stack(found)

    def weights(self, run: int) -> dict[str, Tensor]:
        """One run's parameters and buffers, as its own model names them; not a copy."""
        named = {EMBEDDING: self.table, **self.parameters, **self.buffers}
        return {name: value[run].detach() for name, value in named.items()}


def fit_together(
    name: str,
    models: list[AttentionModel],
    train: Reader,
    held_out: Reader,
    training: Training,
    draw: np.random.Generator,
    watch: Watch = unwatched,
) -> list[tuple[Best, History]]:
    """As `fit` for one model, for all of them at once; each model gets its own best weights."""
    if training.clip or training.patience or training.halve_on_plateau:
        raise UserError(f"{name}: runs trained together know no clip, patience or halve_on_plateau")
    runs = Runs(models, training)
    weights = class_weights(train.labels, train.classes, training)
    found: list[tuple[Best, History]] = [(Best(), []) for _ in models]
    watch(0, runs.weights)
    bar = tqdm(range(1, training.epochs + 1), desc=name, disable=None, leave=False, unit="epoch")
    for epoch in bar:
        started, total = time.perf_counter(), torch.zeros(len(models))
        batches = train.batches(training.batch, draw, training.length_jitter, training.cap)
        for number, batch in enumerate(batches, 1):
            lost = runs.step(Inputs.of(batch), torch.from_numpy(batch.labels), weights)
            check_finite(lost.sum(), name, epoch, number, training.learning_rate)
            total += lost.sum(1)
        speed = int(len(models) * train.tokens / (time.perf_counter() - started))
        runs.finish()
        watch(epoch, runs.weights)
        probabilities = runs.predict(held_out)
        for run, (best, history) in enumerate(found):
            score = METRICS[training.metric](probabilities[run], held_out.labels)
            loss = float(total[run]) / len(train.labels)
            rate = training.learning_rate
            history.append({"epoch": epoch, "loss": loss, "score": score, "learning_rate": rate})
            if epoch >= min(training.first_epoch, training.epochs):
                best.offer(score, epoch, partial(runs.weights, run), probabilities[run])
        mean = {key: np.mean([course[-1][key] for _, course in found]) for key in ("loss", "score")}
        shown = {"loss": f"{mean['loss']:.4f}", "dev": f"{mean['score']:.4f}"}
        bar.set_postfix(**shown, tokens_per_s=speed)
    for model, (best, _) in zip(models, found, strict=True):
        check_kept(best, name, training)
        model.load_state_dict(best.weights)
    return found
