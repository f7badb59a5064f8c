"""A trained model on disk: weights.safetensors, model.json, history.csv; nothing is pickled."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file, save_file

from stages.corpora.corpus import Corpus
from stages.corpora.vocabulary import PADDING
from stages.nn.attention import AttentionModel
from stages.nn.build import build
from stages.nn.training import History
from stages.settings import paths
from stages.settings.errors import UserError
from stages.settings.files import read_json, write_json
from stages.settings.section import frozen
from stages.settings.studies import Model

WEIGHTS, ABOUT, HISTORY = "weights.safetensors", "model.json", "history.csv"
EMBEDDING, ROWS, VALUES = "embedding.weight", "embedding.rows", "embedding.values"


class DrawnTable(NamedTuple):
    """Word vectors that are drawn, uniform on (-spread, spread): they need not be stored."""

    seed: int
    rows: int
    dimension: int
    spread: float


def drawn_vectors(table: DrawnTable) -> NDArray[np.float32]:
    """The vectors of a drawn table, (V, E); the padding row is zero."""
    draw = np.random.default_rng(table.seed)
    vectors = draw.uniform(-table.spread, table.spread, (table.rows, table.dimension))
    vectors[PADDING] = 0
    return vectors.astype(np.float32)


def save(
    model: AttentionModel,
    about: dict[str, Any],
    history: History,
    folder: Path,
    trace: pd.DataFrame | None = None,
) -> None:
    """Write weights, model.json and history, and the trace of token scores if there is one.

    Where `about` says how the embedding was drawn, only the rows that training changed are stored.
    """
    if trace is not None:
        trace.to_parquet(folder / paths.TRACE, index=False)
    weights = {name: value.contiguous() for name, value in model.state_dict().items()}
    if "drawn" in about:
        table = weights.pop(EMBEDDING)
        initial = torch.from_numpy(drawn_vectors(DrawnTable(**about["drawn"])))
        rows = (table != initial).any(1).nonzero().squeeze(1)
        weights |= {ROWS: rows.to(torch.int32), VALUES: table[rows].contiguous()}
    save_file(weights, folder / WEIGHTS)
    write_json(folder / ABOUT, about)
    pd.DataFrame(history).to_csv(folder / HISTORY, index=False, na_rep="nan", lineterminator="\n")


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
    if ROWS in weights:  # the embedding was drawn, only changed rows were stored
        table = torch.from_numpy(drawn_vectors(DrawnTable(**about["drawn"])))
        table[weights.pop(ROWS).long()] = weights.pop(VALUES)
        weights[EMBEDDING] = table
    rows, width = weights[EMBEDDING].shape
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
