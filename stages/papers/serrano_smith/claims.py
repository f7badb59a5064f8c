"""Measurements for the claims of Serrano & Smith 2019; claims.yaml states what they decide."""

from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import kendalltau

from stages.papers.serrano_smith.evidence import (
    CODED,
    EXACT,
    Pair,
    Results,
    against_others,
    contrast,
    encoders,
    median,
    models,
    of_erasures,
    of_models,
    ratio,
    row,
)
from stages.papers.serrano_smith.panels import ENCODED, HIERARCHICAL, RANKINGS, WITHOUT_ENCODER
from stages.papers.serrano_smith.tables import published
from stages.papers.shared.rules import Measured, measured, row_of_values
from stages.settings.seeds import generator
from stages.statistics.bootstrap import Floats, clustered

CLAIMS = Path(__file__).with_name("claims.yaml")
KINDS = ("rnn", "conv", "noenc")
TAIL = 50  # documents that the share of a tail needs


def share(condition: pd.Series, among: pd.Series) -> pd.Series:
    """1 where a condition is true, NaN where it does not count."""
    return condition.astype(float).where(among)


def one_sided(erased: pd.DataFrame) -> pd.Series:
    """1 where only the random item flips, 0 where only the top one does."""
    return erased["random_flips"].where(erased["random_flips"] != erased["top_flips"])


def moved(erased: pd.DataFrame, low: float, high: float) -> pd.Series:
    """Differences in divergence at differences in weight in [low, high)."""
    return erased["delta_js"].where(erased["delta_alpha"].between(low, high, "left"))


def hardly_moved(erased: pd.DataFrame) -> pd.Series:
    """Whether a positive difference in divergence is near zero, at a large one in weight."""
    large = erased["delta_alpha"].between(0.35, 0.45) & (erased["delta_js"] > 0)
    return share(erased["delta_js"] < 0.01, large)


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


def masses(results: Results, pair: Pair, *rankings: str) -> list[pd.Series]:
    """Attention mass erased at the first flip, by ranking."""
    return [results.of("multi", *pair, ranking)["mass"] for ranking in rankings]


def correct(results: Results, pair: Pair) -> pd.Series:
    """C29: as many 1 as a run has right answers, by seed and place."""
    scores = results.scores.groupby(["dataset", "model"]).get_group(pair)
    right = {
        run.seed: pd.Series(np.arange(run.n) < round(run.accuracy * run.n))
        for run in scores.itertuples()
    }
    return pd.concat(right, names=["seed", "instance"])


def accuracy_and_pattern(results: Results) -> Measured:
    """C30: deviations of seeds from the mean of their model; models are resampled."""
    points = []
    for pair in results.pairs():
        accuracy = correct(results, pair).groupby(level="seed").mean()
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


MEASUREMENTS: dict[str, Callable[[Results], Measured]] = {
    "C1": of_erasures(models(), lambda t: t["delta_js"] > 0),
    "C2": of_erasures(models(), lambda t: share(t["delta_js"] < -0.05, t["delta_js"] < 0)),
    "C3": of_erasures(
        models(), lambda t: [t["delta_alpha"].where(t["delta_js"] < 0), t["delta_alpha"]]
    ),
    "C4": of_erasures(
        against_others("Yahoo", *HIERARCHICAL),
        lambda t: share(t["delta_alpha"] > 0.4, t["delta_js"] < 0),
        fewest=TAIL,
    ),
    "C5": of_erasures(models(), hardly_moved),
    "C6": of_erasures(models(), lambda t: [moved(t, 0.8, 1.01), moved(t, 0.3, 0.5)]),
    "C7": of_erasures(encoders(("noenc", "rnn")), lambda t: moved(t, 0.3, 0.7)),
    "C8": of_models(models("han-rnn"), Results.top_flips),
    "C8b": of_models(models("han-rnn"), minus_published),
    "C9": of_erasures(models(), lambda t: [t["top_flips"], t["random_flips"]]),
    "C10": of_erasures(contrast(*((f"flan-{kind}", f"han-{kind}") for kind in KINDS)), one_sided),
    "C11": of_erasures(models("han-rnn"), lambda t: [one_sided(t), t["delta_js"] < 0]),
    "C12": of_erasures(
        encoders(("noenc", "rnn"), ("noenc", "conv"), exception=("Yahoo", "flan-noenc")),
        lambda t: t["top_flips"].astype(bool) | (t["random_flips"] > 0),
    ),
    "C13": of_models(models(), lambda r, pair: [r.top_flips(pair, "product"), r.top_flips(pair)]),
    "C14": of_models(models(), lambda r, pair: [r.top_flips(pair, "gradient"), r.top_flips(pair)]),
    "C15": of_models(models(), lambda r, pair: r.wins(pair, "attention", "random")),
    "C16": of_models(models(*ENCODED), slower),
    "C17": of_models(models(*ENCODED), gradient_wins),
    "C18": of_models(
        models(*ENCODED), lambda r, pair: r.wins(pair, "gradient", "attention"), of=ratio
    ),
    "C19": of_models(models(), lambda r, pair: r.wins(pair, "product", "gradient")),
    "C20": of_models(models("flan-rnn"), lambda r, pair: r.fraction(pair, "attention"), of=median),
    "C21": of_models(encoders(("rnn", "conv")), lambda r, pair: r.fraction(pair, "attention")),
    "C22": of_models(encoders(("rnn", "noenc"), ("conv", "noenc")), mean_fraction),
    "C23": of_models(
        against_others("Amazon", "flan-noenc"), lambda r, pair: r.fraction(pair, "random")
    ),
    "C24": of_models(
        models(*WITHOUT_ENCODER), lambda r, pair: r.wins(pair, "attention", "gradient")
    ),
    "C25": of_models(models(), beaten),
    "C26": of_models(against_others("Yahoo", *HIERARCHICAL), slower),
    "C27": of_models(models(), lambda r, pair: masses(r, pair, "attention"), of=median),
    "C28": of_models(models(), lambda r, pair: masses(r, pair, "attention", "gradient"), of=median),
    "C28b": of_models(models(), lambda r, pair: masses(r, pair, "attention", "product"), of=median),
    "C29": of_models(
        encoders(*combinations(KINDS, 2), exception=("Yahoo", "han-conv")), correct, paired=False
    ),
    "C30": accuracy_and_pattern,
    "X1": random_item_defect,
    "X2": of_models(models(), lambda r, pair: r.wins(pair, "centred", "product")),
    "X3": of_models(models(), oracle),
    "X4": of_models(models(), moved_by_mean_context),
}
