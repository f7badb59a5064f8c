"""One run, trained step by step with autograd."""

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from stages.corpora.batching import Reader
from stages.nn.attention import AttentionModel
from stages.nn.inputs import Inputs
from stages.nn.optimizers import Steps, losses
from stages.nn.penalty import penalty
from stages.nn.prediction import predict
from stages.settings.studies import Training


class SingleRun:
    """One model; a Trainee."""

    def __init__(self, model: AttentionModel, training: Training) -> None:
        self.model, self.training, self.steps = model, training, Steps(model, training)

    @property
    def rate(self) -> float:
        """The learning rate."""
        return self.steps.rate

    @rate.setter
    def rate(self, rate: float) -> None:
        self.steps.rate = rate

    def step(self, inputs: Inputs, labels: Tensor, class_weights: Tensor) -> Tensor:
        """One update; the summed loss of the batch (1,), in float64."""
        self.model.train()
        by_document = losses(self.model(inputs).logits, labels, class_weights)  # (B,)
        loss = by_document.sum() if self.training.loss == "sum" else by_document.mean()
        if self.training.product_penalty:
            named = dict(self.model.named_parameters())
            loss = loss + penalty(named, self.training.product_penalty)
        self.steps.step(loss)
        return by_document.detach().sum().double().unsqueeze(0)

    def predict(self, reader: Reader) -> NDArray[np.float64]:
        """Probabilities (1, N, C)."""
        return predict(self.model, reader)[None]

    def weights(self, run: int) -> dict[str, Tensor]:
        """The model's state dict."""
        return self.model.state_dict()

    def finish(self) -> None:
        """Brings every embedding row up to date: after an epoch, before weights are read."""
        self.steps.finish()

    def close(self) -> None:
        """Removes the hooks from the embedding tables."""
        self.steps.close()
