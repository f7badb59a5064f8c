"""A small corpus in which one word determines the class, with models and training settings."""

import numpy as np
import torch

from stages.corpora.corpus import Corpus, Part
from stages.corpora.ragged import Ragged
from stages.nn.attention import AttentionModel
from stages.nn.build import build
from stages.settings.studies import Model, Training

FILLERS = 6


def corpus(documents: int = 120, seed: int = 0, name: str = "toy") -> Corpus:
    """Each document has type 0 (class 0) or type 1 (class 1) among fillers."""
    draw = np.random.default_rng(seed)

    def part(n: int) -> Part:
        labels = np.arange(n) % 2
        texts = []
        for label in labels:
            text = draw.integers(2, 2 + FILLERS, draw.integers(3, 9)).tolist()
            text[draw.integers(len(text))] = int(label)
            texts.append(text)
        return Part(labels.astype(np.int64), Ragged.of(texts))

    types = ("bad", "good", *(f"filler{i}" for i in range(FILLERS)))
    return corpus_of({"train": part(documents), "dev": part(40), "test": part(40)}, types, name)


def corpus_of(parts, types, name: str = "toy", labels=("no", "yes")) -> Corpus:
    """A corpus of encoded splits; the ids 0 to 3 are those of special tokens."""
    ids = np.arange(len(types), dtype=np.int32) + 4
    return Corpus(name, "classification", False, labels, tuple(types), ids, parts)


def vectors(size: int = 12, dimension: int = 8, seed: int = 1):
    table = np.random.default_rng(seed).normal(size=(size, dimension)).astype(np.float32)
    table[0] = 0
    return table


def model(encoder=None, score=None, projection=None, **changes) -> Model:
    entry = {
        "encoder": encoder or {"kind": "average", "hidden": 6, "activation": "tanh"},
        "score": score or {"kind": "additive", "divisor": 2},
        "projection": projection or {"kind": "softmax"},
        "head": {"kind": "linear", "bias": True, "xavier": False, "logit_dropout": 0.0},
        "two_classes": "sigmoid",
    }
    return Model.model_validate(entry | changes)


def training(**changes) -> Training:
    entry = {
        "optimizer": "adam",
        "learning_rate": 0.01,
        "loss": "mean",
        "batch": 16,
        "epochs": 4,
        "metric": "accuracy",
    }
    return Training.model_validate(entry | changes)


def network(settings: Model | None = None, seed: int = 0, table=None) -> AttentionModel:
    """A model initialised from `seed`; by default of the settings and vectors above."""
    torch.manual_seed(seed)
    return build(settings or model(), vectors() if table is None else table, 2, False)
