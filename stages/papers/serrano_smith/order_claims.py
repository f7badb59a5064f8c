"""Verdicts on erasing along a ranking, on mass and on scores: C15-C29, X2, X4."""

from typing import Any

import numpy as np

from stages.papers.claims import Claim, Record, every_row, listed, not_run, record, within
from stages.papers.serrano_smith.claims import (
    NO_ROWS,
    groups_apart,
    over_models,
    parts_of,
    yahoo_and_rest,
)
from stages.papers.serrano_smith.evidence import (
    FEWEST,
    Cell,
    Floats,
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
from stages.settings.seeds import generator
from stages.statistics.bootstrap import Interval, between

PAPER = ("random", "attention", "gradient", "product")


def won(results: Results, one: str, other: str) -> Any:
    """For `each` and `parts_of`: +1, 0, -1 per document."""
    return lambda cell: wins(results, cell, one, other)


def erased(results: Results, one: str, other: str) -> Any:
    """Difference in the share of items erased, of documents that flip under both."""

    def gap(cell: Cell) -> Floats:
        table = results.of("multi", cell)
        table = table[(table["order"] == 0) & (table["count"] > 0)]
        wide = table.pivot_table(index="instance", columns="ranking", values="fraction")
        if one not in wide or other not in wide:
            return np.empty(0)
        found: Floats = (wide[one] - wide[other]).dropna().to_numpy(np.float64)
        return found

    return gap


def attention_beats_random(claim: Claim, results: Results) -> Record:
    """C15."""
    found = each(results.cells(), won(results, "attention", "random"), claim.id)
    return every_row(claim, found, lambda value: -value, low=0.0)


def attention_slower(claim: Claim, results: Results) -> Record:
    """C16."""
    gap = erased(results, "attention", "gradient")
    return over_models(claim, parts_of(results, results.cells(ENCODED), gap), low=0.0)


def gradient_wins_half(claim: Claim, results: Results) -> Record:
    """C17: a share of models; a model counts for sure when its whole interval is above one half."""

    def more(cell: Cell) -> Floats:
        return (wins(results, cell, "gradient", "attention") > 0).astype(float)

    found = each(results.cells(ENCODED), more, claim.id)
    if not found:
        return not_run(claim, NO_ROWS)
    whole = share_above(found, 0.5)
    reason = f"{round(whole.value * whole.n)} of {whole.n} models; per model: {listed(found)}"
    return record(claim, whole, within(whole, low=0.6), reason)


def share_above(found: dict[str, Interval], bar: float) -> Interval:
    """Share of models above a bar; low counts those surely above it, high those possibly."""
    parts = np.array([(part.value, part.low, part.high) for part in found.values()])
    value, low, high = (parts > bar).mean(0).tolist()
    return Interval(value, low, high, len(found))


def gradient_wins_often(claim: Claim, results: Results) -> Record:
    """C18."""
    found = {
        named(cell): ratio(wins(results, cell, "gradient", "attention"), generator(0, "C18", *cell))
        for cell in results.cells(ENCODED)
    }
    kept = {name: interval for name, interval in found.items() if interval.n}
    return every_row(claim, kept, lambda value: -value, low=1.6)


def product_before_gradient(claim: Claim, results: Results) -> Record:
    """C19."""
    parts = parts_of(results, results.cells(), won(results, "product", "gradient"))
    return over_models(claim, parts, low=0.0)


def large_fraction(claim: Claim, results: Results) -> Record:
    """C20: medians, so the interval is that of their mean."""
    found = {
        named(cell): of_median(fraction(results, cell, "attention"), generator(0, "C20", *cell))
        for cell in results.cells(["flan-rnn"])
    }
    return _mean_of_medians(claim, found, low=0.5)


def _mean_of_medians(claim: Claim, found: dict[str, Interval], **bounds: float) -> Record:
    kept = {name: interval for name, interval in found.items() if interval.n}
    if not kept:
        return not_run(claim, NO_ROWS)
    parts = list(kept.values())
    centre = float(np.mean([part.value for part in parts]))
    reach = float(np.sqrt(np.sum([((p.high - p.low) / 2) ** 2 for p in parts]))) / len(parts)
    whole = Interval(centre, centre - reach, centre + reach, sum(part.n for part in parts))
    return record(claim, whole, within(whole, **bounds), f"per model: {listed(kept)}")


def _fractions(results: Results, models: list[str], ranking: str) -> dict[str, Floats]:
    return parts_of(results, results.cells(models), lambda c: fraction(results, c, ranking))


def recurrence_later_in_flat(claim: Claim, results: Results) -> Record:
    """C21: difference of two differences."""
    gaps = {
        family: apart(
            _fractions(results, [f"{family}-rnn"], "attention"),
            _fractions(results, [f"{family}-conv"], "attention"),
            f"{claim.id} {family}",
        )
        for family in ("flan", "han")
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
                f"{cell} {ranking}": values
                for ranking in PAPER
                for cell, values in _fractions(results, models, ranking).items()
            }
        )
    return groups_apart(claim, *sides, low=0.0)


def amazon_brittle(claim: Claim, results: Results) -> Record:
    """C23, with the share above one half beside the printed caption of Figure 6."""
    amazon = results.panels.get("Amazon")
    cells = results.cells(["flan-noenc"])
    one, other = (
        parts_of(
            results,
            [cell for cell in cells if (cell[0] == amazon) == inside],
            lambda c: fraction(results, c, "random"),
        )
        for inside in (True, False)
    )
    found = groups_apart(claim, one, other, high=0.0)
    if found["n"] == 0:
        return found
    above = [
        f"{100 * np.mean(fraction(results, (amazon, 'flan-noenc'), ranking) > 0.5):.1f}"
        for ranking in PAPER
        if amazon and (amazon, "flan-noenc") in cells
    ]
    return found | {"reason": f"{found['reason']}. Above one half: {'/'.join(above)} %"}


def on_par_without_encoder(claim: Claim, results: Results) -> Record:
    """C24."""
    found = each(results.cells(WITHOUT_ENCODER), won(results, "attention", "gradient"), claim.id)
    return every_row(claim, found, lambda value: -value, low=-0.05)


def some_ranking_beats(claim: Claim, results: Results) -> Record:
    """C25."""

    def beaten(cell: Cell) -> Floats:
        table = results.of("counts", cell)
        best = np.minimum(table["gradient"].to_numpy(), table["product"].to_numpy())
        return np.asarray(best < table["attention"].to_numpy(), np.float64)

    return every_row(claim, each(results.cells(), beaten, claim.id), lambda value: -value, low=0.25)


def yahoo_attention_poor(claim: Claim, results: Results) -> Record:
    """C26."""
    gap = erased(results, "attention", "gradient")
    one, other = (parts_of(results, cells, gap) for cells in yahoo_and_rest(results))
    return groups_apart(claim, one, other, low=0.0)


def _masses(results: Results, cell: Cell, ranking: str) -> Floats:
    table = results.of("multi", cell, ranking=ranking)
    found: Floats = table.loc[table["order"] == 0, "mass"].dropna().to_numpy(np.float64)
    return found


def high_mass(claim: Claim, results: Results) -> Record:
    """C27."""
    found = {
        named(cell): of_median(_masses(results, cell, "attention"), generator(0, "C27", *cell))
        for cell in results.cells()
    }
    return _mean_of_medians(claim, found, low=0.5)


def mass_lower(claim: Claim, results: Results) -> Record:
    """C28: differences of medians; a model counts for sure when its whole interval is past .25."""
    gaps: dict[str, Interval] = {}
    for cell in results.cells():
        attention, gradient = (_masses(results, cell, name) for name in ("attention", "gradient"))
        if min(len(attention), len(gradient)) < FEWEST:
            continue
        draw = generator(0, "C28", *cell)
        again = [
            np.median(v[draw.integers(0, len(v), (500, len(v)))], axis=1)
            for v in (attention, gradient)
        ]
        value = float(np.median(attention) - np.median(gradient))
        gaps[named(cell)] = between(value, again[0] - again[1], len(attention))
    if not gaps:
        return not_run(claim, NO_ROWS)
    whole = share_above(gaps, 0.25 - 1e-9)
    return record(claim, whole, within(whole, low=0.5), f"per model: {listed(gaps)}")


def recurrence_scores_best(claim: Claim, results: Results) -> Record:
    """C29: binomial draws of both accuracies."""
    scores = results.scores.set_index(["dataset", "model"])
    found = {}
    for panel, dataset in results.panels.items():
        for family in ("han", "flan"):
            cells = [(dataset, f"{family}-{kind}") for kind in ("rnn", "noenc")]
            if (panel, family) == ("Yahoo", "han") or not set(cells) <= set(scores.index):
                continue
            draw = generator(0, "C29", dataset, family)
            ours = [scores.loc[[cell]].iloc[0] for cell in cells]
            again = [draw.binomial(int(s["n"]), s["accuracy"], 1000) / int(s["n"]) for s in ours]
            value = float(ours[0]["accuracy"] - ours[1]["accuracy"])
            found[f"{dataset} {family.upper()}"] = between(
                value, again[0] - again[1], int(ours[0]["n"])
            )
    return every_row(claim, found, lambda value: -value, low=0.0)


def centred_product(claim: Claim, results: Results) -> Record:
    """X2."""
    parts = parts_of(results, results.cells(), won(results, "centred", "product"))
    return over_models(claim, parts, low=-0.02)


def empty_document(claim: Claim, results: Results) -> Record:
    """X4."""

    def moved(cell: Cell) -> Floats:
        table = results.of("multi", cell, ranking="attention")
        return np.asarray(table["count"] != table["count_to_mean"], np.float64)

    return over_models(claim, parts_of(results, results.cells(), moved), low=0.05)
