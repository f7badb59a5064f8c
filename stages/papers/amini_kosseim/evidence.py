"""What the claims of Amini & Kosseim 2022 are decided by: runs of adversaries against bases.

Intervals of means over runs draw bases anew, then the adversaries against each: adversaries of one
base are not independent.
"""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata

from stages.papers.amini_kosseim.panels import MOCK, PANELS, shown
from stages.settings.seeds import generator
from stages.statistics.bootstrap import NOTHING, REPEATS, Interval, between

Floats = NDArray[np.float64]
BASE = ["dataset", "model", "seed"]
PUBLISHED = "published"
BOUNDED = (PUBLISHED, "warm", "longer", "held")  # procedures that minimise the published loss


@dataclass(frozen=True)
class Results:
    """The tidy tables of all retrained adversaries of the study."""

    runs: pd.DataFrame
    instances: pd.DataFrame
    bases: pd.DataFrame  # one row per document and base: where it looks
    scores: pd.DataFrame  # test scores of the bases, beside the printed ones

    @property
    def panels(self) -> dict[str, str]:
        """The paper's data sets that were run, in its order."""
        return shown(set(self.runs["dataset"]))

    def among(self, names: Collection[str]) -> dict[str, str]:
        """Those of these names."""
        return {panel: dataset for panel, dataset in self.panels.items() if panel in names}

    def without(self, poor: pd.DataFrame) -> "Results":
        """The same without some bases: rows of data set, model and seed."""
        gone = pd.MultiIndex.from_frame(poor[BASE])
        tables = (self.runs, self.instances, self.bases)
        runs, instances, bases = (t[~pd.MultiIndex.from_frame(t[BASE]).isin(gone)] for t in tables)
        return Results(runs, instances, bases, self.scores)


def base_scores(results: Results) -> pd.DataFrame:
    """Accuracy of every base on the documents of its adversaries, and the commonest label's."""
    told = results.bases.assign(
        right=results.bases["predicted"] == results.bases["label"],
        positive=results.bases["label"] == 1,
    )
    found = told.groupby(BASE).agg(
        n=("right", "size"), accuracy=("right", "mean"), positive=("positive", "mean")
    )
    return found.assign(commonest=found["positive"].clip(lower=1 - found["positive"])).reset_index()


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
    """Means (repeats,) of a column, bases drawn anew and then the adversaries of each."""
    draw = generator(0, column, *names)
    groups = [group[column].to_numpy(np.float64) for _, group in runs.groupby("seed", sort=True)]
    shape = (REPEATS, len(groups))
    chosen = draw.integers(0, len(groups), shape)  # which base stands at each place
    means = np.empty(shape)
    for number, values in enumerate(groups):
        taken = values[draw.integers(0, len(values), (*shape, len(values)))].mean(-1)
        means = np.where(chosen == number, taken, means)
    found: Floats = means.mean(1)
    return found


def mean_of(runs: pd.DataFrame, column: str, *names: str) -> Interval:
    """Mean over runs with its interval; a single run has none."""
    if len(runs) < 2:
        return NOTHING
    return between(float(runs[column].mean()), redrawn(runs, column, *names), len(runs))


def rows_of(results: Results, column: str, claim: str) -> dict[str, Interval]:
    """Mean of a column for every data set and model, by the published procedure."""
    rows = {}
    for panel, dataset in results.panels.items():
        for model in ("lstm", "mlp"):
            found = mean_of(runs_of(results, dataset, model), column, dataset, model, claim)
            if found.n:
                rows[f"{panel} {model}"] = found
    return rows


def best_runs(results: Results, dataset: str, model: str) -> pd.DataFrame:
    """Of all runs against each base that minimise the published loss, the one that got lowest."""
    found = [runs_of(results, dataset, model, name) for name in BOUNDED]
    joined = pd.concat(found, ignore_index=True)
    return joined.loc[joined.groupby("seed")["loss"].idxmin()] if len(joined) else joined


def informative_mass(results: Results, dataset: str, model: str) -> pd.Series:
    """Mean mass on informative words by base seed; Mock data only."""
    table = results.bases
    rows = table[(table["dataset"] == dataset) & (table["model"] == model)]
    return rows.groupby("seed")["informative_mass"].mean()


def spearman(one: ArrayLike, other: ArrayLike) -> Floats:
    """Rank correlation of values (n,) with (n,), or with every column (n, repeats) at once.

    There is none where either side is constant.
    """
    first, second = (rankdata(np.asarray(v, np.float64), axis=0) for v in (one, other))
    first = first - first.mean(0)
    second = second - second.mean(0)
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Floats = (first @ second) / np.sqrt((first**2).sum() * (second**2).sum(0))
    return found


def order_of(panels: Collection[str]) -> list[int]:
    """Places of Mock sets in the order of ever more informative words."""
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


def known_panels() -> list[str]:
    """All of the paper's data sets."""
    return list(PANELS)
