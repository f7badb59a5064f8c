"""Outputs of a model for every document of a split."""

from collections.abc import Callable

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from stages.corpora.batching import Reader
from stages.nn import by_type
from stages.nn.attention import AttentionModel
from stages.nn.inputs import Inputs, Output


def predict(model: AttentionModel, reader: Reader) -> NDArray[np.float64]:
    """Probabilities (N, C) of every document, in the order of the split."""
    if by_type.applies(model):
        return by_type.predict(model, reader)
    return collect(model, reader, lambda output: model.probabilities(output.logits))


@torch.no_grad()
def collect(
    model: AttentionModel, reader: Reader, of: Callable[[Output], Tensor]
) -> NDArray[np.float64]:
    """A tensor (B, ...) computed by `of` from each batch's output, in the order of the split."""
    model.eval()
    values, rows = [], []
    for batch in reader.batches(128):
        values.append(of(model(Inputs.of(batch))))
        rows.append(batch.rows)
    joined = torch.cat(values).double().numpy()
    return joined[np.argsort(np.concatenate(rows))]
