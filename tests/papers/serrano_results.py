"""Synthetic tidy tables of erasures, for tests of Serrano & Smith 2019."""

from typing import Any

import numpy as np
import pandas as pd

from stages.papers.serrano_smith import verdicts
from stages.papers.serrano_smith.evidence import Results
from tests.papers.deciding import record_of

YAHOO, RUNWAY, BOXES, CLOTHING = "yahoo-answers", "rent-the-runway", "amazon-boxes", "clothing"
SETS = (YAHOO, RUNWAY, BOXES, CLOTHING)  # what runs for Yahoo, IMDB, Amazon and Yelp
MODELS = ("han-rnn", "flan-rnn", "han-conv", "flan-conv", "han-noenc", "flan-noenc")
TOPS, MODES = ("attention", "gradient", "product"), ("paper", "as_coded", "expected")
RANKINGS = ("attention", "gradient", "product", "centred", "random")
RUN = ["dataset", "model", "encoder", "attention", "value", "seed"]
DOCUMENT = ["instance", "predicted", "probability", "length", "max_attention", "default_class"]
COLUMNS = {
    "instances": [*RUN, *DOCUMENT, "any_single_flips"],
    "single": [
        *(*RUN, "instance", "ranking", "js_top", "top_flips", "mode"),
        *("js_random", "delta_alpha", "random_flips", "delta_js"),
    ],
    "multi": [
        *(*RUN, "instance", "ranking", "order", "count"),
        *("fraction", "mass", "count_to_mean", "length"),
    ],
    "scores": [
        *("dataset", "model", "seed", "n", "accuracy"),
        *("f1", "positives", "predicted_positives"),
    ],
}
Pair = tuple[str, str]


def about(dataset: str = YAHOO, model: str = "han-rnn") -> dict:
    """The columns that every table of results starts with."""
    encoders = {"rnn": "bigru", "conv": "conv", "noenc": "none"}
    return {
        "dataset": dataset,
        "model": model,
        "encoder": encoders[model.split("-")[1]],
        "attention": "additive",
        "value": np.nan,
        "seed": 1,
    }


def _table(name: str, pair: Pair, columns: dict[str, Any]) -> pd.DataFrame:
    return pd.DataFrame(about(*pair) | columns, columns=COLUMNS[name])


def instances(length, *pair: str, any_single_flips=False) -> pd.DataFrame:
    """Documents 0, 1, ... of these lengths."""
    defaults = {"predicted": 0, "probability": 0.9, "max_attention": 0.3, "default_class": 1}
    columns = {"instance": np.arange(len(length)), "length": np.asarray(length)}
    flips = {"any_single_flips": any_single_flips}
    return _table("instances", pair, defaults | columns | flips)


def single(
    count: int = 12, *pair: str, ranking: str = "attention", mode: str = "paper", **columns
) -> pd.DataFrame:
    """Single erasures of one model; `columns` replace the defaults."""
    row = {
        "instance": np.arange(count),
        "ranking": ranking,
        "mode": mode,
        "delta_alpha": 0.5,
        "top_flips": False,
        "random_flips": 0.0,
        "js_random": 0.1,
    }
    row |= {name: np.asarray(values) for name, values in columns.items()}
    moved = row.setdefault("delta_js", np.float64(0.2))
    return _table("single", pair, row | {"js_top": moved + row["js_random"]})


def multi(
    count, *pair: str, ranking: str = "attention", length=10, order: int = 0, **columns
) -> pd.DataFrame:
    """Items erased at the first flip, one number per document, 0 for never."""
    erased, items = np.asarray(count), np.broadcast_to(length, np.shape(count))
    row = {
        "instance": np.arange(len(erased)),
        "ranking": ranking,
        "order": order,
        "count": erased,
        "fraction": erased / items,
        "mass": np.where(erased > 0, columns.pop("mass", 0.5), np.nan),
        "count_to_mean": columns.pop("count_to_mean", erased),
        "length": items,
    }
    assert not columns
    return _table("multi", pair, row)


def rankings(*pair: str, documents: int = 12, other: int = 5, **counts) -> pd.DataFrame:
    """All five rankings of one model; a single number holds for every document."""
    parts = [
        multi(np.broadcast_to(counts.get(name, other), documents), *pair, ranking=name)
        for name in RANKINGS
    ]
    return pd.concat(parts, ignore_index=True)


def score(dataset: str, model: str, accuracy: float, n: int = 1_000_000) -> dict:
    return {
        "dataset": dataset,
        "model": model,
        "seed": 1,
        "n": n,
        "accuracy": accuracy,
        "f1": accuracy,
        "positives": n // 5,
        "predicted_positives": n // 5,
    }


def scores(*rows: dict) -> pd.DataFrame:
    return pd.DataFrame(list(rows), columns=COLUMNS["scores"])


def results(**tables) -> Results:
    """Results with these tables, or lists of tables to concatenate; the rest is empty."""
    joined = {}
    for name, columns in COLUMNS.items():
        table = tables.get(name, [])
        parts = [table] if isinstance(table, pd.DataFrame) else list(table)
        empty = pd.DataFrame(columns=columns)
        joined[name] = pd.concat(parts, ignore_index=True) if parts else empty
    return Results(**joined)


def in_order(*tables: pd.DataFrame) -> Results:
    """Erasures along rankings; a model counts as run when it has single erasures."""
    joined = pd.concat(tables, ignore_index=True)
    pairs = joined[["dataset", "model"]].drop_duplicates().to_numpy().tolist()
    return results(multi=joined, single=[single(12, *pair) for pair in pairs])


def whole(documents: int = 30, sets=(YAHOO, BOXES), models=MODELS, seed: int = 0) -> Results:
    """A run of all architectures on two data sets: every table has rows."""
    draw = np.random.default_rng(seed)
    pairs = [(name, model) for name in sets for model in models]
    return results(
        instances=[instances([10] * documents + [1], *pair) for pair in pairs],
        single=[
            single(
                documents,
                *pair,
                ranking=ranking,
                mode=mode,
                delta_js=draw.uniform(-0.1, 0.4, documents),
                delta_alpha=draw.uniform(0, 1, documents),
                top_flips=draw.random(documents) < 0.5,
                random_flips=(draw.random(documents) < 0.3).astype(float),
            )
            for pair in pairs
            for ranking in TOPS
            for mode in MODES
        ],
        multi=[
            multi(
                draw.integers(0, 11, documents),
                *pair,
                ranking=ranking,
                mass=draw.uniform(0, 1, documents),
                order=order,
            )
            for pair in pairs
            for ranking in RANKINGS
            for order in ((0, 1) if ranking == "random" else (0,))
        ],
        scores=scores(*(score(*pair, 0.5, n=1000) for pair in pairs)),
    )


def verdict_on(name: str, run: Results) -> dict[str, Any]:
    """The record of one claim."""
    return record_of(verdicts, name, run)
