"""Synthetic results of Amini & Kosseim's study, in which every claim holds."""

import numpy as np
import pandas as pd

from stages.papers.amini_kosseim.evidence import Results
from stages.papers.amini_kosseim.panels import MOCK, REAL, shown
from stages.statistics.attefa import LARGEST, attefa

REAL_SETS = {"imdb": 180, "rotten-tomatoes": 20, "bbc": 120, "newsgroups-sports": 150}  # lengths
MOCK_SETS = [names[0] for names in MOCK.values()]
BASES, ADVERSARIES, DOCUMENTS = 3, 3, 40
STRENGTHS = (0.001, 0.1, 1.0)
# MLP: change of outputs by the published procedure; 0.5 is a collapsed adversary
CHANGE = dict(zip(MOCK_SETS, (0.75, 0.5, 0.5, 0.5, 0.3, 0.2, 0.1, 0.05), strict=True))
REAL_CHANGE = {"imdb": 0.2, "rotten-tomatoes": 0.25, "bbc": 0.15, "newsgroups-sports": 0.3}


def run(dataset, model, seed, adversary, procedure, change, jsd, **more):
    """One run, the same for both splits that select its epoch."""
    row = {
        "dataset": dataset,
        "model": model,
        "encoder": {"lstm": "bilstm", "mlp": "average"}[model],
        "attention": "additive",
        "value": np.nan,
        "seed": seed,
        "procedure": procedure,
        "strength": np.nan,
        "adversary": adversary,
        "epoch": 5,
        "epochs": 15,
        "loss": change - jsd / LARGEST,
        "n": DOCUMENTS,
        "f1": 0.8,
        "accuracy": 0.8,
        "tvd": change / 2,
        "stvd": change,
        "jsd": jsd,
        "sjsd": jsd / LARGEST,
        "attefa": attefa(change, jsd),
        "output_sd": 0.4,
        "collapsed": False,
        "base_f1": 0.97 + 0.01 * seed * (model == "mlp"),
        "base_accuracy": 0.97,
    } | more
    return [row | {"selected_on": split} for split in ("dev", "test")]


def mlp_runs(dataset):
    """The published procedure is far from the best; bases differ more than adversaries do."""
    rows = []
    mock = dataset in CHANGE
    change = CHANGE[dataset] if mock else REAL_CHANGE[dataset]
    collapsed = mock and change == 0.5
    for seed in range(1, BASES + 1):
        for adversary in range(1, ADVERSARIES + 1):
            noise = 0.0 if collapsed else 0.004 * seed + 0.0005 * adversary
            shape = {"collapsed": collapsed, "output_sd": 0.001 if collapsed else 0.4}
            names = (dataset, "mlp", seed, adversary)
            jsd = 0.68 + (0.001 * seed if not collapsed else 0.0)
            rows += run(*names, "published", change + noise, jsd, **shape)
            rows += run(*names, "warm", 0.02, 0.67)
            rows += run(*names, "longer", 0.03, 0.67)
    return rows


def lstm_runs(dataset):
    mock = dataset in CHANGE
    change = 0.03 - 0.003 * MOCK_SETS.index(dataset) if mock else 0.04
    rows = []
    for seed in range(1, BASES + 1):
        rows += run(dataset, "lstm", seed, 1, "published", change + 0.0002 * seed, 0.69)
    if dataset in ("rotten-tomatoes", "imdb"):
        for strength in STRENGTHS:
            jsd = {0.001: 0.1, 0.1: 0.5, 1.0: 0.68}[strength]
            rows += run(dataset, "lstm", 1, 1, "sweep", 0.05, jsd, strength=strength)
    return rows


def documents(runs):
    """Every document of an LSTM's run is like its mean."""
    kept = runs[(runs["selected_on"] == "dev") & (runs["model"] == "lstm")]
    place = np.arange(DOCUMENTS)
    columns = ["dataset", "model", "seed", "procedure", "strength", "adversary", "stvd", "jsd"]
    parts = []
    for row in kept[columns].to_dict("records"):
        table = pd.DataFrame({"instance": place, "label": place % 2, "predicted": place % 2})
        parts.append(table.assign(base_predicted=place % 2, **row))
    return pd.concat(parts, ignore_index=True)


def answered(document):
    """A base that is confident and right."""
    label = document % 2
    return {"instance": document, "probability": label, "label": label, "predicted": label}


def bases(datasets):
    rows = []
    for dataset in datasets:
        for model in ("lstm", "mlp"):
            for seed in range(1, BASES + 1):
                mass = 0.7 + 0.02 * MOCK_SETS.index(dataset) if dataset in CHANGE else np.nan
                about = {"dataset": dataset, "model": model, "seed": seed}
                columns = {"length": REAL_SETS.get(dataset, 75), "informative_mass": mass}
                rows += [about | columns | answered(i) for i in range(20)]
    return pd.DataFrame(rows)


def scores(datasets):
    published = dict.fromkeys(datasets, 0.9)
    rows = [
        {
            "dataset": d,
            "model": m,
            "f1": 0.9,
            "n": 40000,
            "train_documents": 1000,
            "difference": 0.0,
        }
        for d in datasets
        for m in ("lstm", "mlp")
    ]
    return pd.DataFrame(rows).assign(published=lambda t: t["dataset"].map(published))


def results(mock=tuple(MOCK_SETS), real=tuple(REAL_SETS)):
    datasets = [*mock, *real]
    rows = [row for name in datasets for row in (*mlp_runs(name), *lstm_runs(name))]
    runs = pd.DataFrame(rows)
    return Results(runs, documents(runs), bases(datasets), scores(datasets))


def panel_of(dataset):
    return next(p for p, name in shown(set(MOCK_SETS) | set(REAL_SETS)).items() if name == dataset)


STATS = {
    name: {
        "splits": {
            split: {"classes": {"negative": 10, "positive": 12}, "mean_length": 75.0}
            for split in ("train", "test")
        }
    }
    for name in (*MOCK_SETS, *REAL_SETS)
}
STANDS_FOR = dict.fromkeys(STATS, "stand-in")
PANEL_COUNT = len(MOCK) + len(REAL)
