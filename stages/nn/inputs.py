"""What a model reads and what it answers, as tensors."""

from dataclasses import dataclass

import torch
from torch import Tensor

from stages.corpora.batching import Batch


@dataclass(frozen=True)
class Inputs:
    """A batch of documents. `mask` is true where attention may rest."""

    tokens: Tensor  # (B, T); hierarchical: (B, S, T)
    lengths: Tensor  # (B,); hierarchical: (B, S) tokens of each sentence, 0 where there is none
    mask: Tensor  # (B, T); hierarchical: (B, S)
    query: Tensor | None = None  # (B, Q)
    query_lengths: Tensor | None = None  # (B,)
    candidates: Tensor | None = None  # (B, C)
    weights: Tensor | None = None  # (B, T), for attention frozen to another model's

    @classmethod
    def of(cls, batch: Batch) -> "Inputs":
        """Tensors of a batch of arrays."""
        given = (batch.query, batch.query_lengths, batch.candidates, batch.weights)
        rest = (None if array is None else torch.from_numpy(array) for array in given)
        return cls(
            torch.from_numpy(batch.tokens),
            torch.from_numpy(batch.lengths),
            torch.from_numpy(batch.mask),
            *rest,
        )


@dataclass(frozen=True)
class Encoded:
    """Documents after the encoder: all that attention and output need."""

    states: Tensor  # (B, T, H)
    mask: Tensor  # (B, T)
    query: Tensor | None = None  # (B, H)
    candidates: Tensor | None = None  # (B, C)
    weights: Tensor | None = None  # (B, T)


@dataclass(frozen=True)
class Output:
    """What every model returns; one logit for a sigmoid, C for a softmax."""

    logits: Tensor  # (B, C)
    weights: Tensor  # (B, T)
    scores: Tensor  # (B, T)
    encoded: Encoded
