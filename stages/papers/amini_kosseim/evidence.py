"""Runs of adversaries and their bases, from which the claims of Amini & Kosseim 2022 are decided.

Intervals of means over runs resample bases, then the adversaries of each base, because adversaries
of one base are not independent.
"""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata

from stages.papers.amini_kosseim.panels import MOCK, shown
from stages.settings.seeds import generator
from stages.statistics.bootstrap import NOTHING, REPEATS, Interval, between

Floats = NDArray[np.float64]
BASE = ["dataset", "model", "seed"]
PUBLISHED = "published"
BOUNDED = (PUBLISHED, "warm", "longer", "held")  # procedures that minimise the published loss


@dataclass(frozen=True)
class Results:
    """Tidy tables of all retrained adversaries of the study."""

    runs: pd.DataFrame
    instances: pd.DataFrame
    bases: pd.DataFrame  # one row per document and base: output, length, mass on informative words
    scores: pd.DataFrame  # test scores of the bases, with the published ones

    @property
    def panels(self) -> dict[str, str]:
        """The paper's data sets that were run, in its order."""
        return shown(set(self.runs["dataset"]))

    def among(self, names: Collection[str]) -> dict[str, str]:
        """The panels with these names that were run."""
        return {panel: dataset for panel, dataset in self.panels.items() if panel in names}

    def without(self, poor: pd.DataFrame) -> "Results":
        """The same without the bases in these rows of data set, model and seed."""
        dropped = pd.MultiIndex.from_frame(poor[BASE])
        tables = (self.runs, self.instances, self.bases)
        runs, instances, bases = (
            t[~pd.MultiIndex.from_frame(t[BASE]).isin(dropped)] for t in tables
        )
        return Results(runs, instances, bases, self.scores)


def base_scores(results: Results) -> pd.DataFrame:
    """Accuracy of every base, and of its commonest label, on the documents of its adversaries."""
    outcomes = results.bases.assign(
        right=results.bases["predicted"] == results.bases["label"],
        positive=results.bases["label"] == 1,
    )
    scores = outcomes.groupby(BASE).agg(
        n=("right", "size"), accuracy=("right", "mean"), positive=("positive", "mean")
    )
    return scores.assign(
        commonest=scores["positive"].clip(lower=1 - scores["positive"])
    ).reset_index()


def runs_of(
    results: Results,
    dataset: str,
    model: str,
    procedure: str = PUBLISHED,
    selected_on: str = "dev",
) -> pd.DataFrame:
    """Runs of one procedure against the bases of one model."""
    table = results.runs
    return table[
        (table["dataset"] == dataset)
        & (table["model"] == model)
        & (table["procedure"] == procedure)
        & (table["selected_on"] == selected_on)
    ]


def redrawn(runs: pd.DataFrame, column: str, *names: str) -> Floats:
    """Means (repeats,) of a column, resampling bases and then the adversaries of each."""
    draw = generator(0, column, *names)
    groups = [group[column].to_numpy(np.float64) for _, group in runs.groupby("seed", sort=True)]
    shape = (REPEATS, len(groups))
    chosen = draw.integers(0, len(groups), shape)  # index of the base
    means = np.empty(shape)
    for number, values in enumerate(groups):
        taken = values[draw.integers(0, len(values), (*shape, len(values)))].mean(-1)
        means = np.where(chosen == number, taken, means)
    overall: Floats = means.mean(1)
    return overall


def mean_of(runs: pd.DataFrame, column: str, *names: str) -> Interval:
    """Mean over runs with its interval; NOTHING for a single run."""
    if len(runs) < 2:
        return NOTHING
    return between(float(runs[column].mean()), redrawn(runs, column, *names), len(runs))


def rows_of(results: Results, column: str, claim: str) -> dict[str, Interval]:
    """Mean of a column for every data set and model, by the published procedure."""
    rows = {}
    for panel, dataset in results.panels.items():
        for model in ("lstm", "mlp"):
            interval = mean_of(runs_of(results, dataset, model), column, dataset, model, claim)
            if interval.n:
                rows[f"{panel} {model}"] = interval
    return rows


def best_runs(results: Results, dataset: str, model: str) -> pd.DataFrame:
    """The run of lowest loss against each base, over all procedures with the published loss."""
    tables = [runs_of(results, dataset, model, name) for name in BOUNDED]
    joined = pd.concat(tables, ignore_index=True)
    return joined.loc[joined.groupby("seed")["loss"].idxmin()] if len(joined) else joined


def informative_mass(results: Results, dataset: str, model: str) -> pd.Series:
    """Mean mass on informative words by base seed; Mock data only."""
    table = results.bases
    rows = table[(table["dataset"] == dataset) & (table["model"] == model)]
    return rows.groupby("seed")["informative_mass"].mean()


def spearman(one: ArrayLike, other: ArrayLike) -> Floats:
    """Rank correlation of values (n,) with (n,), or with every column (n, repeats) at once.

    NaN where either side is constant.
    """
    first, second = (rankdata(np.asarray(v, np.float64), axis=0) for v in (one, other))
    first = first - first.mean(0)
    second = second - second.mean(0)
    with np.errstate(invalid="ignore", divide="ignore"):
        correlation: Floats = (first @ second) / np.sqrt((first**2).sum() * (second**2).sum(0))
    return correlation


def order_of(panels: Collection[str]) -> list[int]:
    """Places of Mock sets in the order of increasingly many informative words."""
    return [list(MOCK).index(panel) for panel in panels]


def variances(results: Results, model: str) -> pd.DataFrame:
    """Variance of AtteFa between bases and between adversaries of one base, by data set."""
    rows = []
    for panel, dataset in results.panels.items():
        groups = [
            group["attefa"].to_numpy(np.float64)
            for _, group in runs_of(results, dataset, model).groupby("seed")
        ]
        if len(groups) < 2 or min(map(len, groups)) < 2:
            continue
        within = float(np.mean([group.var(ddof=1) for group in groups]))
        means = np.array([group.mean() for group in groups])
        per_base = float(np.mean([len(group) for group in groups]))
        between_bases = max(float(means.var(ddof=1)) - within / per_base, 0.0)
        rows.append(
            {
                "panel": panel,
                "dataset": dataset,
                "model": model,
                "bases": len(groups),
                "adversaries": int(per_base),
                "between_bases": between_bases,
                "between_adversaries": within,
            }
        )
    columns = ["panel", "dataset", "model", "bases", "adversaries"]
    return pd.DataFrame(rows, columns=[*columns, "between_bases", "between_adversaries"])
