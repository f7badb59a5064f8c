"""Several runs of one architecture trained in one pass, stacked along a leading axis.

Runs differ in seed or in an option that is a buffer (Sun & Lu's lambda). Each has its own batches.
Parameters are stacked and the optimisers work element by element, so each run ends where it would
end alone. Recurrent models and models with an encoder gain little from stacking and are trained one
by one.

Speed: 5x of one run after the other by kernels/dot_product.py, benchmark "35 runs of DP".
"""

import copy
from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.func import stack_module_state

from stages.corpora.batching import Batch, Reader
from stages.corpora.ragged import Longs
from stages.corpora.vocabulary import PADDING
from stages.nn.attention import AttentionModel
from stages.nn.encoders.none import NoEncoder
from stages.nn.heads.linear import Linear
from stages.nn.kernels import dot_product
from stages.nn.kernels.rows import Rows
from stages.nn.optimizers import optimizer
from stages.nn.penalty import penalty
from stages.nn.prediction import predict
from stages.nn.projections.softmax import Softmax
from stages.settings.studies import Training

EMBEDDING = "embedding.weight"
CONTEXT, OUTPUT, SCALE = "score.vector", "head.layer.weight", "score.scale"


def is_dot_product(model: AttentionModel) -> bool:
    """Whether kernels/dot_product.py computes this model: DP with a plain softmax and output."""
    return (
        {name for name, _ in model.named_parameters()} == {EMBEDDING, CONTEXT, OUTPUT}
        and isinstance(model.encoder, NoEncoder)
        and isinstance(model.projection, Softmax)
        and isinstance(model.head, Linear)
        and model.head.dropout.rate == 0
    )


def in_step(training: Training) -> bool:
    """Whether runs make the same number of steps, all of them independent of other parameters."""
    alone = (training.clip, training.patience, training.cap)
    return not (training.halve_on_plateau or any(alone)) and Rows.exact_for(training)


class StackedRuns:
    """R models with the same parameter shapes: their parameters, optimisers and weights."""

    def __init__(self, models: list[AttentionModel], training: Training) -> None:
        parameters, self.buffers = stack_module_state(models)
        self.count, self.training, self.rate = len(models), training, training.learning_rate
        self.table = parameters.pop(EMBEDDING).detach()  # (R, V, E)
        self.parameters = parameters
        self.model = copy.deepcopy(models[0])  # its weights are replaced by those of each run
        self.rows = [Rows(table, training) for table in self.table]
        self.steps = optimizer(list(parameters.items()), training)

    def finish(self) -> None:
        """Brings every row up to date: after an epoch, before weights are read."""
        for rows in self.rows:
            rows.finish()

    def weights(self, run: int) -> dict[str, Tensor]:
        """The state dict of a run; not a copy."""
        named = {EMBEDDING: self.table, **self.parameters, **self.buffers}
        return {name: value[run].detach() for name, value in named.items()}

    def close(self) -> None:
        """Nothing to remove: the models were copied."""


class StackedDotProducts(StackedRuns):
    """R models of Sun & Lu's DP, whose gradients the compiled kernel computes."""

    def __init__(self, models: list[AttentionModel], training: Training) -> None:
        super().__init__(models, training)
        self.draw = np.random.default_rng(int(torch.randint(2**62, ())))  # of dropout

    @staticmethod
    def applies(models: Sequence[AttentionModel], train: Reader, training: Training) -> bool:
        """Whether the models can be trained stacked; the kernel knows no boundary tokens."""
        plain = is_dot_product(models[0]) and not train.add_boundary_tokens
        return len(models) > 1 and plain and in_step(training)

    def train_batch(self, batches: Sequence[Batch], class_weights: Tensor) -> Tensor:
        """One update of every run on its own batch; the summed loss of each batch (R,).

        Run after run, so that what a run's step touches stays in cache from look-up to update.
        """
        self.model.train()
        self.steps.zero_grad()
        for name in (CONTEXT, OUTPUT):
            self.parameters[name].grad = torch.empty_like(self.parameters[name])
        summed = [self._step(run, batch, class_weights) for run, batch in enumerate(batches)]
        if self.training.product_penalty:
            penalty(self.parameters, self.training.product_penalty).backward()
        self.steps.step()
        return torch.tensor(summed)

    def _step(self, run: int, batch: Batch, class_weights: Tensor) -> float:
        """Gradients of one run and one step of its rows; the summed loss of its batch."""
        ids, places = distinct(batch.tokens)
        divisor = 1 if self.training.loss == "sum" else len(batch.labels)
        of_batch = (ids, places, batch.lengths, batch.labels, (class_weights / divisor).numpy())
        context, output = (self.parameters[name] for name in (CONTEXT, OUTPUT))
        weights = (context[run].detach().numpy(), output[run].detach().numpy())
        dropout = (self.model.drop_embedded.rate, self.model.drop_pooled.rate)
        seed = np.uint32(self.draw.integers(2**32))
        self.rows[run].refresh(ids)
        unweighted, grad_rows, grad_context, grad_output = dot_product.gradients(
            self.table[run].numpy(),
            *of_batch,
            *weights,
            float(self.buffers[SCALE][run]),
            dropout,
            seed,
        )
        assert context.grad is not None
        assert output.grad is not None
        context.grad[run], output.grad[run] = map(torch.from_numpy, (grad_context, grad_output))
        grad_rows[ids == PADDING] = 0.0
        self.rows[run].update(ids, grad_rows)
        return float((torch.from_numpy(unweighted) * class_weights[batch.labels]).sum())

    def predict(self, reader: Reader) -> NDArray[np.float64]:
        """Probabilities (R, N, C) of every document, in the order of the split."""
        probabilities = []
        for run in range(self.count):
            self.model.load_state_dict(self.weights(run))
            probabilities.append(predict(self.model, reader))
        return np.stack(probabilities)


def distinct(tokens: Longs) -> tuple[Longs, Longs]:
    """The distinct words (U,) of tokens (B, T) in ascending order, and places (B, T) among them."""
    words, places = torch.from_numpy(tokens).unique(return_inverse=True)
    return words.numpy(), places.numpy()
