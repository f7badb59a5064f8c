"""A trained model on disk: weights.safetensors, model.json, history.csv; nothing is pickled."""

import csv
import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from safetensors.torch import load_file, save_file

from stages.corpora.corpus import Corpus
from stages.nn.attention import AttentionModel
from stages.nn.build import build
from stages.nn.training import History
from stages.settings import paths
from stages.settings.errors import UserError
from stages.settings.files import read_json, write_json
from stages.settings.section import frozen
from stages.settings.studies import Model

WEIGHTS, ABOUT, HISTORY = "weights.safetensors", "model.json", "history.csv"


def digest(value: Any) -> str:
    """A short digest of settings."""
    text = json.dumps(value, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def files_digest(*paths: Path) -> str:
    """A short digest of files, and of the Python files below folders."""
    total = hashlib.sha256()
    for path in paths:
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            total.update(file.name.encode() + b"\0" + file.read_bytes())
    return total.hexdigest()[:16]


def save(
    model: AttentionModel,
    about: dict[str, Any],
    history: History,
    folder: Path,
    trace: pd.DataFrame | None = None,
) -> None:
    """Writes the three files, and the trace of token scores if there is one."""
    if trace is not None:
        trace.to_parquet(folder / paths.TRACE, index=False)
    save_file(
        {name: value.contiguous() for name, value in model.state_dict().items()}, folder / WEIGHTS
    )
    write_json(folder / ABOUT, about)
    with (folder / HISTORY).open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(history[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(history)


def finished(folder: Path, fingerprint: str) -> bool:
    """Whether the folder holds a model with this fingerprint of settings, data and code."""
    about = folder / ABOUT
    return about.is_file() and read_json(about).get("fingerprint") == fingerprint


def read_about(folder: Path) -> dict[str, Any]:
    """The content of model.json."""
    if not (folder / ABOUT).is_file():
        raise UserError(f"{folder} holds no trained model")
    about: dict[str, Any] = read_json(folder / ABOUT)
    return about


def load(folder: Path, corpus: Corpus) -> AttentionModel:
    """The model in evaluation mode; its data set and vocabulary must be those of the corpus."""
    about = read_about(folder)
    if about["dataset"] != corpus.name:
        raise UserError(f"{folder} was trained on {about['dataset']}, not on {corpus.name}")
    weights = load_file(folder / WEIGHTS)
    rows, width = weights["embedding.weight"].shape
    if rows != corpus.vocabulary_size:
        raise UserError(
            f"{folder} has {rows} words, the corpus {corpus.name} has "
            f"{corpus.vocabulary_size}; train it again"
        )
    settings = Model.model_validate(frozen(about["model"]))
    vectors = np.zeros((rows, width), np.float32)
    model = build(settings, vectors, len(corpus.labels), corpus.task != "classification")
    initial = model.state_dict()
    for name in [*initial, *weights]:
        if name not in weights or name not in initial or initial[name].shape != weights[name].shape:
            raise UserError(
                f"{folder}: the weights are not of the configuration in {ABOUT}: {name}"
            )
    model.load_state_dict(weights)
    return model.eval()
