"""Measurements for the claims of Serrano & Smith 2019; claims.yaml states what they decide."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import kendalltau

from stages.papers.serrano_smith import evidence
from stages.papers.serrano_smith.evidence import CODED, EXACT, Pair, Results, row
from stages.papers.serrano_smith.panels import RANKINGS
from stages.papers.serrano_smith.tables import published
from stages.papers.shared.rows import Measured, Rows, measured, row_of_values
from stages.settings.seeds import generator
from stages.statistics.bootstrap import Floats, clustered


def erasures(
    results: Results,
    value: str,
    among: str = "",
    minus: Mapping[str, str] | None = None,
    sides: Mapping[str, Any] | None = None,
    **options: Any,
) -> Measured:
    """Rows by an expression of the columns of single erasures (top item by attention).

    The random item is that of the paper's text; the note has the one of the authors' code.
    """
    terms = [{"value": value, "among": among}, *([minus] if minus else [])]

    def rows(mode: str) -> Rows:
        def values(pair: Pair) -> list[pd.Series]:
            table = results.of("single", *pair, "attention", mode)
            return [evaluated(table, **term) for term in terms]

        return evidence.rows_of(results, sides, values, **options)

    text, coded = rows(evidence.TEXT), rows(CODED)
    means = [np.mean([one.value for one in measured(some)] or np.nan) for some in (text, coded)]
    note = "Mean of the rows {:.3f}; with the random item as the code draws it {:.3f}"
    return text, "" if np.isnan(means).any() else note.format(*means)


def evaluated(table: pd.DataFrame, value: str, among: str = "") -> pd.Series:
    """The values of an expression, NaN in rows that do not count."""
    values = table.eval(value).astype(float)
    return values.where(table.eval(among)) if among else values


def documents(
    results: Results,
    value: str,
    of: Sequence[str] = (),
    minus: Sequence[str] = (),
    sides: Mapping[str, Any] | None = None,
    **options: Any,
) -> Rows:
    """Rows by a value per document: a method of Results, or a function below, of some rankings."""
    function = getattr(Results, value, None) or globals()[value]
    terms = [of, minus] if minus else [of]

    def values(pair: Pair) -> list[pd.Series]:
        return [function(results, pair, *rankings) for rankings in terms]

    return evidence.rows_of(results, sides, values, **options)


def minus_published(results: Results, pair: Pair) -> pd.Series:
    """C8b: flips by the top item minus the published rate, the `yes` row of Table 2."""
    values = published()
    values = values[(values["where"] == "Table 2") & values["quantity"].isin(["both", "only_top"])]
    rates = values.groupby("panel")["value"].sum() / 100
    (panel,) = (panel for panel, name in results.panels.items() if name == pair[0])
    return results.top_flips(pair) - rates[panel]


def slower(results: Results, pair: Pair) -> pd.Series:
    """C16, C26: share erased by attention minus by the slower of gradient and product."""
    attention, *others = (results.fraction(pair, name) for name in RANKINGS[1:])
    return attention - np.maximum(*others)


def gradient_wins(results: Results, pair: Pair) -> pd.Series:
    """C17: 1 where gradient needs fewer items than attention, of the whole test set."""
    fewer = (results.wins(pair, "gradient", "attention") > 0).astype(float)
    return fewer.reindex(results.of("instances", *pair).index, fill_value=0.0)


def mean_fraction(results: Results, pair: Pair) -> pd.Series:
    """C22: the mean over the four rankings of the paper."""
    return pd.concat([results.fraction(pair, name) for name in RANKINGS], axis=1).mean(axis=1)


def beaten(results: Results, pair: Pair) -> pd.Series:
    """C25: 1 where gradient or product needs fewer items than attention."""
    attention, *others = (results.items(pair, name) for name in RANKINGS[1:])
    return np.minimum(*others) < attention


def correct(results: Results, pair: Pair) -> pd.Series:
    """C29: 1 where the answer is right, of the whole test set."""
    table = results.of("answers", *pair)
    return table["predicted"] == table["label"]


def accuracy_and_pattern(results: Results) -> Measured:
    """C30: deviations of seeds from the mean of their model; models are resampled."""
    points = []
    by_model = results.scores.set_index("seed").groupby(["dataset", "model"])["accuracy"]
    for pair in results.pairs():
        accuracy = by_model.get_group(pair)
        wins = results.wins(pair, "gradient", "attention").groupby(level="seed").mean()
        both = pd.concat([accuracy, wins], axis=1).dropna().to_numpy(np.float64)
        if len(set(both[:, 0])) > 1:
            points.append(both - both.mean(0))
    if len(points) < 4:
        return [], "fewer than four models have seeds of different accuracy"

    def tau(one: Floats, other: Floats) -> float:
        return float(kendalltau(one, other).statistic)

    values = clustered(tau, points, generator(0, "accuracy and pattern"))
    runs = sum(map(len, points))
    return [row_of_values("all models", values, runs, runs, max(map(len, points)))], ""


def random_item_defect(results: Results) -> Measured:
    """X1: Table 2 and Figure 13 with the coded item minus the exact mean over the other items."""

    def shares(pair: Pair, ranking: str, mode: str, name: str) -> pd.Series:
        table = results.of("single", *pair, ranking, mode)
        top = table["top_flips"].astype(float)
        return (top if name == "both" else 1 - top) * table["random_flips"]

    tables = [(pair, "product") for pair in results.pairs()]
    tables += [(pair, "attention") for pair in results.pairs(["han-rnn"])]
    rows = [
        row(" ".join([*key[0], key[1], name]), *(shares(*key, m, name) for m in (CODED, EXACT)))
        for name in ("both", "only_random")
        for key in tables
    ]
    sizes = [abs(one.value) for one in measured(rows)]
    return rows, f"Mean absolute movement {np.mean(sizes):.3f}" if sizes else ""


def oracle(results: Results, pair: Pair) -> pd.Series:
    """X3: 1 where some single item flips and the top one by attention does not."""
    flips = results.of("instances", *pair)["any_single_flips"].astype(float)
    return flips - results.top_flips(pair)


def moved_by_mean_context(results: Results, pair: Pair) -> pd.Series:
    """X4: 1 where the mean training context instead of zeros moves the first flip."""
    table = results.of("multi", *pair, "attention")
    return table["count"] != table["count_to_mean"]
