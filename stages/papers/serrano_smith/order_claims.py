"""Verdicts on erasing along a ranking, on mass and on scores: C15-C29, X2, X4."""

from typing import Any

import numpy as np

from stages.papers.serrano_smith.claims import (
    NO_ROWS,
    groups_apart,
    over_models,
    parts_of,
    yahoo_and_rest,
)
from stages.papers.serrano_smith.evidence import (
    FEWEST,
    Floats,
    Pair,
    Results,
    apart,
    each,
    fraction,
    named,
    of_median,
    ratio,
    wins,
)
from stages.papers.serrano_smith.panels import ENCODED, WITHOUT_ENCODER
from stages.papers.shared.claims import Claim, Record, every_row, listed, not_run, record, within
from stages.settings.seeds import generator
from stages.statistics.bootstrap import Interval, between

PAPER = ("random", "attention", "gradient", "product")


def won(results: Results, one: str, other: str) -> Any:
    """For `each` and `parts_of`: +1, 0, -1 per document."""
    return lambda pair: wins(results, pair, one, other)


def erased(results: Results, one: str, other: str) -> Any:
    """Difference in the share of items erased, of documents that flip under both."""

    def gap(pair: Pair) -> Floats:
        table = results.of("multi", pair)
        table = table[(table["order"] == 0) & (table["count"] > 0)]
        wide = table.pivot_table(index="instance", columns="ranking", values="fraction")
        if one not in wide or other not in wide:
            return np.empty(0)
        differences: Floats = (wide[one] - wide[other]).dropna().to_numpy(np.float64)
        return differences

    return gap


def attention_beats_random(claim: Claim, results: Results) -> Record:
    """C15."""
    intervals = each(results.pairs(), won(results, "attention", "random"), claim.id)
    return every_row(claim, intervals, lambda value: -value, low=0.0)


def attention_slower(claim: Claim, results: Results) -> Record:
    """C16."""
    gap = erased(results, "attention", "gradient")
    return over_models(claim, parts_of(results, results.pairs(ENCODED), gap), low=0.0)


def gradient_wins_half(claim: Claim, results: Results) -> Record:
    """C17: a share of models; the low bound counts those whose whole interval is above 0.5."""

    def more(pair: Pair) -> Floats:
        return (wins(results, pair, "gradient", "attention") > 0).astype(float)

    intervals = each(results.pairs(ENCODED), more, claim.id)
    if not intervals:
        return not_run(claim, NO_ROWS)
    whole = share_above(intervals, 0.5)
    reason = f"{round(whole.value * whole.n)} of {whole.n} models; per model: {listed(intervals)}"
    return record(claim, whole, within(whole, low=0.6), reason)


def share_above(intervals: dict[str, Interval], bar: float) -> Interval:
    """Share of models above a bar; low and high count those whose lower and upper bounds are."""
    parts = np.array([(part.value, part.low, part.high) for part in intervals.values()])
    value, low, high = (parts > bar).mean(0).tolist()
    return Interval(value, low, high, len(intervals))


def gradient_wins_often(claim: Claim, results: Results) -> Record:
    """C18."""
    ratios = {
        named(pair): ratio(wins(results, pair, "gradient", "attention"), generator(0, "C18", *pair))
        for pair in results.pairs(ENCODED)
    }
    kept = {name: interval for name, interval in ratios.items() if interval.n}
    return every_row(claim, kept, lambda value: -value, low=1.6)


def product_before_gradient(claim: Claim, results: Results) -> Record:
    """C19."""
    parts = parts_of(results, results.pairs(), won(results, "product", "gradient"))
    return over_models(claim, parts, low=0.0)


def large_fraction(claim: Claim, results: Results) -> Record:
    """C20: mean of the models' medians."""
    medians = {
        named(pair): of_median(fraction(results, pair, "attention"), generator(0, "C20", *pair))
        for pair in results.pairs(["flan-rnn"])
    }
    return _mean_of_medians(claim, medians, low=0.5)


def _mean_of_medians(claim: Claim, medians: dict[str, Interval], **bounds: float) -> Record:
    kept = {name: interval for name, interval in medians.items() if interval.n}
    if not kept:
        return not_run(claim, NO_ROWS)
    parts = list(kept.values())
    centre = float(np.mean([part.value for part in parts]))
    reach = float(np.sqrt(np.sum([((p.high - p.low) / 2) ** 2 for p in parts]))) / len(parts)
    whole = Interval(centre, centre - reach, centre + reach, sum(part.n for part in parts))
    return record(claim, whole, within(whole, **bounds), f"per model: {listed(kept)}")


def _fractions(results: Results, models: list[str], ranking: str) -> dict[str, Floats]:
    return parts_of(results, results.pairs(models), lambda pair: fraction(results, pair, ranking))


def recurrence_later_in_flat(claim: Claim, results: Results) -> Record:
    """C21: difference of two differences."""
    gaps = {
        architecture: apart(
            _fractions(results, [f"{architecture}-rnn"], "attention"),
            _fractions(results, [f"{architecture}-conv"], "attention"),
            f"{claim.id} {architecture}",
        )
        for architecture in ("flan", "han")
    }
    flat, han = gaps["flan"], gaps["han"]
    if not flat.n or not han.n:
        return not_run(claim, NO_ROWS)
    reach = np.hypot((flat.high - flat.low) / 2, (han.high - han.low) / 2)
    value = flat.value - han.value
    whole = between(value, np.array([value - reach, value + reach]), flat.n + han.n)
    whole = whole._replace(low=value - reach, high=value + reach)
    reason = f"rnn minus conv: FLAN {flat.value:.3f}, HAN {han.value:.3f}"
    return record(claim, whole, within(whole, low=0.0), reason)


def earlier_without_encoder(claim: Claim, results: Results) -> Record:
    """C22: all four rankings of the paper."""
    sides: list[dict[str, Floats]] = []
    for kind in ("conv", "noenc"):
        models = [f"han-{kind}", f"flan-{kind}"]
        sides.append(
            {
                f"{pair} {ranking}": values
                for ranking in PAPER
                for pair, values in _fractions(results, models, ranking).items()
            }
        )
    return groups_apart(claim, *sides, low=0.0)


def amazon_brittle(claim: Claim, results: Results) -> Record:
    """C23; the reason has the shares above one half that the caption of Figure 6 gives."""
    amazon = results.panels.get("Amazon")
    pairs = results.pairs(["flan-noenc"])
    one, other = (
        parts_of(
            results,
            [pair for pair in pairs if (pair[0] == amazon) == inside],
            lambda pair: fraction(results, pair, "random"),
        )
        for inside in (True, False)
    )
    entry = groups_apart(claim, one, other, high=0.0)
    if entry["n"] == 0:
        return entry
    above = [
        f"{100 * np.mean(fraction(results, (amazon, 'flan-noenc'), ranking) > 0.5):.1f}"
        for ranking in PAPER
        if amazon and (amazon, "flan-noenc") in pairs
    ]
    return entry | {"reason": f"{entry['reason']}. Above one half: {'/'.join(above)} %"}


def on_par_without_encoder(claim: Claim, results: Results) -> Record:
    """C24."""
    intervals = each(
        results.pairs(WITHOUT_ENCODER), won(results, "attention", "gradient"), claim.id
    )
    return every_row(claim, intervals, lambda value: -value, low=-0.05)


def some_ranking_beats(claim: Claim, results: Results) -> Record:
    """C25."""

    def beaten(pair: Pair) -> Floats:
        table = results.of("counts", pair)
        best = np.minimum(table["gradient"].to_numpy(), table["product"].to_numpy())
        return np.asarray(best < table["attention"].to_numpy(), np.float64)

    return every_row(claim, each(results.pairs(), beaten, claim.id), lambda value: -value, low=0.25)


def yahoo_attention_poor(claim: Claim, results: Results) -> Record:
    """C26."""
    gap = erased(results, "attention", "gradient")
    one, other = (parts_of(results, pairs, gap) for pairs in yahoo_and_rest(results))
    return groups_apart(claim, one, other, low=0.0)


def _masses(results: Results, pair: Pair, ranking: str) -> Floats:
    table = results.of("multi", pair, ranking=ranking)
    masses: Floats = table.loc[table["order"] == 0, "mass"].dropna().to_numpy(np.float64)
    return masses


def high_mass(claim: Claim, results: Results) -> Record:
    """C27."""
    medians = {
        named(pair): of_median(_masses(results, pair, "attention"), generator(0, "C27", *pair))
        for pair in results.pairs()
    }
    return _mean_of_medians(claim, medians, low=0.5)


def mass_lower(claim: Claim, results: Results) -> Record:
    """C28: differences of medians; low counts models whose whole interval is above .25."""
    gaps: dict[str, Interval] = {}
    for pair in results.pairs():
        attention, gradient = (_masses(results, pair, name) for name in ("attention", "gradient"))
        if min(len(attention), len(gradient)) < FEWEST:
            continue
        draw = generator(0, "C28", *pair)
        again = [
            np.median(v[draw.integers(0, len(v), (500, len(v)))], axis=1)
            for v in (attention, gradient)
        ]
        value = float(np.median(attention) - np.median(gradient))
        gaps[named(pair)] = between(value, again[0] - again[1], len(attention))
    if not gaps:
        return not_run(claim, NO_ROWS)
    whole = share_above(gaps, 0.25 - 1e-9)
    return record(claim, whole, within(whole, low=0.5), f"per model: {listed(gaps)}")


def recurrence_scores_best(claim: Claim, results: Results) -> Record:
    """C29: binomial draws of both accuracies."""
    scores = results.scores.set_index(["dataset", "model"])
    intervals = {}
    for panel, dataset in results.panels.items():
        for architecture in ("han", "flan"):
            pairs = [(dataset, f"{architecture}-{kind}") for kind in ("rnn", "noenc")]
            if (panel, architecture) == ("Yahoo", "han") or not set(pairs) <= set(scores.index):
                continue
            draw = generator(0, "C29", dataset, architecture)
            ours = [scores.loc[[pair]].iloc[0] for pair in pairs]
            again = [draw.binomial(int(s["n"]), s["accuracy"], 1000) / int(s["n"]) for s in ours]
            value = float(ours[0]["accuracy"] - ours[1]["accuracy"])
            intervals[f"{dataset} {architecture.upper()}"] = between(
                value, again[0] - again[1], int(ours[0]["n"])
            )
    return every_row(claim, intervals, lambda value: -value, low=0.0)


def centred_product(claim: Claim, results: Results) -> Record:
    """X2."""
    parts = parts_of(results, results.pairs(), won(results, "centred", "product"))
    return over_models(claim, parts, low=-0.02)


def empty_document(claim: Claim, results: Results) -> Record:
    """X4."""

    def moved(pair: Pair) -> Floats:
        table = results.of("multi", pair, ranking="attention")
        return np.asarray(table["count"] != table["count_to_mean"], np.float64)

    return over_models(claim, parts_of(results, results.pairs(), moved), low=0.05)
