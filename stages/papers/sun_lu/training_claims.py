"""Verdicts on the claims of Sun & Lu 2020 about training: the terms A-F, dot products, V.W.

Decided on the generated documents, whose polarity tokens are defined, under plain gradient descent
unless a claim is about another optimiser. Seeds are the observations.
"""

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import chi2

from stages.papers.shared.claims import Claim, Record, every_row, listed, not_run, record, within
from stages.papers.sun_lu import evidence
from stages.papers.sun_lu.claims import MAJORITY, Rows, mixed
from stages.papers.sun_lu.evidence import NEUTRAL, Results, of, over_seeds, traced
from stages.papers.sun_lu.panels import DATA_I, DATA_II, MODERATE, RATIOS
from stages.settings.seeds import generator
from stages.statistics.bootstrap import Interval
from stages.statistics.ranks import auc

Floats = NDArray[np.float64]
POLAR = ("positive", "negative")


def _course(
    results: Results, quantity: str, group: str, column: str = "mean", value: float = MODERATE
) -> pd.DataFrame:
    """A traced quantity of DP on Data I: epochs x seeds."""
    return traced(results, DATA_I, "dp", quantity, group, column, value)


def _trained(course: pd.DataFrame) -> Floats:
    """Mean over the epochs after the first, by seed."""
    return course[course.index > 0].mean().to_numpy(np.float64)


def terms_add_up(claim: Claim, results: Results) -> Record:
    """SL19: the largest distance from automatic differentiation in any epoch of any run."""
    rows = results.traces[
        results.traces["quantity"].isin(["residual_polarity", "residual_attention"])
    ]
    gradient_descent = rows[
        (rows["dataset"] == DATA_I)
        & rows["model"].isin(("dp", "dp-penalty", "dp-a", "dp-wide"))
        & (rows["value"].isna() | (rows["value"] == MODERATE))
    ]
    if not len(gradient_descent):
        return not_run(claim, "nothing was traced")
    worst = float(gradient_descent["mean"].max())
    everywhere = float(rows["mean"].max())
    interval = Interval(worst, worst, worst, len(gradient_descent))
    reason = (
        f"largest residual {worst:.1e} over {len(gradient_descent)} looks at gradient descent with "
        f"lambda 10; over all traced models, data sets and lambdas {everywhere:.1e} (the flow of "
        "attention scores grows with 1/lambda squared)"
    )
    return record(claim, interval, within(interval, high=1e-12), reason)


def _signs(results: Results, quantity: str, signs: dict[str, int]) -> Rows:
    """Share of each group's tokens with the claimed sign, over training."""
    rows: Rows = {}
    for group, sign in signs.items():
        course = _course(results, quantity, group, "positive")
        if course.size:
            share = _trained(course) if sign > 0 else 1 - _trained(course)
            rows[f"{group} tokens with the sign"] = (
                over_seeds(share, quantity, group),
                {"low": MAJORITY},
            )
    return rows


def _neutral_share(results: Results, quantity: str) -> Rows:
    """|mean of neutral tokens| over the mean size of polarity tokens."""
    means = {g: _trained(_course(results, quantity, g)) for g in (*POLAR, NEUTRAL)}
    if not all(len(values) for values in means.values()):
        return {}
    polar = np.mean([np.abs(means[g]) for g in POLAR], axis=0)
    interval = over_seeds(np.abs(means[NEUTRAL]) / polar, quantity, NEUTRAL)
    # rho sums to zero, so here the ratio is that of polarity to neutral types, 100 to 1,000
    return {"neutral over polarity tokens": (interval, {"high": 0.25})}


def pull_has_sign(claim: Claim, results: Results) -> Record:
    """SL20."""
    rows = _signs(results, "pi", {"positive": 1, "negative": -1})
    return mixed(claim, rows | _neutral_share(results, "pi"))


def rho_is_positive(claim: Claim, results: Results) -> Record:
    """SL21; rho sums to zero over all tokens, which the reason checks."""
    rows = _signs(results, "rho", {"positive": 1, "negative": 1})
    entry = mixed(claim, rows | _neutral_share(results, "rho"))
    total = of(results.traces, DATA_I, "dp", MODERATE)
    total = total[total["quantity"] == "sum_rho"]["mean"].abs().max()
    return entry | {
        "reason": f"{entry['reason']}. Largest |sum of rho over all tokens|: {total:.1e}"
    }


def _median_share(results: Results, quantity: str, value: float) -> Interval:
    parts = [_trained(_course(results, quantity, g, "q50", value)) for g in POLAR]
    if not all(len(part) for part in parts):
        return over_seeds(np.array([]), quantity)
    return over_seeds(np.mean(parts, axis=0), quantity, f"{value:g}")


def _by_scale(results: Results, quantity: str) -> dict[str, Interval]:
    scales = sorted(of(results.traces, DATA_I, "dp")["value"].dropna().unique())
    return {f"lambda {value:g}": _median_share(results, quantity, value) for value in scales}


def a_is_negligible(claim: Claim, results: Results) -> Record:
    """SL22."""
    interval = _median_share(results, "A/(B+C)", MODERATE)
    reason = f"median |A|/(|B|+|C|): {listed(_by_scale(results, 'A/(B+C)'))}"
    return record(claim, interval, within(interval, high=0.1), reason)


def d_dominates(claim: Claim, results: Results) -> Record:
    """SL23."""
    every = _by_scale(results, "D/(E+F)")
    bounds: dict[str, dict[str, float]] = {
        "lambda 10": {"high": 1.0},
        "lambda 100": {"low": 1.0},
        "lambda 10000": {"low": 1.0},
    }
    rows: Rows = {name: (every[name], bound) for name, bound in bounds.items() if name in every}
    entry = mixed(claim, rows)
    return entry | {"reason": f"{entry['reason']}. Every lambda: {listed(every)}"}


def f_grows(claim: Claim, results: Results) -> Record:
    """SL24: F before training over its largest mean, and its mean over training."""
    rows: Rows = {}
    for group in POLAR:
        course = _course(results, "F", group)
        if course.size:
            start = (course.iloc[0].abs() / course.abs().max()).to_numpy(np.float64)
            rows[f"{group} start over peak"] = (over_seeds(start, "F", group), {"high": 0.1})
            peak = (course[course.index > 0].mean() / course.abs().max()).to_numpy(np.float64)
            rows[f"{group} mean over peak"] = (over_seeds(peak, "F", group), {"low": 0.0})
    return mixed(claim, rows)


def _last(results: Results, model: str, quantity: str, group: str) -> Floats:
    """A traced quantity after the last epoch, by seed."""
    value = MODERATE if model in ("dp", "dp-penalty") else None
    course = traced(results, DATA_I, model, quantity, group, value=value)
    return course.iloc[-1].to_numpy(np.float64) if len(course) else np.array([])


def _dots(results: Results) -> dict[str, Floats]:
    names = ("positive-positive", "negative-negative", "negative-positive")
    neutral = ("positive-neutral", "negative-neutral")
    return {name: _last(results, "dp", "dot", name) for name in (*names, *neutral)}


def dots_by_class(claim: Claim, results: Results) -> Record:
    """SL25."""
    dots = _dots(results)
    same = (np.abs(dots["positive-positive"]) + np.abs(dots["negative-negative"])) / 2
    rows: Rows = {
        name: (over_seeds(dots[name], name), bounds)
        for name, bounds in (
            ("positive-positive", {"low": 0.0}),
            ("negative-negative", {"low": 0.0}),
            ("negative-positive", {"high": 0.0}),
        )
    }
    for name in ("positive-neutral", "negative-neutral"):
        rows[f"|{name}| over same class"] = (
            over_seeds(np.abs(dots[name]) / same, name),
            {"high": 0.1},
        )
    return mixed(claim, {name: row for name, row in rows.items() if row[0].n})


def same_beats_opposite(claim: Claim, results: Results) -> Record:
    """SL26."""
    dots = _dots(results)
    same = (dots["positive-positive"] + dots["negative-negative"]) / 2
    interval = over_seeds(same + dots["negative-positive"], "SL26")
    means = listed({name: over_seeds(values, name) for name, values in dots.items()})
    return record(claim, interval, within(interval, low=0.0), f"mean dot products: {means}")


def small_start_sooner(claim: Claim, results: Results) -> Record:
    """SL27: first epoch after which the signs stay right, wide minus narrow start, by seed."""
    first = {}
    for model, value in (("dp", MODERATE), ("dp-wide", None)):
        same = [traced(results, DATA_I, model, "dot", f"{g}-{g}", value=value) for g in POLAR]
        other = traced(results, DATA_I, model, "dot", "negative-positive", value=value)
        if not other.size:
            return not_run(claim, f"{model} was not traced")
        right = (same[0] > 0) & (same[1] > 0) & (other < 0)
        stays = right[::-1].cumprod()[::-1]
        first[model] = len(stays) - stays.sum()
    gap = (first["dp-wide"] - first["dp"]).dropna()
    interval = over_seeds(gap.to_numpy(np.float64), "SL27")
    starts = ", ".join(f"{model} from epoch {epochs.mean():.1f}" for model, epochs in first.items())
    return record(claim, interval, within(interval, low=0.0), f"mean over seeds: {starts}")


def noise_shrinks(claim: Claim, results: Results) -> Record:
    """SL28: AUCs on Data II, and the size of its polarity scores over those on Data I."""
    rows: Rows = {
        name: (interval, {"low": 0.5})
        for name, interval in evidence.above_neutral(
            results, [(DATA_II, "dp", MODERATE)], neutrals=(NEUTRAL,)
        ).items()
    }
    tables = [of(results.tokens, name, "dp", MODERATE) for name in (DATA_II, DATA_I)]
    noisy, clean = (
        np.hstack([evidence.scores_of(table, g, "polarity_score") for g in POLAR])
        if len(table)
        else np.empty((1, 0))
        for table in tables
    )
    size = evidence.ratio(noisy, clean, np.mean, generator(0, "SL28"))
    return mixed(
        claim, rows | ({"|s| of Data II over Data I": (size, {"high": 1.0})} if size.n else {})
    )


def product_follows_ratio(claim: Claim, results: Results) -> Record:
    """SL29: V.W in the direction of the larger class, and beyond its size on balanced data."""
    products = {
        ratio: of(results.runs, name, "dp", MODERATE)["product"].to_numpy(np.float64)
        for ratio, name in RATIOS.items()
    }
    balanced = products["1:1"]
    rows: Rows = {}
    for ratio, values in products.items():
        positive, negative = map(int, ratio.split(":"))
        if positive == negative or not len(values) or not len(balanced):
            continue
        signed = np.sign(positive - negative) * values
        rows[f"{ratio} in its direction"] = (over_seeds(signed, ratio), {"low": 0.0})
        beyond = over_seeds(np.abs(values) - np.abs(balanced).mean(), ratio, "size")
        rows[f"{ratio} beyond 1:1"] = (beyond, {"low": 0.0})
    entry = mixed(claim, rows)
    means = ", ".join(
        f"{ratio} {values.mean():.2f}" for ratio, values in products.items() if len(values)
    )
    return entry | {"reason": f"{entry['reason']}. Mean V.W: {means}"}


def penalty_closes_gap(claim: Claim, results: Results) -> Record:
    """SL30: |mean a of positive - negative tokens| with the penalty minus without, by seed."""
    gaps = {}
    for model in ("dp", "dp-penalty"):
        ends = [_last(results, model, "attention", g) for g in POLAR]
        gaps[model] = np.abs(ends[0] - ends[1])
    if min(map(len, gaps.values())) == 0:
        return not_run(claim, "no model with the penalty was traced")
    interval = over_seeds(gaps["dp-penalty"] - gaps["dp"], "SL30")
    means = ", ".join(f"{model} {gap.mean():.3f}" for model, gap in gaps.items())
    return record(claim, interval, within(interval, high=0.0), f"gap: {means}")


def other_optimisers(claim: Claim, results: Results) -> Record:
    """SL32: share of polarity tokens that an epoch moves in the direction of the terms."""
    rows: Rows = {}
    for model in ("dp-adagrad", "dp-adam"):
        for quantity, name in (("as_said_s", "polarity"), ("as_said_a", "attention")):
            parts = [traced(results, DATA_I, model, quantity, g).mean() for g in POLAR]
            if all(len(part) for part in parts):
                share = np.mean(parts, axis=0)
                rows[f"{model} {name}"] = (over_seeds(share, model, name), {"low": 0.5})
    return mixed(claim, rows)


def seeds_agree(claim: Claim, results: Results) -> Record:
    """SL33: standard deviation over seeds of the AUCs, with its chi-square interval."""
    rows = {}
    for name in results.binary:
        table = of(results.tokens, name, "dp", MODERATE)
        values = {g: evidence.scores_of(table, g, "attention_score") for g in (*POLAR, NEUTRAL)}
        seeds = min(len(v) for v in values.values())
        if seeds < 3 or min(v.shape[1] for v in values.values()) < evidence.FEWEST:
            continue
        for group in POLAR:
            aucs = [auc(values[group][s], values[NEUTRAL][s]).value for s in range(seeds)]
            sd = float(np.std(aucs, ddof=1))
            high, low = np.sqrt((seeds - 1) / chi2.ppf([0.025, 0.975], seeds - 1))
            rows[f"{name} {group}"] = Interval(sd, sd * low, sd * high, seeds)
    if not rows:
        return not_run(claim, "needs three seeds")
    return every_row(claim, rows, lambda value: value, high=0.05)
