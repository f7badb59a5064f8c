"""Several runs of one architecture trained in one pass, stacked along a leading axis.

Runs differ in seed or in an option that is a buffer (Sun & Lu's lambda). Parameters are stacked and
the model is mapped over them by vmap; the optimisers work element by element, so each run ends
where it would end alone on the same batches.

Speed: 5.4x of one run after the other by kernels/dot_product.py, benchmark "35 runs of DP"; 1.1x by
vmap, benchmark "35 runs of DP-A".
"""

import copy

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.func import functional_call, stack_module_state, vmap

from stages.corpora.batching import Reader
from stages.corpora.vocabulary import PADDING
from stages.nn.attention import AttentionModel
from stages.nn.encoders.none import NoEncoder
from stages.nn.heads.linear import Linear
from stages.nn.inputs import Inputs, Output
from stages.nn.kernels import dot_product
from stages.nn.kernels.rows import Rows
from stages.nn.optimizers import losses, optimizer
from stages.nn.penalty import penalty
from stages.nn.prediction import predict
from stages.nn.projections.softmax import Softmax
from stages.settings.studies import Training

EMBEDDING = "embedding.weight"
CONTEXT, OUTPUT, SCALE = "score.vector", "head.layer.weight", "score.scale"


def _is_dot_product(model: AttentionModel) -> bool:
    """Whether kernels/dot_product.py computes this model: DP with a plain softmax and output."""
    return (
        {name for name, _ in model.named_parameters()} == {EMBEDDING, CONTEXT, OUTPUT}
        and isinstance(model.encoder, NoEncoder)
        and isinstance(model.projection, Softmax)
        and isinstance(model.head, Linear)
        and model.head.dropout.rate == 0
    )


class StackedRuns:
    """R models with the same parameter shapes."""

    def __init__(self, models: list[AttentionModel], training: Training) -> None:
        parameters, self.buffers = stack_module_state(models)
        self.count, self.training, self.rate = len(models), training, training.learning_rate
        self.table = parameters.pop(EMBEDDING).detach()  # (R, V, E)
        self.parameters = parameters
        self.model = copy.deepcopy(models[0])  # its weights are replaced by those of each run
        self.lazy = Rows.exact_for(training)
        self.rows = [Rows(table, training) for table in self.table] if self.lazy else []
        named = list(parameters.items())
        if not self.lazy:
            named.append((EMBEDDING, self.table.requires_grad_()))
        self.steps = optimizer(named, training)
        self.compiled = self.lazy and _is_dot_product(models[0])
        self.draw = np.random.default_rng(int(torch.randint(2**62, ())))

    def logits(self, inputs: Inputs, rows: Tensor, places: Tensor) -> Tensor:
        """(R, B, C) of tokens `places` (B, T) into `rows` (R, U, E)."""

        def one(parameters: dict[str, Tensor], buffers: dict[str, Tensor], table: Tensor) -> Tensor:
            embedded = nn.functional.embedding(places, table)
            output: Output = functional_call(self.model, (parameters, buffers), (inputs, embedded))
            return output.logits

        return vmap(one, randomness="different")(self.parameters, self.buffers, rows)

    def train_batch(self, inputs: Inputs, labels: Tensor, class_weights: Tensor) -> Tensor:
        """One update of every run on the same batch; the summed loss of the batch (R,)."""
        self.model.train()
        self.steps.zero_grad()
        batch = (inputs, labels, class_weights)
        if not self.lazy:
            by_document = self._backward(*batch, self.table, inputs.tokens)
        else:
            present, places = inputs.tokens.unique(return_inverse=True)
            whole = bool((inputs.mask.sum(1) == inputs.lengths).all())  # no boundary tokens
            if self.compiled and whole:
                by_document = self._compiled(*batch, present, places)
            else:
                rows = self.looked_up(present)
                by_document = self._backward(*batch, rows, places)
                self.update(present, rows)
        self.steps.step()
        return by_document.sum(1)

    def looked_up(self, present: Tensor) -> Tensor:
        """Up-to-date embeddings (R, U, E) of the types (U,) of a batch, as leaves of autograd."""
        for rows in self.rows:
            rows.refresh(present.numpy())
        return self.table[:, present].requires_grad_()

    def update(self, present: Tensor, looked_up: Tensor) -> None:
        """One step of the rows that were looked up, by their gradients; padding stays zero."""
        assert looked_up.grad is not None
        looked_up.grad[:, present == PADDING] = 0.0
        for rows, gradient in zip(self.rows, looked_up.grad.numpy(), strict=True):
            rows.update(present.numpy(), gradient)

    def _backward(
        self, inputs: Inputs, labels: Tensor, class_weights: Tensor, rows: Tensor, places: Tensor
    ) -> Tensor:
        """Losses (R, B); gradients of all parameters by autograd."""
        logits = self.logits(inputs, rows, places)
        flat = losses(logits.flatten(0, 1), labels.repeat(self.count), class_weights)
        by_document = flat.view(self.count, -1)
        loss = by_document.sum() if self.training.loss == "sum" else by_document.mean(1).sum()
        if self.training.product_penalty:
            loss = loss + penalty(self.parameters, self.training.product_penalty)
        loss.backward()
        return by_document.detach()

    def _compiled(
        self, inputs: Inputs, labels: Tensor, class_weights: Tensor, present: Tensor, places: Tensor
    ) -> Tensor:
        """Losses (R, B) of DP; gradients by the compiled kernel, and one step of the rows.

        Run after run, so that what a run's step touches stays in cache from look-up to update.
        """
        classes, ids = labels.numpy(), present.numpy()
        divisor = 1 if self.training.loss == "sum" else len(classes)
        scaled_weights = (class_weights / divisor).numpy()
        shared = (ids, places.numpy(), inputs.lengths.numpy(), classes, scaled_weights)
        context, output = (self.parameters[name] for name in (CONTEXT, OUTPUT))
        context.grad, output.grad = torch.empty_like(context), torch.empty_like(output)
        tables, contexts, outputs, grad_contexts, grad_outputs = (
            value.detach().numpy()
            for value in (self.table, context, output, context.grad, output.grad)
        )
        scales = self.buffers[SCALE].tolist()
        dropout = (self.model.drop_embedded.rate, self.model.drop_pooled.rate)
        unweighted = np.empty((self.count, len(classes)), np.float32)
        for run, rows in enumerate(self.rows):
            rows.refresh(ids)
            seed = np.uint32(self.draw.integers(2**32))
            weights = (contexts[run], outputs[run], scales[run])
            gradients = dot_product.gradients(tables[run], *shared, *weights, dropout, seed)
            unweighted[run], grad_rows, grad_contexts[run], grad_outputs[run] = gradients
            grad_rows[ids == PADDING] = 0.0
            rows.update(ids, grad_rows)
        if self.training.product_penalty:
            penalty(self.parameters, self.training.product_penalty).backward()
        return torch.from_numpy(unweighted) * class_weights[labels]

    def finish(self) -> None:
        """Brings every row up to date: after an epoch, before weights are read."""
        for rows in self.rows:
            rows.finish()

    def predict(self, reader: Reader) -> NDArray[np.float64]:
        """Probabilities (R, N, C) of every document, in the order of the split."""
        probabilities = []
        for run in range(self.count):
            self.model.load_state_dict(self.weights(run))
            probabilities.append(predict(self.model, reader))
        return np.stack(probabilities)

    def weights(self, run: int) -> dict[str, Tensor]:
        """The state dict of a run; not a copy."""
        named = {EMBEDDING: self.table, **self.parameters, **self.buffers}
        return {name: value[run].detach() for name, value in named.items()}

    def close(self) -> None:
        """Nothing to remove: the models were copied."""
