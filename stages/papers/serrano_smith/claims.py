"""Verdicts on single erasures: claims C1-C14 of Serrano & Smith 2019, and X1, X3."""

from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd

from stages.papers.serrano_smith.evidence import (
    FEWEST,
    Floats,
    Pair,
    Results,
    apart,
    each,
    in_both,
    mean_over,
    named,
)
from stages.papers.serrano_smith.panels import WITHOUT_ENCODER
from stages.papers.shared.claims import Claim, Record, every_row, listed, not_run, record, within
from stages.statistics.bootstrap import Interval

MODE = "paper"  # the random item as in the paper's text; C9 also reports the item as coded
NO_ROWS = "no model has enough documents"


def rows(
    results: Results, pair: Pair, ranking: str = "attention", mode: str = MODE
) -> pd.DataFrame:
    """Single erasures of one model on one data set."""
    return results.of("single", pair, ranking=ranking, mode=mode)


def parts_of(
    results: Results, pairs: list[Pair], values: Callable[[Pair], Floats]
) -> dict[str, Floats]:
    """A value per document, by model."""
    return {named(pair): values(pair) for pair in pairs}


def over_models(claim: Claim, parts: dict[str, Floats], note: str = "", **bounds: float) -> Record:
    """A claim about the mean over models."""
    interval = mean_over(parts, claim.id)
    if interval.n == 0:
        return not_run(claim, NO_ROWS)
    means = ", ".join(f"{k} {np.nanmean(v):.2f}" for k, v in parts.items() if len(v) >= FEWEST)
    return record(claim, interval, within(interval, **bounds), f"{note}per model: {means}")


def groups_apart(
    claim: Claim, one: dict[str, Floats], other: dict[str, Floats], **bounds: float
) -> Record:
    """A claim about the difference between two groups of models."""
    interval = apart(one, other, claim.id)
    if interval.n == 0:
        return not_run(claim, "one of the two groups has too few documents")
    means = "; ".join(
        ", ".join(f"{k} {np.nanmean(v):.2f}" for k, v in group.items() if len(v) >= FEWEST)
        for group in (one, other)
    )
    return record(claim, interval, within(interval, **bounds), f"first against second: {means}")


def top_matters_more(claim: Claim, results: Results) -> Record:
    """C1."""

    def top_moves_more(pair: Pair) -> Floats:
        return (rows(results, pair)["delta_js"] > 0).to_numpy(float)

    shares = each(results.pairs(), top_moves_more, claim.id)
    return every_row(claim, shares, lambda value: -value, low=0.5)


def negatives_are_tiny(claim: Claim, results: Results) -> Record:
    """C2."""

    def share(pair: Pair) -> Floats:
        moved = rows(results, pair)["delta_js"]
        return (moved[moved < 0] < -0.05).to_numpy(float)

    return over_models(claim, parts_of(results, results.pairs(), share), high=0.05)


def negatives_are_ties(claim: Claim, results: Results) -> Record:
    """C3: mean over negatives minus mean over all, per model."""

    def gap(pair: Pair) -> Floats:
        table = rows(results, pair)
        negative = table.loc[table["delta_js"] < 0, "delta_alpha"].to_numpy()
        return negative - table["delta_alpha"].mean()

    return every_row(claim, each(results.pairs(), gap, claim.id), lambda value: value, high=0.0)


def yahoo_and_rest(results: Results) -> tuple[list[Pair], list[Pair]]:
    """Hierarchical models on Yahoo, and on the other data sets."""
    yahoo = results.panels.get("Yahoo")
    hans = [pair for pair in results.pairs() if pair[1].startswith("han")]
    return [pair for pair in hans if pair[0] == yahoo], [pair for pair in hans if pair[0] != yahoo]


def yahoo_tails(claim: Claim, results: Results) -> Record:
    """C4."""

    def tail(pair: Pair) -> Floats:
        table = rows(results, pair)
        return (table.loc[table["delta_js"] < 0, "delta_alpha"] > 0.4).to_numpy(float)

    one, other = (parts_of(results, pairs, tail) for pairs in yahoo_and_rest(results))
    return groups_apart(claim, one, other, low=0.0)


def still_near_zero(claim: Claim, results: Results) -> Record:
    """C5: computed over all documents, not over the sample in the figure."""

    def near(pair: Pair) -> Floats:
        table = rows(results, pair)
        return (table.loc[table["delta_alpha"].between(0.35, 0.45), "delta_js"] < 0.01).to_numpy(
            float
        )

    return over_models(claim, parts_of(results, results.pairs(), near), low=0.25)


def _moved_between(results: Results, low: float, high: float) -> Callable[[Pair], Floats]:
    def moved(pair: Pair) -> Floats:
        table = rows(results, pair)
        inside = (table["delta_alpha"] >= low) & (table["delta_alpha"] < high)
        changes: Floats = table.loc[inside, "delta_js"].to_numpy(np.float64)
        return changes

    return moved


def steep_rise(claim: Claim, results: Results) -> Record:
    """C6."""
    pairs = results.pairs()
    one = parts_of(results, pairs, _moved_between(results, 0.8, 1.01))
    other = parts_of(results, pairs, _moved_between(results, 0.3, 0.5))
    return groups_apart(claim, *in_both(one, other), low=0.05)


def earlier_rise(claim: Claim, results: Results) -> Record:
    """C7."""
    moved = _moved_between(results, 0.3, 0.7)
    one, other = (
        parts_of(results, results.pairs(models), moved)
        for models in (WITHOUT_ENCODER, ("han-rnn", "flan-rnn"))
    )
    return groups_apart(claim, one, other, low=0.0)


def seldom_flips(claim: Claim, results: Results) -> Record:
    """C8."""
    shares = each(
        results.pairs(["han-rnn"]),
        lambda pair: rows(results, pair)["top_flips"].to_numpy(float),
        claim.id,
    )
    return every_row(claim, shares, lambda value: value, high=0.5)


def top_alone_more_often(claim: Claim, results: Results) -> Record:
    """C9, in both modes."""

    def gap(mode: str) -> dict[str, Interval]:
        def values(pair: Pair) -> Floats:
            table = rows(results, pair, mode=mode)
            top: Floats = table["top_flips"].to_numpy(np.float64)
            return top - table["random_flips"].to_numpy()

        return each(results.pairs(), values, f"{claim.id} {mode}")

    entry = every_row(claim, gap(MODE), lambda value: -value, low=0.0)
    coded = every_row(claim, gap("as_coded"), lambda value: -value, low=0.0)
    return entry | {
        "reason": f"{entry['reason']}. With the random item as coded: {coded['verdict']}"
    }


def one_sided(results: Results, pair: Pair) -> Floats:
    """1 where only the random item flips, 0 where only the top one does; others are dropped."""
    table = rows(results, pair)
    top, other = table["top_flips"].to_numpy(float), table["random_flips"].to_numpy()
    return other[top != other]


def flat_more_so(claim: Claim, results: Results) -> Record:
    """C10."""
    flat, hans = (
        parts_of(
            results,
            [pair for pair in results.pairs() if pair[1].startswith(architecture)],
            lambda pair: one_sided(results, pair),
        )
        for architecture in ("flan", "han")
    )
    return groups_apart(claim, flat, hans, high=0.0)


def flips_like_negatives(claim: Claim, results: Results) -> Record:
    """C11."""
    pairs = results.pairs()
    only_random = parts_of(results, pairs, lambda pair: one_sided(results, pair))
    negative = parts_of(
        results, pairs, lambda pair: (rows(results, pair)["delta_js"] < 0).to_numpy(float)
    )
    return groups_apart(claim, *in_both(only_random, negative), low=-0.1, high=0.1)


def more_flips_without_encoder(claim: Claim, results: Results) -> Record:
    """C12: paired by document, because the three models share the test set."""

    def either(pair: Pair) -> pd.Series:
        table = rows(results, pair).set_index("instance")
        return (table["top_flips"].astype(bool) | (table["random_flips"] > 0)).astype(float)

    intervals: dict[str, Interval] = {}
    present = set(results.pairs())
    for panel, dataset in results.panels.items():
        for architecture in ("han", "flan"):
            pairs = [(dataset, f"{architecture}-{kind}") for kind in ("noenc", "rnn", "conv")]
            if (panel, architecture) == ("Yahoo", "flan") or not set(pairs) <= present:
                continue
            none, rnn, conv = map(either, pairs)
            rival = rnn if rnn.mean() > conv.mean() else conv
            gap = (none - rival).dropna().to_numpy()
            intervals |= each([pairs[0]], lambda _, gap=gap: gap, claim.id)  # type: ignore[misc]
    return every_row(claim, intervals, lambda value: -value, low=0.0)


def top_flips_apart(results: Results, one: str, other: str, pair: Pair) -> Floats:
    """Flips by the top item of one ranking minus flips by that of another, per document."""
    first, second = (
        rows(results, pair, ranking).set_index("instance")["top_flips"].astype(float)
        for ranking in (one, other)
    )
    differences: Floats = (first - second).dropna().to_numpy(np.float64)
    return differences


def product_flips_more(claim: Claim, results: Results) -> Record:
    """C13."""
    gap = partial(top_flips_apart, results, "product", "attention")
    intervals = each(results.pairs(), gap, claim.id)
    return every_row(claim, intervals, lambda value: -value, low=0.0)


def gradient_flips_less(claim: Claim, results: Results) -> Record:
    """C14: a count of models; the bounds count models whose whole interval is on one side."""
    gap = partial(top_flips_apart, results, "gradient", "attention")
    intervals = each(results.pairs(), gap, claim.id)
    if not intervals:
        return not_run(claim, NO_ROWS)
    sure = sum(interval.high < 0 for interval in intervals.values())
    possible = sum(interval.low < 0 for interval in intervals.values())
    count = sum(interval.value < 0 for interval in intervals.values())
    whole = Interval(count, sure, possible, len(intervals))
    reason = (
        f"{count} of {len(intervals)} models, {sure} of them with their whole interval; "
        f"per model: {listed(intervals)}"
    )
    return record(claim, whole, within(whole, low=len(intervals) / 2), reason)


def random_item_defect(claim: Claim, results: Results) -> Record:
    """X1: as coded the draw ignores the top item, so both rankings share the random flips."""

    def gap(pair: Pair, mode: str) -> Floats:
        product, attention = (
            rows(results, pair, ranking, mode).set_index("instance")["random_flips"]
            for ranking in ("product", "attention")
        )
        differences: Floats = (product - attention).to_numpy(np.float64)
        return differences

    pairs = results.pairs()
    exact = mean_over(parts_of(results, pairs, lambda pair: gap(pair, "expected")), "X1 expected")
    note = (
        f"if the item had avoided the top one the difference would be {exact.value:.4f} "
        f"({exact.low:.4f} to {exact.high:.4f}); "
    )
    parts = parts_of(results, pairs, lambda pair: gap(pair, "as_coded"))
    return over_models(claim, parts, note, low=-0.01, high=0.01)


def oracle(claim: Claim, results: Results) -> Record:
    """X3."""

    def gap(pair: Pair) -> Floats:
        some = results.of("instances", pair)
        some = some[some["length"] > 1].set_index("instance")["any_single_flips"].astype(float)
        top = rows(results, pair).set_index("instance")["top_flips"].astype(float)
        differences: Floats = (some - top).dropna().to_numpy(np.float64)
        return differences

    return over_models(claim, parts_of(results, results.pairs(), gap), low=0.05)
