"""Inputs and outputs of a model, as tensors."""

from dataclasses import dataclass, fields

import torch
from torch import Tensor

from stages.corpora.batching import Batch


@dataclass(frozen=True)
class Inputs:
    """A batch of documents. `mask` is true at positions that attention may weigh."""

    tokens: Tensor  # (B, T); hierarchical: (B, S, T)
    lengths: Tensor  # (B,); hierarchical: (B, S) tokens of each sentence, 0 for padding sentences
    mask: Tensor  # (B, T); hierarchical: (B, S)
    query: Tensor | None = None  # (B, Q)
    query_lengths: Tensor | None = None  # (B,)
    candidates: Tensor | None = None  # (B, C)
    weights: Tensor | None = None  # (B, T), for frozen attention

    @classmethod
    def of(cls, batch: Batch) -> "Inputs":
        """Tensors of a batch of arrays."""
        arrays = {field.name: getattr(batch, field.name) for field in fields(cls)}
        present = {name: array for name, array in arrays.items() if array is not None}
        return cls(**{name: torch.from_numpy(array) for name, array in present.items()})


@dataclass(frozen=True)
class Encoded:
    """Documents after the encoder: the inputs of attention and output."""

    states: Tensor  # (B, T, H)
    mask: Tensor  # (B, T)
    query: Tensor | None = None  # (B, H)
    candidates: Tensor | None = None  # (B, C)
    weights: Tensor | None = None  # (B, T)


@dataclass(frozen=True)
class Output:
    """Result of a forward pass; one logit for a sigmoid, C for a softmax."""

    logits: Tensor  # (B, C)
    weights: Tensor  # (B, T)
    scores: Tensor  # (B, T)
    encoded: Encoded
