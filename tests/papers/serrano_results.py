"""Synthetic tidy tables of erasures, for tests of Serrano & Smith 2019."""

from typing import Any

import numpy as np
import pandas as pd

from stages.papers.serrano_smith import verdicts
from stages.papers.serrano_smith.evidence import Results
from tests.papers.common import joined, keys, record_of, score

# what runs for Yahoo, IMDB, Amazon and Yelp
YAHOO, RUNWAY, BOXES, CLOTHING = "yahoo-answers", "rent-the-runway", "amazon-boxes", "clothing"
MODELS = ("han-rnn", "flan-rnn", "han-conv", "flan-conv", "han-noenc", "flan-noenc")
TOPS, MODES = ("attention", "gradient", "product"), ("paper", "as_coded", "expected")
RANKINGS = ("attention", "gradient", "product", "centred", "random")


def about(dataset: str = YAHOO, model: str = "han-rnn") -> dict[str, Any]:
    """The columns that every table of results starts with."""
    encoders = {"rnn": "bigru", "conv": "conv", "noenc": "none"}
    return keys(dataset, model, encoders[model.split("-")[1]])


def instances(length, *pair: str, any_single_flips=False) -> pd.DataFrame:
    """Documents 0, 1, ... of these lengths."""
    defaults = {"predicted": 0, "probability": 0.9, "max_attention": 0.3, "default_class": 1}
    columns = {"instance": np.arange(len(length)), "length": np.asarray(length)}
    flips = {"any_single_flips": any_single_flips}
    return pd.DataFrame(about(*pair) | defaults | columns | flips)


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
    return pd.DataFrame(about(*pair) | row | {"js_top": moved + row["js_random"]})


def multi(
    count, *pair: str, ranking="attention", length=10, order=0, mass=0.5, count_to_mean=None
) -> pd.DataFrame:
    """Items erased at the first flip, one number per document, 0 for never."""
    erased, items = np.asarray(count), np.broadcast_to(length, np.shape(count))
    row = {
        "instance": np.arange(len(erased)),
        "ranking": ranking,
        "order": order,
        "count": erased,
        "fraction": erased / items,
        "mass": np.where(erased > 0, mass, np.nan),
        "count_to_mean": erased if count_to_mean is None else count_to_mean,
        "length": items,
    }
    return pd.DataFrame(about(*pair) | row)


def rankings(*pair: str, documents: int = 12, other: int = 5, **counts) -> pd.DataFrame:
    """All five rankings of one model; a single number holds for every document."""
    parts = [
        multi(np.broadcast_to(counts.get(name, other), documents), *pair, ranking=name)
        for name in RANKINGS
    ]
    return pd.concat(parts, ignore_index=True)


EXAMPLES = {
    "instances": instances([1]),
    "single": single(1),
    "multi": multi([1]),
    "scores": pd.DataFrame([score(YAHOO, "han-rnn", 0.5)]),
}


def results(**tables) -> Results:
    return Results(**joined(EXAMPLES, tables))


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
        scores=pd.DataFrame([score(*pair, 0.5, n=1000) for pair in pairs]),
    )


def verdict_on(name: str, run: Results) -> dict[str, Any]:
    """The record of one claim."""
    return record_of(verdicts, name, run)
