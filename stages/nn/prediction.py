"""Outputs and attention of every document of a split."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from stages.corpora.batching import Batch, Reader
from stages.nn.attention import AttentionModel
from stages.nn.context_free import outputs, without_context
from stages.nn.inputs import Inputs

BATCH = 128  # documents at a time


@dataclass(frozen=True)
class Answers:
    """A model's outputs and attention on a split."""

    probabilities: Tensor  # (rows of the split, C); zero for documents that are not read
    weights: NDArray[np.float32]  # one for each value of the reader's text


def _batches(
    model: AttentionModel, reader: Reader, size: int
) -> Iterator[tuple[Batch, Tensor, Tensor]]:
    """Each batch with its probabilities (B, C) and attention weights (B, T)."""
    model.eval()
    for batch in reader.batches(size):
        logits, weights = outputs(model, Inputs.of(batch))
        yield batch, model.probabilities(logits), weights


@torch.no_grad()
def answers(model: AttentionModel, reader: Reader) -> Answers:
    """The model's outputs and attention for every document of a reader."""
    flat = np.zeros(len(reader.text.values), np.float32)
    probabilities = torch.zeros(0)
    for batch, of_batch, weights in _batches(model, reader, BATCH):
        if not len(probabilities):
            probabilities = of_batch.new_zeros(len(reader.text), of_batch.shape[1])
        probabilities[torch.from_numpy(batch.rows)] = of_batch
        places = np.arange(batch.tokens.shape[1])
        real = places < batch.lengths[:, None]  # (B, T)
        at = reader.text.offsets[batch.rows][:, None] + places
        flat[at[real]] = weights.numpy()[real]
    return Answers(probabilities, flat)


@torch.no_grad()
def predict(model: AttentionModel, reader: Reader) -> NDArray[np.float64]:
    """Probabilities (N, C) of every document, in the order of the split."""
    # without context larger batches have more copies of each word
    size = 512 if without_context(model) else BATCH
    batches = [(batch.rows, of_batch) for batch, of_batch, _ in _batches(model, reader, size)]
    rows, probabilities = zip(*batches, strict=True)
    return torch.cat(probabilities).double().numpy()[np.argsort(np.concatenate(rows))]
