"""Outputs and attention weights of a model on every document of a reader."""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from stages.corpora.batching import Reader
from stages.nn.attention import AttentionModel
from stages.nn.context_free import outputs
from stages.nn.distinct_words import log_counts
from stages.nn.inputs import Inputs

BATCH = 128  # documents at a time


@dataclass(frozen=True)
class Answers:
    """A model's outputs and attention on a split."""

    probabilities: Tensor  # (rows of the split, C); zero for documents that are not read
    weights: NDArray[np.float32]  # one for each value of the reader's text


@torch.no_grad()
def answers(model: AttentionModel, reader: Reader) -> Answers:
    """The model's outputs and attention for every document of a reader."""
    model.eval()
    flat = np.zeros(len(reader.text.values), np.float32)
    probabilities = torch.zeros(0)
    for batch in reader.batches(BATCH):
        logits, weights = outputs(model, Inputs.of(batch), log_counts(reader, batch.rows))
        if not len(probabilities):
            probabilities = logits.new_zeros(len(reader.text), logits.shape[1])
        probabilities[torch.from_numpy(batch.rows)] = model.probabilities(logits)
        places = np.arange(batch.tokens.shape[1])
        real = places < batch.lengths[:, None]  # (B, T)
        at = reader.text.offsets[batch.rows][:, None] + places
        flat[at[real]] = weights.numpy()[real]
    return Answers(probabilities, flat)
