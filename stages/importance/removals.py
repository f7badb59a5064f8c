"""Removal of tokens from a batch: which to remove and what remains.

P removals of single tokens are two tensors, documents (P,) and places (P,), sorted by document.
"""

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from typing import TypeVar

import torch
from torch import Tensor

from stages.nn.attention import AttentionModel
from stages.nn.inputs import Encoded, Inputs

Documents = TypeVar("Documents", Inputs, Encoded)
Without = Callable[[Tensor, Tensor], Tensor]  # documents (P,) and places (P,) to logits (P, C)


def removals(mask: Tensor, positions: int) -> Iterator[tuple[Tensor, Tensor]]:
    """All tokens of documents of more than one, in chunks of at most `positions` padded tokens."""
    pairs = (mask & (mask.sum(1, keepdim=True) > 1)).nonzero()  # (N, 2)
    size = max(1, positions // mask.shape[1])
    for start in range(0, len(pairs), size):
        documents, places = pairs[start : start + size].T
        yield documents, places


def take(values: Tensor | None, rows: Tensor) -> Tensor | None:
    """Rows of an optional tensor."""
    return None if values is None else values[rows]


def rows_of(inputs: Documents, rows: Tensor) -> Documents:
    """Documents of a batch by their rows."""
    return type(inputs)(*(take(getattr(inputs, field.name), rows) for field in fields(inputs)))  # type: ignore[arg-type]


def subset(inputs: Inputs, kept: Tensor) -> Inputs:
    """The documents with only the kept positions (B, T), without gaps."""
    order = (~kept).long().argsort(dim=1, stable=True)[:, : int(kept.sum(1).max())]
    real = torch.arange(kept.shape[1]) < inputs.lengths.unsqueeze(1)
    return replace(
        inputs,
        tokens=inputs.tokens.gather(1, order).masked_fill(~kept.gather(1, order), 0),
        lengths=(kept & real).sum(1),
        mask=(inputs.mask & kept).gather(1, order),
        weights=None,
    )


def mask_without(mask: Tensor, documents: Tensor, places: Tensor) -> Tensor:
    """The documents' masks (P, T), false at the removed places."""
    remaining = mask[documents].clone()
    remaining[torch.arange(len(places)), places] = False
    return remaining


def encoded_without(encoded: Encoded, documents: Tensor, places: Tensor) -> Encoded:
    """Encoded documents with the removed places masked."""
    mask = mask_without(encoded.mask, documents, places)
    return replace(rows_of(encoded, documents), mask=mask, weights=None)


def pool(weights: Tensor, states: Tensor, documents: Tensor) -> Tensor:
    """Weights (P, T) times states (B, T, H), one small matrix product per document: (P, H)."""
    rows, counts = documents.unique_consecutive(return_counts=True)
    parts = weights.split(counts.tolist())
    return torch.cat([part @ states[row] for part, row in zip(parts, rows.tolist(), strict=True)])


def decode_pooled(
    model: AttentionModel, encoded: Encoded, documents: Tensor, pooled: Tensor
) -> Tensor:
    """Logits (P, C) of pooled states (P, H)."""
    return model.head(pooled, take(encoded.query, documents), take(encoded.candidates, documents))
