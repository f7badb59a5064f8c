"""Documents behind the claims of Jain & Wallace 2019, and the rows measured from them.

Differences between models are paired by seed and document. A mean over data sets weighs every data
set alike; its interval resamples data sets, then documents.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from scipy.stats import rankdata

from stages.nn.metrics import f1_positive
from stages.papers.jain_wallace.panels import PANELS
from stages.papers.shared.panels import no_runs
from stages.papers.shared.results import StudyResults
from stages.papers.shared.rules import FEWEST, Row, of_interval
from stages.settings.seeds import generator
from stages.statistics.bootstrap import between, nested, nested_replicates
from stages.statistics.divergences import jensen_shannon

Floats = NDArray[np.float64]
Statistic = Callable[..., float]
Runs = Sequence[Sequence[Floats]]  # columns of each run
GRADIENT, LOO, BOTH = "attention-gradient", "attention-leave_one_out", "leave_one_out-gradient"
BASE = "bilstm-additive"
DOCUMENT = ["seed", "instance"]


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


def by_dataset(table: pd.DataFrame, least: float = 0.0) -> dict[str, pd.DataFrame]:
    """Documents of the BiLSTM with a largest weight of at least `least`, by data set."""
    peaked = table[table["max_attention"] >= least]
    return {name: of(peaked, name) for name in datasets(table)}


def within(results: Results, epsilon: float, least: float = 0.0) -> dict[str, pd.DataFrame]:
    """Adversaries of the BiLSTM that move the output by at most epsilon, by data set."""
    return by_dataset(results.adversaries[results.adversaries["epsilon"] == epsilon], least)


def taus(results: Results, dataset: str, model: str, pair: str) -> pd.DataFrame:
    """The correlations of a pair of measures of one model."""
    rows = of(results.taus, dataset, model)
    return rows[rows["pair"] == pair]


def tau_gap(
    results: Results, dataset: str, one: tuple[str, str], other: tuple[str, str]
) -> pd.DataFrame:
    """Tau of (model, pair) `one` minus `other` in `gap`, with the class that `other` predicts."""
    first, second = (taus(results, dataset, *of_what) for of_what in (one, other))
    both = second.merge(first[[*DOCUMENT, "tau"]], on=DOCUMENT, suffixes=("_other", ""))
    return both.assign(gap=both["tau"] - both["tau_other"])


def tau_gaps(
    results: Results, one: tuple[str, str], other: tuple[str, str]
) -> dict[str, pd.DataFrame]:
    """The gap of every data set (Figures 3-5)."""
    return {name: tau_gap(results, name, one, other) for name in datasets(results.taus)}


def agreement_gaps(results: Results, pair: str) -> dict[str, pd.DataFrame]:
    """tau(LOO, gradient) - tau(pair), BiLSTM."""
    return tau_gaps(results, (BASE, BOTH), (BASE, pair))


def encoder_gaps(results: Results) -> dict[str, pd.DataFrame]:
    """tau(attention, LOO), Average minus BiLSTM."""
    return tau_gaps(results, ("average-additive", LOO), (BASE, LOO))


def by_answer(label: str, rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Rows by predicted class; a model that gives four or more answers is not split."""
    if rows["predicted"].nunique() > 3:
        return {label: rows}
    return {f"{label} class {name}": group for name, group in rows.groupby("predicted")}


def over_datasets(gaps: Mapping[str, pd.DataFrame], *models: str) -> Row | None:
    """Mean over data sets of the mean of `gap`; documents are averaged over seeds first."""
    means = {name: table.groupby("instance")["gap"].mean().dropna() for name, table in gaps.items()}
    kept = {name: values.to_numpy() for name, values in means.items() if len(values) >= FEWEST}
    if not kept:
        return None
    label = " ".join((*kept, *models))
    interval = nested(list(kept.values()), generator(0, label))
    documents = sum(map(len, kept.values()))
    seeds = max(gaps[name]["seed"].nunique() for name in kept)
    return of_interval(label, interval._replace(n=documents), len(kept), seeds)


def columns_of(table: pd.DataFrame, *names: str) -> Runs:
    """Columns of every seed that has enough documents."""
    return [
        [rows[name].to_numpy(np.float64) for name in names]
        for _, rows in table.groupby("seed")
        if len(rows) >= FEWEST
    ]


def statistic_row(label: str, statistic: Statistic, runs: Runs) -> Row | None:
    """The mean over runs of a statistic of columns; None without a value."""
    value = mean_over(statistic, runs)
    if np.isnan(value):
        return None
    replicates = nested_replicates(statistic, runs, generator(0, label))
    interval = between(value, replicates, max(len(columns[0]) for columns in runs))
    return of_interval(label, interval, len(runs), len(runs))


def difference_row(label: str, statistic: Statistic, one: Runs, other: Runs) -> Row | None:
    """A statistic of some runs minus that of others, whose documents are not paired."""
    if not (one and other):
        return None
    value = mean_over(statistic, one) - mean_over(statistic, other)
    draw = generator(0, label)
    first, second = (nested_replicates(statistic, runs, draw) for runs in (one, other))
    n = min(len(runs[0][0]) for runs in (one, other))
    interval = between(value, first - second, n)
    return of_interval(label, interval, len(one) + len(other), min(len(one), len(other)))


def mean_over(statistic: Statistic, runs: Runs) -> float:
    """The mean of a statistic over runs; NaN without any."""
    return float(np.mean([statistic(*columns) for columns in runs])) if runs else np.nan


def spearman(one: Floats, other: Floats) -> float:
    """Spearman's rho; NaN where one side is constant."""
    ranks = rankdata(one), rankdata(other)
    if min(rank.std() for rank in ranks) == 0:
        return np.nan
    return float(np.corrcoef(*ranks)[0, 1])


def f1(label: Floats, predicted: Floats) -> float:
    """F1 of class 1 of predicted classes."""
    return f1_positive(predicted[:, None], label.astype(np.int64))


def f1_gain(label: Floats, one: Floats, other: Floats) -> float:
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


def correct(runs: pd.DataFrame) -> Runs:
    """1 for a correct and 0 for a wrong answer of every run, in no order."""
    return [[(np.arange(n) < n * a).astype(float)] for n, a in runs[["n", "accuracy"]].to_numpy()]


def seed_divergence(weights: pd.DataFrame) -> pd.Series:
    """By document: median divergence of the first seed's attention and the other seeds'."""
    wide = weights.pivot(index="instance", columns=["seed", "position"], values="weight").fillna(0)
    first, *others = (
        torch.tensor(wide[seed].to_numpy()) for seed in sorted(weights["seed"].unique())
    )
    if not others:
        return pd.Series(dtype=float)
    apart = [jensen_shannon(first, other).numpy() for other in others]
    return pd.Series(np.median(apart, axis=0), wide.index)
