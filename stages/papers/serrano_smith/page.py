"""Writes reports/serrano-smith: tables, figures with their numbers, claims, metrics."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path

import pandas as pd

from stages.papers.serrano_smith import figures, schematics, tables
from stages.papers.serrano_smith.claims import CLAIMS, MEASUREMENTS
from stages.papers.serrano_smith.evidence import CODED, TEXT, Results
from stages.papers.serrano_smith.panels import MODELS, RANKINGS
from stages.papers.shared import writing
from stages.papers.shared.fidelity import share_inside
from stages.papers.shared.rules import records, significant
from stages.settings.studies import Gate

SINGLE = ["dataset", "model", "instance", "delta_alpha", "delta_js"]
ALPHA, JS = "Difference in Attention Weights", "Difference in JS Divergence"
FRACTION, MASS = "Fractions Removed", "Probability Mass of Original Attention Dist Removed"
ALL, ONE = list(MODELS), ["han-rnn"]


def write(
    results: Results,
    stats: Mapping[str, Mapping[str, float]],
    elsewhere: Results,
    gate: Gate,
    folder: Path,
    processes: int | None,
) -> None:
    """Everything in reports/serrano-smith but the page itself.

    `elsewhere` holds the same erasures on another study's models.
    """
    grid, flips = tables.contingency(results.single), tables.flip_table(results.multi)
    cells = tables.compared(grid, flips, results.scores)
    fidelity = tables.fidelity_table(cells)
    named = {
        "table-1": tables.table_1(stats),
        "table-2": tables.table_2(grid),
        "table-3": tables.table_3(cells),
        "contingency": grid,
        "flips": flips,
        "excluded": tables.excluded(results.instances),
        "fidelity": fidelity,
        "other-models": tables.flip_table(elsewhere.multi),
        "other-models-contingency": tables.contingency(elsewhere.single),
    }
    writing.write_tables(named, folder / "tables")
    writing.write_figures(drawings(results.drawn(gate)), folder / "figures", 4, processes)
    columns = ["ranking", "dataset", "model", "fraction_median"]
    writing.write_tables({"erasure": flips[columns].dropna()}, folder / "plots")
    numbers = headline(grid, flips) | {"fidelity": share_inside(fidelity)}
    writing.write_claims(records(CLAIMS, MEASUREMENTS, results, gate), numbers, folder)


def drawings(results: Results) -> dict[str, writing.Draw]:
    """Figures 1-13; 7 and 8 also with the random item as the authors' code draws it."""
    erased, boxes = partial(_erasures, results), partial(_boxes, results)
    counts = partial(_contingencies, results, tables.contingency(results.single))
    return {
        "figure-1": lambda: (schematics.draw_erasure(), None),
        "figure-2": lambda: (schematics.draw_flat_model(), None),
        "figure-3": partial(erased, ONE, figures.scatter, JS, TEXT),
        "figure-4": partial(erased, ONE, figures.negatives, "Documents", TEXT),
        "figure-5": partial(boxes, ["han-rnn", "flan-rnn", "flan-conv"], "fraction", FRACTION),
        "figure-6": partial(boxes, ["han-noenc", "flan-noenc"], "fraction", FRACTION),
        "figure-7": partial(erased, ALL, figures.scatter, JS, TEXT),
        "figure-7-as-coded": partial(erased, ALL, figures.scatter, JS, CODED),
        "figure-8": partial(erased, ALL, figures.negatives, "Documents", TEXT),
        "figure-8-as-coded": partial(erased, ALL, figures.negatives, "Documents", CODED),
        "figure-9": partial(counts, "attention", "i*"),
        "figure-10": partial(boxes, ALL, "fraction", FRACTION),
        "figure-11": partial(boxes, ALL, "mass", MASS),
        "figure-12": partial(counts, "gradient", "i_g*"),
        "figure-13": partial(counts, "product", "i_p*"),
    }


def _erasures(
    results: Results, models: list[str], draw: figures.Draw, ylabel: str, mode: str
) -> writing.Drawn:
    single = results.single
    chosen = (single["ranking"] == "attention") & (single["mode"] == mode)
    table = single[chosen & single["model"].isin(models)]
    figure = figures.facets(results, table, models, draw, (ALPHA, ylabel))
    shown = table if draw is figures.scatter else table[table["delta_js"] < 0]
    return figure, shown[SINGLE]


def _boxes(results: Results, models: list[str], value: str, label: str) -> writing.Drawn:
    flips = tables.flip_table(results.multi)
    shown = flips[flips["model"].isin(models) & flips["ranking"].isin(RANKINGS)]
    return figures.boxes(results, models, value, label), shown


def _contingencies(
    results: Results, grid: pd.DataFrame, ranking: str, symbol: str
) -> writing.Drawn:
    rows = grid[(grid["ranking"] == ranking) & (grid["mode"] == CODED)]
    labels = ("Remove random: decision flip?", f"Remove {symbol}: decision flip?")
    return figures.facets(results, rows, ALL, figures.contingency_panel, labels), rows


def headline(grid: pd.DataFrame, flips: pd.DataFrame) -> dict[str, float | None]:
    """Means over models: flips by the top item in percent, median fractions removed at the flip."""
    text = grid[(grid["mode"] == TEXT) & (grid["ranking"] == "attention")]
    fractions = flips.groupby("ranking")["fraction_median"].mean()
    return {
        "top_flips_attention": significant(text["top_flips"].mean()),
        "fraction_attention": significant(fractions["attention"]),
        "fraction_gradient": significant(fractions["gradient"]),
    }
