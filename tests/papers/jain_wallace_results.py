"""Synthetic tables of results of Jain & Wallace's study, with every number set by the test."""

from typing import Any

import numpy as np
import pandas as pd

from stages.papers.jain_wallace import counterfactual_claims
from stages.papers.jain_wallace.evidence import Results
from tests.papers.common import joined, keys, record_of, score

GRADIENT, LOO, BOTH = "attention-gradient", "attention-leave_one_out", "leave_one_out-gradient"


def about(
    dataset: str = "rotten-tomatoes",
    encoder: str = "bilstm",
    attention: str = "additive",
    seed: int = 1,
) -> dict:
    """The columns that every table of results starts with."""
    return keys(dataset, f"{encoder}-{attention}", encoder, attention, seed=seed)


def documents(count: int, **columns) -> pd.DataFrame:
    """Documents 0, 1, ... with default columns."""
    table = pd.DataFrame({"instance": np.arange(count)})
    defaults = {"label": 0, "predicted": 0, "probability": 0.9, "length": 8, "max_attention": 0.3}
    return table.assign(**(defaults | columns))


def instances(count: int, of: dict | None = None, **columns) -> pd.DataFrame:
    return documents(count, **columns).assign(**(of or about()))


def taus(tau, of: dict | None = None, predicted=0, pair: str = GRADIENT, p=0.5) -> pd.DataFrame:
    """Correlations of one model, a row per document, joined with the predictions."""
    table = pd.DataFrame({"instance": np.arange(len(tau)), "tau": np.asarray(tau, float)})
    undefined = table["tau"].isna()
    table = table.assign(pair=pair, p=p, top_k_distance=0.5, predicted=predicted)
    table["p"] = table["p"].mask(undefined)
    return table.assign(**(of or about()))


def shuffled(median, of: dict | None = None, **columns) -> pd.DataFrame:
    defaults = {"lower": 0.0, "median": np.asarray(median, float), "upper": 1.0}
    return documents(len(median), **(defaults | columns)).assign(**(of or about()))


def adversaries(last, of: dict | None = None, epsilon: float = 0.05, **columns) -> pd.DataFrame:
    defaults = {
        "epsilon": epsilon,
        "last": np.asarray(last, float),
        "best": np.asarray(last, float),
        "feasible": True,
        "change": 0.004,
        "candidate": 1,
        "other_top_token": False,
    }
    return documents(len(last), **(defaults | columns)).assign(**(of or about()))


def tokens(weights, of: dict | None = None) -> pd.DataFrame:
    """The weights of each document in turn."""
    rows = [
        {"instance": row, "position": place, "weight": weight}
        for row, document in enumerate(weights)
        for place, weight in enumerate(document)
    ]
    return pd.DataFrame(rows).assign(**(of or about()))


EXAMPLES = {
    "taus": taus([0.0]),
    "instances": instances(1),
    "weights": tokens([[1.0]]),
    "shuffled": shuffled([0.0]),
    "adversaries": adversaries([0.0]),
    "models": pd.DataFrame([score("rotten-tomatoes", "bilstm-additive", 0.8)]),
}


def results(**tables) -> Results:
    return Results(**joined(EXAMPLES, tables))


def whole(seed: int = 0) -> Results:
    """Results of two data sets and six models, one with two seeds: every table has rows."""
    draw = np.random.default_rng(seed)
    runs = [
        about(name, encoder, kind, number)
        for name in ("rotten-tomatoes", "babi-1")
        for encoder in ("bilstm", "cnn", "average")
        for kind in ("additive", "dot")
        for number in ((1, 2) if (encoder, kind) == ("bilstm", "additive") else (1,))
    ]
    n, classes = 30, np.arange(30) % 2
    columns = {"predicted": classes, "max_attention": draw.uniform(0.2, 1, n)}
    return results(
        taus=[
            taus(draw.uniform(-1, 1, n), run, classes, pair)
            for run in runs
            for pair in (GRADIENT, LOO, BOTH)
        ],
        instances=[instances(n, run, predicted=classes) for run in runs],
        weights=[tokens([(0.5, 0.3, 0.2)] * n, run) for run in runs],
        shuffled=[shuffled(draw.uniform(0, 1, n), run, **columns) for run in runs],
        adversaries=[
            adversaries(draw.uniform(0, 0.69, n), run, epsilon, **columns)
            for run in runs
            for epsilon in (0.01, 0.05)
        ],
        models=pd.DataFrame(
            [
                score(name, f"{encoder}-additive", 0.8)
                for name in ("rotten-tomatoes", "babi-1")
                for encoder in ("bilstm", "cnn", "average")
            ]
        ),
    )


def verdict_on(name: str, run: Results, scale: str = "smoke") -> dict[str, Any]:
    """The record of one claim."""
    return record_of(counterfactual_claims, name, run, scale)
