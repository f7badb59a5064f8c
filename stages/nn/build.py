"""Builds a model of one corpus from its settings in params.yaml."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from stages.corpora.vocabulary import PADDING
from stages.nn.attention import AttentionModel, PairModel
from stages.nn.hierarchical import HierarchicalModel
from stages.nn.parts import make
from stages.settings.errors import UserError
from stages.settings.studies import Choice, Model

PAIR_HEAD = Choice(kind="pair")


def build(
    settings: Model, vectors: NDArray[np.float32], classes: int, pair: bool
) -> AttentionModel:
    """The model of one run, initialised from torch's global generator."""
    if pair and settings.architecture == "hierarchical":
        raise UserError("a hierarchical model reads one text, not a pair; choose another data set")
    width = vectors.shape[1]
    single = classes == 2 and settings.two_classes == "sigmoid" and not pair
    words = _layer(settings, width, False) if settings.architecture == "hierarchical" else None
    inner = int(words["encoder"].size) if words is not None else width  # type: ignore[arg-type]
    layer = _layer(settings, inner, pair)
    size = layer["encoder"].size
    head = make(
        "heads", PAIR_HEAD if pair else settings.head, size=size, outputs=1 if single else classes
    )
    parts = (_embedding(vectors), layer["encoder"], layer["score"], layer["projection"], head)
    dropout = (settings.dropout.embedded, settings.dropout.pooled)
    if pair:
        query = make("encoders", settings.encoder, width=width)
        return PairModel(_embedding(vectors), query, *parts, dropout=dropout)
    if words is not None:
        return HierarchicalModel(words, settings.dropout.words, dropout, *parts)
    return AttentionModel(*parts, dropout=dropout)


def _layer(settings: Model, width: int, pair: bool) -> nn.ModuleDict:
    encoder = make("encoders", settings.encoder, width=width)
    score = make("scores", settings.score, size=encoder.size, pair=pair)
    projection = make("projections", settings.projection)
    return nn.ModuleDict({"encoder": encoder, "score": score, "projection": projection})


def _embedding(vectors: NDArray[np.float32]) -> nn.Embedding:
    """Trainable vectors with a padding row that stays zero."""
    table = torch.from_numpy(vectors.copy())
    table[PADDING] = 0
    return nn.Embedding.from_pretrained(table, freeze=False, padding_idx=PADDING)
