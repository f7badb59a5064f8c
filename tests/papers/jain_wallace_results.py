"""Synthetic tables of results of Jain & Wallace's study, with every number set by the test."""

from collections.abc import Collection
from dataclasses import replace

import numpy as np
import pandas as pd

from stages.papers.jain_wallace.evidence import Results
from tests.papers.common import answers, joined, keys, score

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
    "scores": pd.DataFrame([score("rotten-tomatoes", "bilstm-additive", 0.8)]),
    "answers": answers(0.9, 1, about()),
    "guided": answers(0.9, 1, about()).assign(weights_of="base"),
}


def results(**tables) -> Results:
    """Results with these tables; by default a BiLSTM is scored on each of their data sets."""
    whole = joined(EXAMPLES, tables)
    if "scores" not in tables:
        names = sorted({name for table in whole.values() for name in table["dataset"]})
        scores = [pd.DataFrame([score(name, "bilstm-additive", 0.8)]) for name in names]
        whole |= joined({"scores": EXAMPLES["scores"]}, {"scores": scores})
    return Results(**whole)


N = 200  # documents of a run of `fitting`
LENGTHS = {
    "rotten-tomatoes": 10,
    "imdb": 70,
    "disaster-tweets": 20,
    "bbc": 60,
    "newsgroups-sports": 50,
    "diabetes": 80,
    "babi-1": 30,
    "snli": 15,
}
SEEDS = {"bilstm-additive": (1, 2), "average-additive": (1, 2)}  # others have one
TWO = ("rotten-tomatoes", "babi-1")  # classes, and words as answers


def fitting(names: Collection[str] = LENGTHS) -> Results:
    """Data sets, by default eight, and six models on which every claim holds."""
    tables: dict[str, list] = {name: [] for name in EXAMPLES}
    for rank, name in enumerate(sorted(names, key=LENGTHS.__getitem__)):
        for encoder in ("bilstm", "cnn", "average"):
            for kind in ("additive", "dot"):
                for seed in SEEDS.get(f"{encoder}-{kind}", (1,)):
                    for table, rows in fitting_run(about(name, encoder, kind, seed), rank).items():
                        tables[table] += rows
    for name in (name for name in ("rotten-tomatoes", "imdb") if name in names):
        run = about(name, attention="uniform")
        tables["scores"].append(scored(run, 0.8).assign(published=np.nan))
        tables["answers"].append(answers(0.8, 600, run))
    return replace(results(**tables), guided=guided(0.9, 0.6))


def fitting_run(run: dict, rank: int) -> dict[str, list[pd.DataFrame]]:
    """The tables of one run; `rank` is the place of its data set by length."""
    name, encoder, place = run["dataset"], run["encoder"], np.arange(N)
    noise, largest = 0.02 * np.cos(place + run["seed"]), np.linspace(0.3, 1, N)
    predicted = place % (5 if name == "babi-1" else 2)
    p = np.where(place < N * rank / 9, 0.01, 0.5)
    both, gradient, loo = (0.28, 0.05, 0.3) if name == "snli" else (0.6, 0.35, 0.2)
    more = 0.375 if encoder == "average" else 0.0
    pairs = ((GRADIENT, gradient), (LOO, loo), (BOTH, both))
    moved = 0.6 if encoder == "average" else 0.05
    moved = np.where((name == "diabetes") & (predicted == 1), 0.3, moved) + noise
    last = 0.6 - 0.05 * largest + 0.05 * np.random.default_rng(1 + rank).normal(size=N)
    peaked = {"predicted": predicted, "max_attention": largest}
    return {
        "taus": [taus(tau + more + noise, run, predicted, pair, p) for pair, tau in pairs],
        "instances": [instances(N, run, predicted=predicted, length=LENGTHS[name])],
        "weights": [tokens([(0.8, 0.15, 0.05)] * N, run)],
        "shuffled": [shuffled(moved, run, **peaked)],
        "adversaries": [
            adversaries(last, run, epsilon, **peaked, other_top_token=True)
            for epsilon in (0.01, 0.05)
        ],
        "scores": [scored(run, 0.9)],
        "answers": [answers(0.6 if name == "babi-1" and encoder != "bilstm" else 0.9, 600, run)],
    }


def scored(run: dict, value: float) -> pd.DataFrame:
    """A run on as many documents as in the paper, with the published score."""
    row = score(run["dataset"], run["model"], value, 4000) | {"metric": "f1", "published": 0.9}
    return pd.DataFrame([row | {"train_documents": 1_000_000, "seed": run["seed"]}])


def guided(base: float, adversary: float) -> pd.DataFrame:
    """MLPs under the weights of two seeds' bases and adversaries: shares that are right."""
    parts = [
        answers(share, N, about(seed=seed)).assign(weights_of=kind)
        for kind, share in (("base", base), ("adversary", adversary))
        for seed in (1, 2)
    ]
    return pd.concat(parts, ignore_index=True)
