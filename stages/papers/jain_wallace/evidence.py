"""Documents behind the claims of Jain & Wallace 2019, and the rows measured from them.

Differences between models are paired by seed and document. A mean over data sets weighs every data
set alike; its interval resamples data sets, then documents.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import torch

from stages.papers.jain_wallace.panels import PANELS
from stages.papers.shared.panels import no_runs
from stages.papers.shared.results import StudyResults
from stages.papers.shared.rules import FEWEST, Row, Rows, row_of, row_of_values
from stages.settings.seeds import generator
from stages.statistics.bootstrap import Floats, Runs, Statistic, hierarchical, mean
from stages.statistics.divergences import jensen_shannon

Tables = dict[str, pd.DataFrame]  # by data set
Condition = Callable[[pd.DataFrame], pd.Series]
GRADIENT, LOO, BOTH = "attention-gradient", "attention-leave_one_out", "leave_one_out-gradient"
BASE, CNN, AVERAGE = "bilstm-additive", "cnn-additive", "average-additive"
DOCUMENT = ["seed", "instance"]
Measure = tuple[str, str]  # a model and a pair of measures
GAPS: dict[int, tuple[Measure, Measure]] = {  # of Figures 3-5
    3: ((BASE, BOTH), (BASE, LOO)),
    4: ((BASE, BOTH), (BASE, GRADIENT)),
    5: ((AVERAGE, LOO), (BASE, LOO)),
}


@dataclass(frozen=True)
class Results(StudyResults):
    """The tidy tables of all analyses of the study."""

    taus: pd.DataFrame
    instances: pd.DataFrame
    weights: pd.DataFrame  # attention of every seed, token by token
    shuffled: pd.DataFrame
    adversaries: pd.DataFrame
    scores: pd.DataFrame  # test scores, one row per run
    # predictions of MLPs under the weights of bases and of retrained adversaries
    guided: pd.DataFrame = field(default_factory=no_runs)


def datasets(table: pd.DataFrame, task: str | None = None) -> list[str]:
    """The data sets that were run, one for each panel of the paper."""
    present = set(table["dataset"].unique())
    names = [panel.dataset(present) for panel in PANELS if task in (None, panel.task)]
    return [name for name in names if name]


def of(table: pd.DataFrame, dataset: str, model: str = BASE) -> pd.DataFrame:
    """The rows of one model, all seeds."""
    return table[(table["dataset"] == dataset) & (table["model"] == model)]


def peaked(table: pd.DataFrame, least: float, share: Condition) -> Tables:
    """BiLSTM documents with a largest weight of at least `least`; `share` is 1 or 0."""
    rows = table[table["max_attention"] >= least]
    rows = rows.assign(share=share(rows).astype(float))
    return {name: of(rows, name) for name in datasets(table)}


def adversaries(results: Results, epsilon: float, above: float, least: float = 0.0) -> Tables:
    """Adversaries within epsilon of the output; `share` is 1 for a divergence above `above`."""
    rows = results.adversaries[results.adversaries["epsilon"] == epsilon]
    return peaked(rows, least, lambda table: table["last"] > above)


def taus(results: Results, model: str, pair: str) -> Tables:
    """The correlations of a pair of measures of one model, by data set."""
    rows = results.taus[results.taus["pair"] == pair]
    return {name: of(rows, name, model) for name in datasets(results.taus)}


def tau_gaps(results: Results, one: Measure, other: Measure) -> Tables:
    """Tau of `one` minus tau of `other` in `gap`, with the class that the other model predicts."""
    first, second = taus(results, *one), taus(results, *other)
    gaps = {}
    for name, rows in second.items():
        same = first[name][[*DOCUMENT, "tau"]]
        both = rows.merge(same, on=DOCUMENT, suffixes=("_other", ""))
        gaps[name] = both.assign(gap=both["tau"] - both["tau_other"])
    return gaps


def by_answer(models: str, by_dataset: Tables, column: str) -> Rows:
    """A row for each predicted class; a model that gives four or more answers is not split."""
    rows: Rows = []
    for name, table in by_dataset.items():
        if table["predicted"].nunique() > 3:
            rows.append(row_of(f"{name} {models}", table, column))
        else:
            for label, group in table.groupby("predicted"):
                rows.append(row_of(f"{name} {models} class {label}", group, column))
    return rows


def over_datasets(by_dataset: Tables, column: str, *models: str) -> Row | None:
    """Mean over data sets of the mean of a column; documents are averaged over seeds first."""
    documents = {k: rows.groupby("instance")[column].mean() for k, rows in by_dataset.items()}
    kept = {k: v for k, values in documents.items() if len(v := values.dropna()) >= FEWEST}
    if not kept:
        return None
    label = " ".join((*kept, *models))
    groups = [[values.to_numpy(np.float64)] for values in kept.values()]
    means = hierarchical(mean, groups, generator(0, label, column))
    seeds = max(by_dataset[name]["seed"].nunique() for name in kept)
    return row_of_values(label, means, sum(map(len, kept.values())), len(kept), seeds)


def columns_of(table: pd.DataFrame, *names: str) -> Runs:
    """Columns of every seed that has enough documents."""
    return [
        [rows[name].to_numpy(np.float64) for name in names]
        for _, rows in table.groupby("seed")
        if len(rows) >= FEWEST
    ]


def statistic_row(label: str, statistic: Statistic, *sides: Runs) -> Row | None:
    """The mean over runs of a statistic of columns, or its difference between two sides.

    Documents of the two sides are not paired. None without a value.
    """
    if not all(map(len, sides)):
        return None
    draw = generator(0, label)
    values = [hierarchical(statistic, runs, draw) for runs in sides]
    difference = values[0] - sum(values[1:])
    if np.isnan(difference[0]):
        return None
    n = min(max(len(columns[0]) for columns in runs) for runs in sides)
    return row_of_values(label, difference, n, sum(map(len, sides)), min(map(len, sides)))


def f1(label: Floats, predicted: Floats) -> Floats:
    """F1 of class 1 of predicted classes, along the last axis; 0 if no document has it."""
    true, positive = label == 1, predicted > 0.5
    either = true.sum(-1) + positive.sum(-1)
    return 2 * (true & positive).sum(-1) / np.maximum(either, 1)


def f1_gain(label: Floats, one: Floats, other: Floats) -> Floats:
    """F1 of one prediction minus F1 of another."""
    return f1(label, one) - f1(label, other)


def answers(runs: pd.DataFrame) -> Runs:
    """True and predicted classes of every run, rebuilt from its counts, in no order."""
    rebuilt = []
    for _, run in runs.iterrows():
        n, true, predicted = (int(run[k]) for k in ("n", "positives", "predicted_positives"))
        both = round(run["f1"] * (true + predicted) / 2)
        counts = (both, predicted - both, true - both, n - true - predicted + both)
        rebuilt.append([np.repeat(kind, counts) for kind in ([1, 0, 1, 0], [1.0, 1.0, 0.0, 0.0])])
    return rebuilt


def seed_divergence(weights: pd.DataFrame) -> dict[int, float]:
    """By document: median divergence of the first seed's attention and the other seeds'."""
    wide = weights.pivot(index="instance", columns=["seed", "position"], values="weight").fillna(0)
    seeds = [torch.tensor(wide[seed].to_numpy()) for seed in sorted(weights["seed"].unique())]
    if len(seeds) < 2:
        return {}
    apart = [jensen_shannon(seeds[0], other).numpy() for other in seeds[1:]]
    return dict(zip(wide.index, np.median(apart, axis=0), strict=True))
