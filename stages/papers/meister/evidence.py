"""Per-document values behind the claims of Meister et al. 2021, by data set and model."""

from dataclasses import dataclass, field, fields

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import kendalltau, rankdata

from stages.papers.meister.panels import ENCODERS, shown
from stages.papers.shared.panels import no_runs
from stages.settings.seeds import generator
from stages.statistics.bootstrap import NOTHING, Interval, between, of_mean, replicates

Floats = NDArray[np.float64]
FEWEST = 10


@dataclass(frozen=True)
class Results:
    """Tidy tables of all runs of the study."""

    instances: pd.DataFrame
    states: pd.DataFrame
    taus: pd.DataFrame
    untrained: pd.DataFrame
    scores: pd.DataFrame  # one row per run: accuracy on test, documents
    retrained: pd.DataFrame = field(default_factory=no_runs)  # documents under adversarial models

    def without(self, models: pd.DataFrame) -> "Results":
        """The same tables without the models in these rows of data set, model and value."""
        keys = ["dataset", "model", "value"]
        dropped = pd.MultiIndex.from_frame(models[keys].astype(str))
        tables = {each.name: getattr(self, each.name) for each in fields(self)}
        present = {k: pd.MultiIndex.from_frame(t[keys].astype(str)) for k, t in tables.items()}
        return Results(**{k: t[~present[k].isin(dropped)] for k, t in tables.items()})

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


def mean_of(values: pd.Series, *names: str) -> Interval:
    """Mean over documents with its interval; NOTHING below FEWEST documents."""
    kept = values.dropna().to_numpy(np.float64)
    return of_mean(kept, generator(0, *names)) if len(kept) >= FEWEST else NOTHING


def tau_of(table: pd.DataFrame, measure: str, of_what: str = "weight") -> pd.Series:
    """Tau-b by (seed, document) of weights or scores with a measure."""
    rows = table[(table["measure"] == measure) & (table["of"] == of_what)]
    return rows.set_index(["seed", "instance"])["tau"]


def paired(one: pd.Series, other: pd.Series) -> pd.Series:
    """Differences over the documents that both have."""
    return (one - other).dropna()


def trend(
    by_scale: dict[float, pd.DataFrame],
    column: str,
    *names: str,
    instead: dict[float, float] | None = None,
) -> Interval:
    """Tau-b between lambda and the mean of a column; documents are resampled within each lambda.

    `instead` maps each lambda to a number used in its place. NOTHING where a side is constant.
    """
    kept = {k: v[column].dropna().to_numpy(np.float64) for k, v in by_scale.items()}
    kept = {k: v for k, v in kept.items() if len(v) >= FEWEST}
    if len(kept) < 4:
        return NOTHING
    scales = [k if instead is None else instead[k] for k in kept]
    value = float(kendalltau(scales, [v.mean() for v in kept.values()]).statistic)
    if np.isnan(value):
        return NOTHING
    draws = np.array(
        [replicates(v, generator(0, column, *names, str(k)), 400) for k, v in kept.items()]
    )
    # tau depends on ranks only, and few distinct orders of six lambdas occur: compute each once
    orders, place = np.unique(rankdata(draws, axis=0), axis=1, return_inverse=True)
    again = np.array([kendalltau(scales, ranks).statistic for ranks in orders.T])[place]
    return between(value, again, sum(map(len, kept.values())))


def dataset_encoders(results: Results) -> list[tuple[str, str]]:
    """(data set, encoder) pairs that were run."""
    present = set(results.instances["model"].unique())
    return [
        (name, encoder)
        for name in results.panels.values()
        for encoder in ENCODERS
        if any(model.startswith(encoder) for model in present)
    ]
