"""Measurements for the claims of Sun & Lu 2020 on training: the terms A-F, dot products, V.W.

On the generated documents, whose polarity tokens are defined, under plain gradient descent unless a
claim is about another optimiser. Seeds are the observations.
"""

from collections.abc import Callable, Iterable, Mapping
from itertools import product

import numpy as np
import pandas as pd

from stages.papers.shared.results import of
from stages.papers.shared.rows import Measured, Row, Rows, measured, row_of_runs, row_of_values
from stages.papers.sun_lu.evidence import POLAR, Model, Results, listed, named, over_seeds, traced
from stages.papers.sun_lu.panels import DATA_I, DATA_II, MODERATE, RATIOS, SCALES
from stages.settings.seeds import generator
from stages.statistics.bootstrap import hierarchical
from stages.statistics.ranks import Floats, mean_difference, mean_ratio

Reduce = Callable[[pd.DataFrame], "pd.Series[float]"]  # epochs x seeds -> one number per seed
DP: Model = (DATA_I, "dp", MODERATE)
SAME = tuple(f"{group}-{group}" for group in POLAR)
OPPOSITE, WITH_NEUTRAL = "negative-positive", tuple(f"{group}-neutral" for group in POLAR)


def trained(course: pd.DataFrame) -> "pd.Series[float]":
    """Mean over the epochs after the first."""
    return course[course.index > 0].mean()


def last(course: pd.DataFrame) -> "pd.Series[float]":
    """The value after training."""
    return course.iloc[-1] if len(course) else pd.Series(dtype=float)


REDUCERS: dict[str, Reduce] = {
    "mean": pd.DataFrame.mean,
    "trained": trained,
    "one minus trained": lambda course: 1 - trained(course),
    "trained over largest": lambda course: trained(course) / course.abs().max(),
    "first over largest": lambda course: course[:1].mean().abs() / course.abs().max(),
    "last": last,
    "minus last": lambda course: -last(course),
}


def reduced(
    results: Results,
    quantities: Iterable[str],
    groups: Mapping[str, str],
    column: str = "mean",
    models: Iterable[Model] = (DP,),
) -> Rows:
    """SL20 to SL25, SL32: traced quantities of some groups, reduced to a number for each seed."""
    rows: Rows = []
    for quantity, model, (group, name) in product(quantities, models, groups.items()):
        values = REDUCERS[name](traced(results, model, quantity, group, column))
        rows.append(over_seeds(f"{named(*model)} {quantity} {group}", values))
    return rows


def terms_add_up(results: Results) -> Measured:
    """SL19: a maximum, so its interval is the number itself."""
    rows = results.traces
    rows = rows[rows["quantity"].isin(["residual_polarity", "residual_attention"])]
    descent = rows["model"].isin(["dp", "dp-penalty", "dp-a", "dp-wide"])
    chosen = rows[(rows["dataset"] == DATA_I) & descent & ~(rows["value"] != MODERATE)]
    if not len(chosen):
        return [], ""
    worst = float(chosen["mean"].max())
    runs = chosen.groupby(["model", "seed"]).ngroups
    row = Row(f"{DATA_I} dp", worst, worst, worst, len(chosen), runs, chosen["seed"].nunique())
    note = f"Over all data sets, models and values of lambda {rows['mean'].max():.1e}"
    return [row], f"{note}; the flow of attention scores grows with 1/lambda squared"


def d_dominates(results: Results) -> Measured:
    """SL23; the note has every lambda."""
    models = [(DATA_I, "dp", value) for value in SCALES]
    rows = reduced(results, ["D/(E+F)"], dict.fromkeys(POLAR, "trained"), "q50", models)
    large = [row for row in measured(rows) if row.row.split()[1] in ("dp@100", "dp@10000")]
    return [*large], f"Every lambda: {listed(rows)}"


def _dots(results: Results) -> "dict[str, pd.Series[float]]":
    """Mean dot products after training by pair of groups, one number per seed."""
    pairs = (*SAME, OPPOSITE, *WITH_NEUTRAL)
    return {pair: last(traced(results, DP, "dot", pair)) for pair in pairs}


def dots_with_neutral(results: Results) -> Rows:
    """SL25b."""
    dots = _dots(results)
    same = (dots[SAME[0]].abs() + dots[SAME[1]].abs()) / 2
    label = named(*DP)
    return [over_seeds(f"{label} {p}", dots[p].abs() / same) for p in WITH_NEUTRAL]


def same_beats_opposite(results: Results) -> Rows:
    """SL26."""
    dots = _dots(results)
    gap = (dots[SAME[0]] + dots[SAME[1]]) / 2 + dots[OPPOSITE]
    return [over_seeds(f"{named(*DP)} same plus opposite", gap)]


def small_start_sooner(results: Results) -> Measured:
    """SL27: the first epoch after which the signs stay right."""
    first = []
    for model in (DP, (DATA_I, "dp-wide", None)):
        same = [traced(results, model, "dot", pair) > 0 for pair in SAME]
        right = same[0] & same[1] & (traced(results, model, "dot", OPPOSITE) < 0)
        stays = right[::-1].cumprod()[::-1]
        first.append(len(stays) - stays.sum())
    gap = (first[1] - first[0]).dropna()
    note = f"dp from epoch {first[0].mean():.1f}, dp-wide from epoch {first[1].mean():.1f}"
    return [over_seeds(f"{DATA_I} dp-wide minus dp", gap)], note if len(gap) else ""


def noise_shrinks(results: Results) -> Rows:
    """SL28b: polarity tokens of both data sets, seed by seed."""
    noisy, clean = (
        {
            seed: table[table["group"].isin(POLAR)]["polarity_score"].to_numpy(np.float64)
            for seed, table in of(results.tokens, name, "dp", MODERATE).groupby("seed")
        }
        for name in (DATA_II, DATA_I)
    )
    seeds = [[noisy[seed], clean[seed]] for seed in noisy if seed in clean]
    return [row_of_runs(f"{DATA_II} dp@10 over {DATA_I}", seeds, mean_ratio, paired=False)]


def products(results: Results) -> dict[str, Floats]:
    """V.W by the ratio of positive to negative documents, one number per seed."""
    values = {
        ratio: of(results.runs, name, "dp", MODERATE)["product"].to_numpy(np.float64)
        for ratio, name in RATIOS.items()
    }
    return {ratio: some for ratio, some in values.items() if len(some)}


def product_has_sign(results: Results) -> Measured:
    """SL29."""
    rows: Rows = []
    by_ratio = products(results)
    for ratio, values in by_ratio.items():
        positive, negative = map(int, ratio.split(":"))
        if positive != negative:
            toward = np.sign(positive - negative) * values
            rows.append(over_seeds(f"{RATIOS[ratio]} dp@10", toward))
    means = ", ".join(f"{ratio} {values.mean():.2f}" for ratio, values in by_ratio.items())
    return rows, f"Mean V.W: {means}"


def product_is_larger(results: Results) -> Rows:
    """SL29b: the seeds of both data sets are resampled."""
    by_ratio = products(results)
    balanced = by_ratio.pop("1:1", np.empty(0))
    rows: Rows = []
    for ratio, values in by_ratio.items() if len(balanced) else ():
        label = f"{RATIOS[ratio]} dp@10 minus {DATA_I}"
        sizes = [np.abs(values), np.abs(balanced)]
        gaps = hierarchical(mean_difference, [sizes], generator(0, label), paired=False)
        rows.append(row_of_values(label, gaps, sum(map(len, sizes)), len(values)))
    return rows


def penalty_closes_gap(results: Results) -> Measured:
    """SL30: seed by seed."""
    gaps = []
    for model in (DP, (DATA_I, "dp-penalty", MODERATE)):
        ends = [last(traced(results, model, "attention", group)) for group in POLAR]
        gaps.append((ends[0] - ends[1]).abs())
    difference = (gaps[1] - gaps[0]).dropna()
    note = f"Gap without the penalty {gaps[0].mean():.3f}, with it {gaps[1].mean():.3f}"
    label = f"{DATA_I} dp-penalty@10 minus dp@10"
    return [over_seeds(label, difference)], note if len(difference) else ""
