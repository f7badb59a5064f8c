"""Verdicts on single erasures: claims C1-C14 of Serrano & Smith 2019, and X1, X3."""

from collections.abc import Callable

import numpy as np
import pandas as pd

from stages.papers.claims import Claim, Record, every_row, listed, not_run, record, within
from stages.papers.serrano_smith.evidence import (
    FEWEST,
    Cell,
    Floats,
    Results,
    apart,
    each,
    in_both,
    mean_over,
    named,
)
from stages.papers.serrano_smith.panels import WITHOUT_ENCODER
from stages.statistics.bootstrap import Interval

MODE = "paper"  # the random item as the text describes it; the defect is told beside it
NO_ROWS = "no model has enough documents"


def rows(
    results: Results, cell: Cell, ranking: str = "attention", mode: str = MODE
) -> pd.DataFrame:
    """Single erasures of one model."""
    return results.of("single", cell, ranking=ranking, mode=mode)


def parts_of(
    results: Results, cells: list[Cell], values: Callable[[Cell], Floats]
) -> dict[str, Floats]:
    """A value per document, by model."""
    return {named(cell): values(cell) for cell in cells}


def over_models(claim: Claim, parts: dict[str, Floats], note: str = "", **bounds: float) -> Record:
    """A claim about the mean over models."""
    found = mean_over(parts, claim.id)
    if found.n == 0:
        return not_run(claim, NO_ROWS)
    means = ", ".join(f"{k} {np.nanmean(v):.2f}" for k, v in parts.items() if len(v) >= FEWEST)
    return record(claim, found, within(found, **bounds), f"{note}per model: {means}")


def groups_apart(
    claim: Claim, one: dict[str, Floats], other: dict[str, Floats], **bounds: float
) -> Record:
    """A claim about one group of models against another."""
    found = apart(one, other, claim.id)
    if found.n == 0:
        return not_run(claim, "one of the two groups has too few documents")
    told = "; ".join(
        ", ".join(f"{k} {np.nanmean(v):.2f}" for k, v in group.items() if len(v) >= FEWEST)
        for group in (one, other)
    )
    return record(claim, found, within(found, **bounds), f"first against second: {told}")


def top_matters_more(claim: Claim, results: Results) -> Record:
    """C1."""
    found = each(
        results.cells(), lambda c: (rows(results, c)["delta_js"] > 0).to_numpy(float), claim.id
    )
    return every_row(claim, found, lambda value: -value, low=0.5)


def negatives_are_tiny(claim: Claim, results: Results) -> Record:
    """C2."""

    def share(cell: Cell) -> Floats:
        moved = rows(results, cell)["delta_js"]
        return (moved[moved < 0] < -0.05).to_numpy(float)

    return over_models(claim, parts_of(results, results.cells(), share), high=0.05)


def negatives_are_ties(claim: Claim, results: Results) -> Record:
    """C3: mean over negatives minus mean over all, per model."""

    def gap(cell: Cell) -> Floats:
        table = rows(results, cell)
        negative = table.loc[table["delta_js"] < 0, "delta_alpha"].to_numpy()
        return negative - table["delta_alpha"].mean()

    return every_row(claim, each(results.cells(), gap, claim.id), lambda value: value, high=0.0)


def yahoo_and_rest(results: Results) -> tuple[list[Cell], list[Cell]]:
    """Hierarchical models on Yahoo, and on the other data sets."""
    yahoo = results.panels.get("Yahoo")
    hans = [cell for cell in results.cells() if cell[1].startswith("han")]
    return [c for c in hans if c[0] == yahoo], [c for c in hans if c[0] != yahoo]


def yahoo_tails(claim: Claim, results: Results) -> Record:
    """C4."""

    def tail(cell: Cell) -> Floats:
        table = rows(results, cell)
        return (table.loc[table["delta_js"] < 0, "delta_alpha"] > 0.4).to_numpy(float)

    one, other = (parts_of(results, cells, tail) for cells in yahoo_and_rest(results))
    return groups_apart(claim, one, other, low=0.0)


def still_near_zero(claim: Claim, results: Results) -> Record:
    """C5: all documents count, not the sample of the figure."""

    def near(cell: Cell) -> Floats:
        table = rows(results, cell)
        return (table.loc[table["delta_alpha"].between(0.35, 0.45), "delta_js"] < 0.01).to_numpy(
            float
        )

    return over_models(claim, parts_of(results, results.cells(), near), low=0.25)


def _moved_between(results: Results, low: float, high: float) -> Callable[[Cell], Floats]:
    def moved(cell: Cell) -> Floats:
        table = rows(results, cell)
        inside = (table["delta_alpha"] >= low) & (table["delta_alpha"] < high)
        found: Floats = table.loc[inside, "delta_js"].to_numpy(np.float64)
        return found

    return moved


def steep_rise(claim: Claim, results: Results) -> Record:
    """C6."""
    cells = results.cells()
    one = parts_of(results, cells, _moved_between(results, 0.8, 1.01))
    other = parts_of(results, cells, _moved_between(results, 0.3, 0.5))
    return groups_apart(claim, *in_both(one, other), low=0.05)


def earlier_rise(claim: Claim, results: Results) -> Record:
    """C7."""
    moved = _moved_between(results, 0.3, 0.7)
    one, other = (
        parts_of(results, results.cells(models), moved)
        for models in (WITHOUT_ENCODER, ("han-rnn", "flan-rnn"))
    )
    return groups_apart(claim, one, other, low=0.0)


def seldom_flips(claim: Claim, results: Results) -> Record:
    """C8."""
    found = each(
        results.cells(["han-rnn"]),
        lambda c: rows(results, c)["top_flips"].to_numpy(float),
        claim.id,
    )
    return every_row(claim, found, lambda value: value, high=0.5)


def top_alone_more_often(claim: Claim, results: Results) -> Record:
    """C9, in both modes."""

    def gap(mode: str) -> dict[str, Interval]:
        def values(cell: Cell) -> Floats:
            table = rows(results, cell, mode=mode)
            found: Floats = table["top_flips"].to_numpy(float) - table["random_flips"].to_numpy()
            return found

        return each(results.cells(), values, f"{claim.id} {mode}")

    found = every_row(claim, gap(MODE), lambda value: -value, low=0.0)
    coded = every_row(claim, gap("as_coded"), lambda value: -value, low=0.0)
    return found | {
        "reason": f"{found['reason']}. With the random item as coded: {coded['verdict']}"
    }


def one_sided(results: Results, cell: Cell) -> Floats:
    """1 where only the random item flips, 0 where only the top one does; the rest left out."""
    table = rows(results, cell)
    top, other = table["top_flips"].to_numpy(float), table["random_flips"].to_numpy()
    return other[top != other]


def flat_more_so(claim: Claim, results: Results) -> Record:
    """C10."""
    flat, hans = (
        parts_of(
            results,
            [cell for cell in results.cells() if cell[1].startswith(family)],
            lambda cell: one_sided(results, cell),
        )
        for family in ("flan", "han")
    )
    return groups_apart(claim, flat, hans, high=0.0)


def flips_like_negatives(claim: Claim, results: Results) -> Record:
    """C11."""
    cells = results.cells()
    orange = parts_of(results, cells, lambda cell: one_sided(results, cell))
    negative = parts_of(
        results, cells, lambda cell: (rows(results, cell)["delta_js"] < 0).to_numpy(float)
    )
    return groups_apart(claim, *in_both(orange, negative), low=-0.1, high=0.1)


def more_flips_without_encoder(claim: Claim, results: Results) -> Record:
    """C12: the documents of one family and data set are the same for its three models."""

    def either(cell: Cell) -> pd.Series:
        table = rows(results, cell).set_index("instance")
        return (table["top_flips"].astype(bool) | (table["random_flips"] > 0)).astype(float)

    found: dict[str, Interval] = {}
    present = set(results.cells())
    for panel, dataset in results.panels.items():
        for family in ("han", "flan"):
            cells = [(dataset, f"{family}-{kind}") for kind in ("noenc", "rnn", "conv")]
            if (panel, family) == ("Yahoo", "flan") or not set(cells) <= present:
                continue
            none, rnn, conv = map(either, cells)
            rival = rnn if rnn.mean() > conv.mean() else conv
            gap = (none - rival).dropna().to_numpy()
            found |= each([cells[0]], lambda _, gap=gap: gap, claim.id)  # type: ignore[misc]
    return every_row(claim, found, lambda value: -value, low=0.0)


def top_flips_apart(results: Results, one: str, other: str, cell: Cell) -> Floats:
    """Flips by the top item of one ranking minus flips by that of another, per document."""
    first, second = (
        rows(results, cell, ranking).set_index("instance")["top_flips"].astype(float)
        for ranking in (one, other)
    )
    found: Floats = (first - second).dropna().to_numpy(np.float64)
    return found


def product_flips_more(claim: Claim, results: Results) -> Record:
    """C13."""
    found = each(
        results.cells(), lambda c: top_flips_apart(results, "product", "attention", c), claim.id
    )
    return every_row(claim, found, lambda value: -value, low=0.0)


def gradient_flips_less(claim: Claim, results: Results) -> Record:
    """C14: a count of models; its interval is that of the models' own draws."""
    found = each(
        results.cells(), lambda c: top_flips_apart(results, "gradient", "attention", c), claim.id
    )
    if not found:
        return not_run(claim, NO_ROWS)
    sure = sum(interval.high < 0 for interval in found.values())
    possible = sum(interval.low < 0 for interval in found.values())
    count = sum(interval.value < 0 for interval in found.values())
    whole = Interval(count, sure, possible, len(found))
    reason = (
        f"{count} of {len(found)} models, {sure} of them with their whole interval; "
        f"per model: {listed(found)}"
    )
    return record(claim, whole, within(whole, low=len(found) / 2), reason)


def random_item_defect(claim: Claim, results: Results) -> Record:
    """X1: as coded the random item does not know the top one, so both tables share its flips."""

    def gap(cell: Cell, mode: str) -> Floats:
        product, attention = (
            rows(results, cell, ranking, mode).set_index("instance")["random_flips"]
            for ranking in ("product", "attention")
        )
        found: Floats = (product - attention).to_numpy(np.float64)
        return found

    cells = results.cells()
    exact = mean_over(parts_of(results, cells, lambda c: gap(c, "expected")), "X1 expected")
    note = (
        f"if the item had avoided the top one the difference would be {exact.value:.4f} "
        f"({exact.low:.4f} to {exact.high:.4f}); "
    )
    parts = parts_of(results, cells, lambda c: gap(c, "as_coded"))
    return over_models(claim, parts, note, low=-0.01, high=0.01)


def oracle(claim: Claim, results: Results) -> Record:
    """X3."""

    def gap(cell: Cell) -> Floats:
        some = results.of("instances", cell)
        some = some[some["length"] > 1].set_index("instance")["any_single_flips"].astype(float)
        top = rows(results, cell).set_index("instance")["top_flips"].astype(float)
        found: Floats = (some - top).dropna().to_numpy(np.float64)
        return found

    return over_models(claim, parts_of(results, results.cells(), gap), low=0.05)
