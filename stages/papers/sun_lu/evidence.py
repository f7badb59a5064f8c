"""Measurements for the claims of Sun & Lu 2020: token scores, accuracies, gradient terms."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stages.papers.sun_lu.panels import BINARY, MODERATE, shown
from stages.settings.seeds import generator
from stages.statistics.bootstrap import NOTHING, Interval, between, of_mean
from stages.statistics.ranks import WIDTH, auc

Floats = NDArray[np.float64]
NEUTRAL, MATCHED = "neutral", "matched neutral"
FEWEST = 5  # tokens that a group needs to decide a claim
Model = tuple[str, str, float]  # data set, model, lambda


@dataclass(frozen=True)
class Results:
    """The tidy tables of all models of the study."""

    tokens: pd.DataFrame
    runs: pd.DataFrame
    traces: pd.DataFrame
    scores: pd.DataFrame  # one row per run: accuracy on test, documents

    @property
    def panels(self) -> dict[str, str]:
        """The paper's data sets that were run."""
        return shown(set(self.scores["dataset"]))

    @property
    def binary(self) -> list[str]:
        """The data sets of two classes."""
        return [name for panel, name in self.panels.items() if panel in BINARY]


def of(table: pd.DataFrame, dataset: str, model: str, value: float | None = None) -> pd.DataFrame:
    """The rows of one model, all seeds; `value` is lambda where the model sweeps it."""
    chosen = table[(table["dataset"] == dataset) & (table["model"] == model)]
    return chosen if value is None else chosen[chosen["value"] == value]


def scores_of(rows: pd.DataFrame, group: str, column: str) -> Floats:
    """Scores (seeds, tokens) of a group; MATCHED: neutral tokens as frequent as polarity tokens."""
    chosen = rows[rows["matched"]] if group == MATCHED else rows[rows["group"] == group]
    seeds, row = np.unique(chosen["seed"].to_numpy(), return_inverse=True)
    tokens, place = np.unique(chosen["token"].to_numpy(), return_inverse=True)
    wide = np.full((len(seeds), len(tokens)), np.nan)
    wide[row, place] = chosen[column].to_numpy(np.float64)  # a token has one row in a run
    return wide


def polar_groups(rows: pd.DataFrame) -> list[str]:
    """The groups of tokens of a class, positive before negative."""
    return sorted(set(rows["group"].unique()) - {NEUTRAL}, reverse=True)


def above_neutral(
    results: Results,
    models: Iterable[Model],
    column: str = "attention_score",
    neutrals: Sequence[str] = (NEUTRAL, MATCHED),
) -> dict[str, Interval]:
    """AUC of each polarity class against neutral tokens, model by model."""
    intervals = {}
    for dataset, model, value in models:
        rows = of(results.tokens, dataset, model, value)
        for group in polar_groups(rows):
            for neutral in neutrals:
                one, other = (_whole(scores_of(rows, g, column)) for g in (group, neutral))
                if min(one.shape[1], other.shape[1]) >= FEWEST:
                    label = f"{dataset} {model}@{value:g} {group} over {neutral}"
                    intervals[label] = auc(one, other)
    return intervals


def _whole(values: Floats) -> Floats:
    """The tokens that have a value in every seed."""
    if values.size == 0:
        return np.empty((1, 0))
    return values[:, ~np.isnan(values).any(0)]


def right_sign(results: Results, dataset: str, model: str, value: float) -> dict[str, Interval]:
    """Share of the tokens of each class whose polarity score has its sign, mean over seeds."""
    rows = of(results.tokens, dataset, model, value)
    intervals = {}
    for group, sign in (("positive", 1), ("negative", -1)):
        values = _whole(scores_of(rows, group, "polarity_score"))
        if values.shape[1] >= FEWEST:
            draw = generator(0, "sign", dataset, model, group)
            intervals[f"{dataset} {model}@{value:g} {group}"] = of_mean(
                (sign * values > 0).mean(0), draw
            )
    return intervals


def ratio(
    top: Floats, bottom: Floats, of_values: Callable[..., Floats], draw: np.random.Generator
) -> Interval:
    """A statistic of |top| over that of |bottom|, both (seeds, n); the tokens are resampled."""
    if min(top.shape[1], bottom.shape[1]) < FEWEST:
        return NOTHING
    sizes = [np.abs(values).mean(0) for values in (top, bottom)]  # (n,) mean over seeds
    parts = []
    for values in sizes:
        drawn = values[draw.integers(0, len(values), (1000, len(values)))]
        parts.append((float(of_values(values)), of_values(drawn, axis=1)))
    (one, ones), (other, others) = parts
    n = sum(map(len, sizes))
    return between(one / other, ones / others, n)


def accuracy(results: Results, dataset: str, model: str, value: float) -> pd.Series:
    """Test accuracy by seed."""
    rows = of(results.scores, dataset, model, value)
    return rows.set_index("seed")["accuracy"].sort_index()


def gained(
    results: Results, dataset: str, one: tuple[str, float], other: tuple[str, float]
) -> Interval:
    """Accuracy of one model minus another's, mean over the seeds they share.

    The variance adds the binomial variances of both accuracies, as if the test documents were not
    paired, and the variance over seeds, so the interval is conservative.
    """
    first, second = (accuracy(results, dataset, *model) for model in (one, other))
    seeds = first.index.intersection(second.index)
    if len(seeds) == 0:
        return NOTHING
    a, b = first[seeds], second[seeds]
    n = int(of(results.scores, dataset, *one)["n"].iloc[0])
    square = a.mean() * (1 - a.mean()) / n + b.mean() * (1 - b.mean()) / n
    if len(seeds) > 1:
        square += float((a - b).var(ddof=1)) / len(seeds)
    value, error = float((a - b).mean()), WIDTH * float(np.sqrt(square))
    return Interval(value, value - error, value + error, n)


def traced(
    results: Results,
    dataset: str,
    model: str,
    quantity: str,
    group: str,
    column: str = "mean",
    value: float | None = None,
) -> pd.DataFrame:
    """One traced quantity: epochs as rows, seeds as columns."""
    rows = of(results.traces, dataset, model, value)
    rows = rows[(rows["quantity"] == quantity) & (rows["group"] == group)]
    return rows.pivot_table(index="epoch", columns="seed", values=column)


def over_seeds(values: Floats, *names: str) -> Interval:
    """Mean over seeds with a bootstrap interval; n is the number of seeds."""
    return of_mean(np.asarray(values, np.float64), generator(0, "seeds", *names))


def moderate(datasets: Iterable[str]) -> list[Model]:
    """DP at the lambda of the paper's figures."""
    return [(name, "dp", MODERATE) for name in datasets]
