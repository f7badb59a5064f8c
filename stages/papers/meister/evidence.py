"""Per-document values behind the claims of Meister et al. 2021, by data set and model."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from scipy.stats import kendalltau

from stages.papers.meister.panels import ENCODERS, shown
from stages.papers.shared.panels import no_runs
from stages.papers.shared.results import StudyResults
from stages.papers.shared.rules import FEWEST, Row, of_interval
from stages.settings.seeds import generator
from stages.statistics.bootstrap import REPEATS, between


@dataclass(frozen=True)
class Results(StudyResults):
    """Tidy tables of all runs of the study."""

    instances: pd.DataFrame
    states: pd.DataFrame
    taus: pd.DataFrame
    untrained: pd.DataFrame
    scores: pd.DataFrame  # one row per run: accuracy on test, documents
    retrained: pd.DataFrame = field(default_factory=no_runs)  # documents under adversarial models

    @property
    def panels(self) -> dict[str, str]:
        """The paper's data sets that were run, and the data set that stands for each."""
        return shown(set(self.instances["dataset"].unique()))


def of(table: pd.DataFrame, dataset: str, model: str, value: float | None = None) -> pd.DataFrame:
    """The rows of one model; `value` is lambda where the model sweeps it."""
    chosen = table[(table["dataset"] == dataset) & (table["model"] == model)]
    return chosen if value is None else chosen[chosen["value"] == value]


def by_lambda(table: pd.DataFrame, dataset: str, encoder: str) -> dict[float, pd.DataFrame]:
    """Rows by lambda: the sweep of sparsegen, and sparsemax as lambda 0."""
    rows = of(table, dataset, f"{encoder}-sparsegen")
    groups = {float(value): group for value, group in rows.groupby("value")}
    zero = of(table, dataset, f"{encoder}-sparsemax")
    if len(zero):
        groups[0.0] = zero
    return {value: groups[value] for value in sorted(groups)}


def tau_of(table: pd.DataFrame, measure: str, of_what: str = "weight") -> pd.Series:
    """Tau-b by (seed, document) of weights or scores with a measure."""
    rows = table[(table["measure"] == measure) & (table["of"] == of_what)]
    return rows.set_index(["seed", "instance"])["tau"]


def trend(
    label: str,
    by_scale: dict[float, pd.DataFrame],
    column: str,
    instead: dict[float, float] | None = None,
) -> Row | None:
    """Tau-b between lambda and the mean of a column, over runs; runs are resampled.

    `instead` maps each lambda to a number used in its place. None for fewer than four lambdas, or
    where one side is constant.
    """
    points = [
        (scale if instead is None else instead[scale], values.mean(), len(values), seed)
        for scale, rows in by_scale.items()
        for seed, group in rows.groupby("seed")
        if len(values := group[column].dropna().to_numpy(np.float64)) >= FEWEST
    ]
    if len({point[0] for point in points}) < 4:
        return None
    scales, means, documents, seeds = map(np.array, zip(*points, strict=True))
    value = float(kendalltau(scales, means).statistic)
    if np.isnan(value):
        return None
    draw = generator(0, label, column)
    samples = np.sort(draw.integers(0, len(points), (REPEATS, len(points))), axis=1)
    distinct, place = np.unique(samples, axis=0, return_inverse=True)  # few of few lambdas
    again = np.array([kendalltau(scales[some], means[some]).statistic for some in distinct])
    interval = between(value, again[place], int(documents.max()))
    return of_interval(label, interval, len(points), len(set(seeds)))


def dataset_encoders(results: Results) -> list[tuple[str, str]]:
    """(data set, encoder) pairs that were run."""
    present = set(results.instances["model"].unique())
    return [
        (name, encoder)
        for name in results.panels.values()
        for encoder in ENCODERS
        if any(model.startswith(encoder) for model in present)
    ]
