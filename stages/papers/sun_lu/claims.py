"""Verdicts on the claims of Sun & Lu 2020 about trained models: accuracy, token scores, weights.

The statements are in statements.csv; the functions here measure each.
"""

from itertools import product as crossed

import numpy as np

from stages.papers.shared.claims import (
    FAILS,
    HOLDS,
    NOT_RUN,
    UNDECIDED,
    Claim,
    Record,
    every_row,
    listed,
    not_run,
    record,
    within,
)
from stages.papers.sun_lu import evidence
from stages.papers.sun_lu.evidence import MATCHED, NEUTRAL, Model, Results, of, scores_of
from stages.papers.sun_lu.panels import MODERATE
from stages.settings.seeds import generator
from stages.statistics.bootstrap import Interval, of_mean
from stages.statistics.ranks import auc, cliff

MAJORITY = 0.75  # share of the tokens of a group that must have its sign
LARGE = (50.0, 100.0)
Rows = dict[str, tuple[Interval, dict[str, float]]]  # name -> interval and its bounds


def small_scale_costs(claim: Claim, results: Results, models: tuple[str, ...]) -> Record:
    """SL1, SL5: accuracy at lambda 10 minus that at 1 and at 0.001."""
    rows = {
        f"{name} {model} 10 against {low:g}": evidence.gained(
            results, name, (model, MODERATE), (model, low)
        )
        for name, model, low in crossed(results.panels.values(), models, (1.0, 0.001))
    }
    rows = {name: interval for name, interval in rows.items() if interval.n}
    return every_row(claim, rows, lambda value: -value, low=0.0)


def large_scale_is_free(claim: Claim, results: Results) -> Record:
    """SL2: the best lambda minus 10000, for DP."""
    rows = {}
    for name in results.panels.values():
        mean = of(results.scores, name, "dp").groupby("value")["accuracy"].mean()
        if 10000.0 in mean.index:
            best = float(mean.idxmax())
            rows[f"{name} {best:g} against 10000"] = evidence.gained(
                results, name, ("dp", best), ("dp", 10000.0)
            )
    return every_row(claim, rows, lambda value: value, high=0.03)


def uniform_at_large_scale(claim: Claim, results: Results) -> Record:
    """SL3: entropy of test attention at lambda 10000; the interval is the range over seeds."""
    rows = {}
    for name in results.panels.values():
        runs = of(results.runs, name, "dp", 10000.0)
        if len(runs):
            entropy = runs["entropy"]
            n = int(runs["documents"].iloc[0])
            rows[name] = Interval(float(entropy.mean()), entropy.min(), entropy.max(), n)
    return every_row(claim, rows, lambda value: -value, low=0.999)


def intermediate_is_best(claim: Claim, results: Results) -> Record:
    """SL4: in how many (data set, seed) pairs the best lambda of DP lies in 10..100."""
    best, inside = [], []
    for name in results.panels.values():
        wide = of(results.scores, name, "dp").pivot_table(
            index="seed", columns="value", values="accuracy"
        )
        for accuracies in wide.to_numpy():
            scale = wide.columns[np.flatnonzero(accuracies == accuracies.max())]
            best.append(f"{name} {'/'.join(f'{value:g}' for value in scale)}")
            inside.append(float(((scale >= 10) & (scale <= 100)).all()))
    interval = of_mean(np.array(inside), generator(0, "SL4"))
    reason = f"best (ties all named): {'; '.join(best)}"
    return record(claim, interval, within(interval, low=0.8), reason)


def polarity_has_sign(claim: Claim, results: Results) -> Record:
    """SL6."""
    rows: dict[str, Interval] = {}
    for name in results.binary:
        rows |= evidence.right_sign(results, name, "dp", MODERATE)
    return every_row(claim, rows, lambda value: -value, low=MAJORITY)


def neutral_ratios(results: Results, models: list[Model]) -> dict[str, Interval]:
    """Median |s| of neutral tokens over that of polarity tokens, also of matched neutrals."""
    rows = {}
    for name, model, value in models:
        table = of(results.tokens, name, model, value)
        groups = [scores_of(table, g, "polarity_score") for g in evidence.polar_groups(table)]
        if not groups or len({len(group) for group in groups}) != 1:
            continue
        polar = np.hstack(groups)
        for neutral in (NEUTRAL, MATCHED):
            draw = generator(0, "neutral", name, model, neutral)
            interval = evidence.ratio(
                scores_of(table, neutral, "polarity_score"), polar, np.median, draw
            )
            if interval.n:
                rows[f"{name} {model}@{value:g} {neutral}"] = interval
    return rows


def neutral_near_zero(claim: Claim, results: Results) -> Record:
    """SL7."""
    rows = neutral_ratios(results, evidence.moderate(results.binary))
    return every_row(claim, rows, lambda value: value, high=0.25)


def attention_above_neutral(claim: Claim, results: Results, panels: tuple[str, ...]) -> Record:
    """SL8, SL14."""
    names = [results.panels[panel] for panel in panels if panel in results.panels]
    rows = evidence.above_neutral(results, evidence.moderate(names))
    return every_row(claim, rows, lambda value: -value, low=0.5)


def gap_at_large_scale(claim: Claim, results: Results) -> Record:
    """SL9: Cliff's delta of positive over negative tokens times the sign of V.W, seed by seed."""
    name = results.panels.get("SST", "")
    table, runs = (of(part, name, "dp", 100.0) for part in (results.tokens, results.runs))
    rows, lines = {}, []
    for seed, group in table.groupby("seed"):
        values = {
            g: scores_of(group, g, "attention_score")[0]
            for g in (*evidence.polar_groups(group), NEUTRAL)
        }
        product = float(runs.loc[runs["seed"] == seed, "product"].iloc[0])
        delta = cliff(values["positive"], values["negative"])
        sign = float(np.sign(product))
        low, high = sorted((sign * delta.low, sign * delta.high))
        rows[f"seed {seed}"] = Interval(sign * delta.value, low, high, delta.n)
        medians = ", ".join(f"{g} {np.median(v):.3f}" for g, v in values.items())
        lines.append(f"seed {seed}: V.W {product:.2f}, medians {medians}")
    if not rows:
        return not_run(claim, "lambda 100 was not trained")
    entry = every_row(claim, rows, lambda value: -value, low=0.0)
    return entry | {"reason": f"{entry['reason']}. {'; '.join(lines)}"}


def score_sizes(
    claim: Claim, results: Results, column: str, groups: str, **bounds: float
) -> Record:
    """SL10, SL11: mean |score| at lambda 100 over that at 10."""
    rows = {}
    for name in results.binary:
        tables = [of(results.tokens, name, "dp", value) for value in (100.0, MODERATE)]
        if groups == "polar":
            tables = [table[table["group"] != NEUTRAL] for table in tables]
        wide = [
            table.pivot_table(index="seed", columns="token", values=column).to_numpy()
            for table in tables
        ]
        interval = evidence.ratio(wide[0], wide[1], np.mean, generator(0, claim.id, name))
        if interval.n:
            rows[name] = interval
    sign = 1 if "high" in bounds else -1
    return every_row(claim, rows, lambda value: sign * value, **bounds)


def penalty_lifts(claim: Claim, results: Results) -> Record:
    """SL12: decided by AUCs with the penalty; the reason adds those without."""
    pairs = list(crossed(results.binary, LARGE))
    with_it = evidence.above_neutral(
        results, [(name, "dp-penalty", value) for name, value in pairs], neutrals=(NEUTRAL,)
    )
    without = evidence.above_neutral(
        results, [(name, "dp", value) for name, value in pairs], neutrals=(NEUTRAL,)
    )
    entry = every_row(claim, with_it, lambda value: -value, low=0.5)
    return entry | {"reason": f"{entry['reason']}. Without: {listed(without)}"}


def penalty_gains_nothing(claim: Claim, results: Results) -> Record:
    """SL13: the interval of every difference contains zero, or lies below it."""
    rows = {
        f"{name} @{value:g}": evidence.gained(results, name, ("dp-penalty", value), ("dp", value))
        for name, value in crossed(results.binary, LARGE)
    }
    rows = {name: interval for name, interval in rows.items() if interval.n}
    if not rows:
        return not_run(claim, "no model with the penalty was trained")
    shown = max(rows, key=lambda row: rows[row].low)
    verdict = HOLDS if rows[shown].low <= 0 else FAILS
    return record(claim, rows[shown], verdict, f"shown: {shown}. All: {listed(rows)}")


def additive_alike(claim: Claim, results: Results) -> Record:
    """SL15: signs, neutral sizes and AUCs of AD, each against its own bound."""
    name = results.panels.get("SST", "")
    models = [(name, "ad", MODERATE)]
    parts = {
        "sign": (evidence.right_sign(results, *models[0]), {"low": MAJORITY}),
        "neutral": (neutral_ratios(results, models), {"high": 0.25}),
        "attention": (evidence.above_neutral(results, models), {"low": 0.5}),
    }
    margins = {
        f"{part} {row}": (interval, bounds)
        for part, (rows, bounds) in parts.items()
        for row, interval in rows.items()
    }
    return mixed(claim, margins)


def mixed(claim: Claim, rows: Rows) -> Record:
    """A claim about rows with bounds of their own; the first failing row gives the number."""
    if not rows:
        return not_run(claim, "no row has enough tokens")
    decided = {name: within(interval, **bounds) for name, (interval, bounds) in rows.items()}
    order = [FAILS, UNDECIDED, HOLDS, NOT_RUN]
    shown = min(decided, key=lambda row: order.index(decided[row]))
    held = sum(verdict == HOLDS for verdict in decided.values())
    values = listed({name: interval for name, (interval, _) in rows.items()})
    reason = f"{held} of {len(rows)} rows hold; shown: {shown}. All: {values}"
    return record(claim, rows[shown][0], decided[shown], reason)


def weights_above_neutral(claim: Claim, results: Results) -> Record:
    """SL16: mean weight in test documents, tokens that occur there."""
    models = [(results.panels.get("SST", ""), "dp", MODERATE)]
    rows = evidence.above_neutral(results, models, "test_weight", (NEUTRAL,))
    return every_row(claim, rows, lambda value: -value, low=0.5)


def weights_follow_scores(claim: Claim, results: Results) -> Record:
    """SL17: whether the class of higher scores has the higher weights, per data set and seed."""
    agree, negative = [], []
    for name in results.binary:
        for _, rows in of(results.tokens, name, "dp", MODERATE).groupby("seed"):
            score, weight = (
                rows[rows["group"] == "negative"][column].agg(how)
                - rows[rows["group"] == "positive"][column].agg(how)
                for column, how in (("attention_score", "mean"), ("test_weight", "median"))
            )
            agree.append(float(score * weight > 0))
            negative.append(weight > 0)
    interval = of_mean(np.array(agree), generator(0, "SL17"))
    reason = f"negative tokens have more weight in {sum(negative)} of {len(negative)} runs"
    return record(claim, interval, within(interval, low=0.5), reason)


def outliers_from_short(claim: Claim, results: Results) -> Record:
    """SL18: documents of the ten heaviest neutral tokens against those of all neutral tokens."""
    rows = of(results.tokens, results.panels.get("SST", ""), "dp", MODERATE)
    rows = rows[(rows["group"] == NEUTRAL) & (rows["test_count"] > 0)]
    top = rows.sort_values("test_weight", ascending=False).groupby("seed").head(10)
    if len(top) < 10:
        return not_run(claim, "fewer than ten neutral tokens occur in test documents")
    lengths, overall = top["test_length"].to_numpy(), rows["test_length"].mean()
    interval = of_mean(lengths - overall, generator(0, "SL18"))
    reason = (
        f"mean length {lengths.mean():.1f} against {overall:.1f} tokens; every score negative in "
        f"{100 * top['test_below'].mean():.0f} % of their documents against "
        f"{100 * rows['test_below'].mean():.0f} %"
    )
    return record(claim, interval, within(interval, high=0.0), reason)


def local_and_global(claim: Claim, results: Results) -> Record:
    """SL31: AUCs of DP-L's scores in context and alone, at lambda 10."""
    name = results.panels.get("SST", "")
    rows = of(results.tokens, name, "dp-l", MODERATE)
    intervals: Rows = {}
    for group in evidence.polar_groups(rows):
        for column in ("attention_score", "local_attention"):
            parts = [scores_of(rows, g, column) for g in (group, NEUTRAL)]
            if min(part.shape[1] for part in parts if part.size) >= evidence.FEWEST:
                intervals[f"{group} {column}"] = (auc(*parts), {"low": 0.5})
    return mixed(claim, intervals)
