"""Rows for the claims of Sun & Lu 2020: token scores, paired accuracies, courses of training."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from stages.papers.shared.results import StudyResults, of
from stages.papers.shared.rows import Row, measured, row_of
from stages.papers.sun_lu.panels import GENERATED, MODERATE, PANELS
from stages.settings.seeds import generator
from stages.statistics.bootstrap import Floats, of_mean

Model = tuple[str, str, float | None]  # data set, model, lambda where it is swept
POLAR, NEUTRAL = ("positive", "negative"), "neutral"
MATCHED, ALL_POLAR = "matched neutral", "polar"  # further groups of tokens, see values_of


@dataclass(frozen=True)
class Results(StudyResults):
    """The tidy tables of all models of the study."""

    PANELS = PANELS

    tokens: pd.DataFrame
    runs: pd.DataFrame
    traces: pd.DataFrame
    instances: pd.DataFrame  # right or wrong by test document
    scores: pd.DataFrame  # one row per run: accuracy on test, documents

    def dataset(self, panel: str) -> str:
        """Our data set for one of the paper's, also for a generated one."""
        return (GENERATED | self.panels).get(panel, "")

    def moderate(self, *panels: str) -> list["Model"]:
        """DP at the lambda of the paper's figures."""
        return [(self.dataset(panel), "dp", MODERATE) for panel in panels]


def named(dataset: str, model: str, value: float | None) -> str:
    """The start of a row's label."""
    return f"{dataset} {model}" if value is None else f"{dataset} {model}@{value:g}"


def listed(rows: Sequence[Row | None]) -> str:
    """Labels and values, for a note."""
    return ", ".join(f"{row.row} {row.value:.2f}" for row in measured(rows))


def polar_groups(rows: pd.DataFrame) -> list[str]:
    """The groups of tokens of a class, positive before negative."""
    return sorted(set(rows["group"].unique()) - {NEUTRAL}, reverse=True)


def values_of(rows: pd.DataFrame, group: str, column: str) -> Floats:
    """Values of a group's tokens.

    MATCHED: neutral tokens as frequent as polarity tokens; ALL_POLAR: tokens of every class.
    """
    further = {MATCHED: rows["matched"], ALL_POLAR: rows["group"] != NEUTRAL}
    chosen = rows[further.get(group, rows["group"] == group)]
    return chosen[column].dropna().to_numpy(np.float64)


def gained(results: Results, one: Model, other: Model) -> Row | None:
    """Accuracy of one model minus another's, over the seeds and test documents they share."""
    first, second = (
        of(results.instances, *model).set_index(["seed", "instance"])["correct"].astype(float)
        for model in (one, other)
    )
    gain = (first - second).rename("gain").reset_index()
    return row_of(f"{named(*one)} over {other[1]}@{other[2]:g}", gain, "gain")


def traced(
    results: Results, model: Model, quantity: str, group: str, column: str = "mean"
) -> pd.DataFrame:
    """One traced quantity: epochs as rows, seeds as columns."""
    rows = of(results.traces, *model)
    rows = rows[(rows["quantity"] == quantity) & (rows["group"] == group)]
    return rows.pivot_table(index="epoch", columns="seed", values=column)


def over_seeds(label: str, values: "Floats | pd.Series[float]") -> Row:
    """The mean of one value for each seed; seeds are resampled."""
    seeds = of_mean(np.asarray(values), generator(0, label))
    return Row(label, *seeds, seeds.n, seeds.n)
