"""Synthetic results of Amini & Kosseim's study, in which every claim holds."""

import numpy as np
import pandas as pd

from stages.papers.amini_kosseim.evidence import Results
from stages.papers.amini_kosseim.panels import MOCK
from stages.statistics.attefa import LARGEST, attefa
from tests.papers.common import keys

REAL_SETS = {"imdb": 180, "rotten-tomatoes": 20, "bbc": 120, "newsgroups-sports": 150}  # lengths
MOCK_SETS = [names[0] for names in MOCK.values()]
SEEDS, DOCUMENTS = (1, 2, 3), 40
MOVED = {0.001: 0.1, 0.1: 0.5, 1.0: 0.68}  # divergence of attention by strength
# MLP: change of outputs by the published procedure; 0.5 on a mock set is a collapsed adversary
CHANGE = dict(zip(MOCK_SETS, (0.75, 0.5, 0.5, 0.5, 0.3, 0.2, 0.1, 0.05), strict=True))
CHANGE |= {"imdb": 0.2, "rotten-tomatoes": 0.25, "bbc": 0.15, "newsgroups-sports": 0.3}


def run(dataset, model, seed, adversary, procedure, change, jsd, **more):
    """One run, the same for both splits that select its epoch."""
    encoder = {"lstm": "bilstm", "mlp": "average"}[model]
    row = keys(dataset, model, encoder, seed=seed) | {
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
    }
    return [row | more | {"selected_on": split} for split in ("dev", "test")]


def mlp_runs(dataset):
    """The published procedure is far from the best; bases differ more than adversaries do."""
    rows = []
    change = CHANGE[dataset]
    collapsed = change == 0.5
    for seed in SEEDS:
        for adversary in (1, 2, 3):
            noise = 0.0 if collapsed else 0.004 * seed + 0.0005 * adversary
            shape = {"collapsed": collapsed, "output_sd": 0.001 if collapsed else 0.4}
            names = (dataset, "mlp", seed, adversary)
            jsd = 0.68 + (0.001 * seed if not collapsed else 0.0)
            rows += run(*names, "published", change + noise, jsd, **shape)
            rows += run(*names, "warm", 0.02, 0.67)
            rows += run(*names, "longer", 0.03, 0.67)
    return rows


def lstm_runs(dataset):
    change = 0.03 - 0.003 * MOCK_SETS.index(dataset) if dataset in MOCK_SETS else 0.04
    rows = []
    for seed in SEEDS:
        rows += run(dataset, "lstm", seed, 1, "published", change + 0.0002 * seed, 0.69)
    if dataset in ("rotten-tomatoes", "imdb"):
        for strength, jsd in MOVED.items():
            rows += run(dataset, "lstm", 1, 1, "sweep", 0.05, jsd, strength=strength)
    return rows


def documents(runs):
    """Every document of an LSTM's run is like its mean."""
    kept = runs[(runs["selected_on"] == "dev") & (runs["model"] == "lstm")]
    columns = ["dataset", "model", "seed", "procedure", "strength", "adversary", "stvd", "jsd"]
    place = np.arange(DOCUMENTS)
    answers = pd.DataFrame({"instance": place, "label": place % 2})
    answers = answers.assign(predicted=place % 2, base_predicted=place % 2)
    return kept[columns].merge(answers, how="cross")


def bases(datasets):
    """Bases that are confident and right."""
    parts = []
    label = np.arange(20) % 2
    for dataset in datasets:
        mass = 0.7 + 0.02 * MOCK_SETS.index(dataset) if dataset in MOCK_SETS else np.nan
        for model in ("lstm", "mlp"):
            for seed in SEEDS:
                table = pd.DataFrame({"instance": np.arange(20), "label": label})
                table = table.assign(probability=label, predicted=label, informative_mass=mass)
                about = {"dataset": dataset, "model": model, "seed": seed}
                parts.append(table.assign(length=REAL_SETS.get(dataset, 75), **about))
    return pd.concat(parts, ignore_index=True)


def results(mock=tuple(MOCK_SETS), real=tuple(REAL_SETS)):
    datasets = [*mock, *real]
    runs = pd.DataFrame([row for name in datasets for row in mlp_runs(name) + lstm_runs(name)])
    scores = pd.DataFrame([(d, m) for d in datasets for m in ("lstm", "mlp")])
    scores = scores.set_axis(["dataset", "model"], axis=1)
    scores = scores.assign(f1=0.9, n=40000, train_documents=1000, difference=0.0, published=0.9)
    return Results(runs, documents(runs), bases(datasets), scores)
