"""Measurements for the claims of Jain & Wallace 2019: intervals per data set and over data sets.

Means over data sets weigh every data set alike; their intervals come from resampling the documents
of each.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import rankdata

from stages.papers.jain_wallace.panels import PANELS
from stages.papers.jain_wallace.tables import first_seed
from stages.papers.shared.panels import no_runs
from stages.settings.seeds import generator
from stages.statistics.bootstrap import NOTHING, Interval, between, of_mean, replicates

Floats = NDArray[np.float64]
FEWEST = 10  # documents that a group needs to decide a claim


@dataclass(frozen=True)
class Results:
    """The tidy tables of all analyses of the study."""

    taus: pd.DataFrame
    instances: pd.DataFrame
    weights: pd.DataFrame  # attention of every seed, token by token
    shuffled: pd.DataFrame
    adversaries: pd.DataFrame
    models: pd.DataFrame  # test scores, one row per trained model
    # predictions of MLPs under the weights of bases and of retrained adversaries
    guided: pd.DataFrame = field(default_factory=no_runs)

    def without(self, names: Collection[str]) -> "Results":
        """The same tables without the named data sets."""
        tables = {part.name: getattr(self, part.name) for part in fields(self)}
        return Results(**{k: t[~t["dataset"].isin(list(names))] for k, t in tables.items()})


def datasets(table: pd.DataFrame, task: str | None = None) -> list[str]:
    """The data sets that were run, one for each panel of the paper."""
    present = set(table["dataset"].unique())
    names = [panel.dataset(present) for panel in PANELS if task in (None, panel.task)]
    return [name for name in names if name]


def model_rows(
    table: pd.DataFrame, dataset: str, encoder: str, attention: str = "additive"
) -> pd.DataFrame:
    """The rows of one model, first seed."""
    chosen = first_seed(table[table["dataset"] == dataset])
    return chosen[(chosen["encoder"] == encoder) & (chosen["attention"] == attention)]


def tau(
    results: Results, dataset: str, encoder: str, pair: str, attention: str = "additive"
) -> pd.Series:
    """Tau of every document of one model, by document."""
    rows = model_rows(results.taus, dataset, encoder, attention)
    return rows[rows["pair"] == pair].set_index("instance")["tau"].astype(float)


def paired(one: pd.Series, other: pd.Series) -> Floats:
    """Differences over the documents that both have."""
    differences: Floats = (one - other).dropna().to_numpy(np.float64)
    return differences


def mean_of(values: Floats, *names: str) -> Interval:
    """Mean and interval; the random draw is seeded by the names."""
    return of_mean(values, generator(0, *names))


def difference(one: Floats, other: Floats, *names: str) -> Interval:
    """Difference of two means, resampled independently."""
    first, second = (v[~np.isnan(v)] for v in (one, other))
    if min(len(first), len(second)) == 0:
        return NOTHING
    draw = generator(0, *names)
    resampled = replicates(first, draw) - replicates(second, draw)
    return between(float(first.mean() - second.mean()), resampled, min(len(first), len(second)))


def over_sets(values: Mapping[str, Floats], *names: str) -> Interval:
    """Mean over data sets of the mean of each; data sets without a value are left out."""
    kept = {name: v[~np.isnan(v)] for name, v in values.items()}
    kept = {name: v for name, v in kept.items() if len(v)}
    if not kept:
        return NOTHING
    draws = [replicates(v, generator(0, *names, name)) for name, v in kept.items()]
    value = float(np.mean([v.mean() for v in kept.values()]))
    return between(value, np.mean(draws, axis=0), sum(map(len, kept.values())))


def rank_correlation(x: Floats, y: Floats, *names: str) -> Interval:
    """Spearman's rho over documents with its interval."""
    if len(x) < FEWEST:
        return NOTHING
    draw = generator(0, *names)

    def rho(a: Floats, b: Floats) -> float:
        one, other = rankdata(a), rankdata(b)
        if one.std() == 0 or other.std() == 0:
            return np.nan
        return float(np.corrcoef(one, other)[0, 1])

    if np.isnan(rho(x, y)):
        return NOTHING
    resampled = [rho(x[rows], y[rows]) for rows in draw.integers(0, len(x), (300, len(x)))]
    return between(rho(x, y), np.array(resampled), len(x))


def mean_of_intervals(parts: Collection[Interval]) -> Interval:
    """Mean of independent estimates; its variance is that of a mean of independent values."""
    centre = float(np.mean([part.value for part in parts]))
    deviations = [(part.high - part.low) / (2 * 1.96) for part in parts]
    reach = 1.96 * float(np.sqrt(np.sum(np.square(deviations)))) / len(parts)
    return Interval(centre, centre - reach, centre + reach, sum(part.n for part in parts))


def score_draws(
    models: pd.DataFrame, dataset: str, model: str, metric: str, count: int = 1000
) -> Floats:
    """Bootstrap replicates of a model's test score from its counts of right and wrong answers."""
    rows = models[(models["dataset"] == dataset) & (models["model"] == model)]
    if rows.empty:
        return np.full(count, np.nan)
    row = rows.iloc[0]
    draw = generator(0, dataset, model, metric)
    n = int(row["n"])
    if metric == "accuracy":
        return draw.binomial(n, row["accuracy"], count) / n
    actual, predicted = float(row["positives"]), float(row["predicted_positives"])
    both = row["f1"] * (actual + predicted) / 2
    counts = np.clip(
        [both, predicted - both, actual - both, n - actual - predicted + both], 0, None
    )
    hits, extra, missed, _ = draw.multinomial(n, counts / counts.sum(), count).T
    f1: Floats = 2 * hits / np.maximum(2 * hits + extra + missed, 1)
    return f1


def score_difference(results: Results, dataset: str, one: str, other: str, metric: str) -> Interval:
    """Difference of two models' test scores; their errors count as independent."""
    rows = results.models[results.models["dataset"] == dataset].set_index("model")
    if one not in rows.index or other not in rows.index:
        return NOTHING
    first, second = (rows.loc[[name]].iloc[0] for name in (one, other))
    draws = [score_draws(results.models, dataset, name, metric) for name in (one, other)]
    return between(float(first[metric] - second[metric]), draws[0] - draws[1], int(first["n"]))


def replica_divergence(results: Results) -> pd.DataFrame:
    """Per document: median JSD between the first seed's attention and the other seeds'."""
    rows = results.weights[
        (results.weights["encoder"] == "bilstm") & (results.weights["attention"] == "additive")
    ]
    tables = []
    for name, group in rows.groupby("dataset"):
        seeds = sorted(group["seed"].unique())
        wide = group.pivot_table(index=["instance", "position"], columns="seed", values="weight")
        for other in seeds[1:]:
            p, q = wide[seeds[0]].to_numpy(), wide[other].to_numpy()
            parts = pd.Series(_divergence_parts(p, q), index=wide.index)
            divergence = parts.groupby("instance").sum()
            tables.append(
                pd.DataFrame({"dataset": name, "seed": other, "jsd": divergence}).reset_index()
            )
    if not tables:
        return pd.DataFrame(columns=["dataset", "instance", "jsd"])
    table = pd.concat(tables)
    return table.groupby(["dataset", "instance"], as_index=False)["jsd"].median()


def _divergence_parts(p: Floats, q: Floats) -> Floats:
    """The terms of the Jensen-Shannon divergence, token by token."""
    middle = (p + q) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        left = np.where(p > 0, p * np.log(p / middle), 0)
        right = np.where(q > 0, q * np.log(q / middle), 0)
    parts: Floats = (left + right) / 2
    return parts
