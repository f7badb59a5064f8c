"""All that reports/serrano-smith shows: tables, figures with their numbers, claims, metrics."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from stages.papers import writing
from stages.papers.claims import counted
from stages.papers.serrano_smith import figures, schematics, tables
from stages.papers.serrano_smith.evidence import Results
from stages.papers.serrano_smith.panels import MODELS
from stages.papers.serrano_smith.verdicts import decided
from stages.settings.files import write_json

SINGLE = ["dataset", "model", "instance", "delta_alpha", "delta_js"]
ALPHA, JS = "Difference in Attention Weights", "Difference in JS Divergence"
FRACTION, MASS = "Fractions Removed", "Probability Mass of Original Attention Dist Removed"


def write_tables(
    results: Results, stats: Mapping[str, Mapping[str, float]], elsewhere: Results, folder: Path
) -> pd.DataFrame:
    """All tables; `elsewhere` are the same tests on another study's models."""
    grid = tables.contingency(results.single)
    found = {
        "table-1": tables.table_1(stats),
        "table-2": tables.table_2(grid),
        "table-3": tables.table_3(results.scores),
        "contingency": grid,
        "flips": tables.flip_table(results.multi),
        "excluded": tables.excluded(results.instances),
        "other-models": tables.flip_table(elsewhere.multi),
        "other-models-contingency": tables.contingency(elsewhere.single),
    }
    writing.write_tables(found, folder)
    return grid


def write_figures(results: Results, grid: pd.DataFrame, folder: Path, most: int | None) -> None:
    """Figures 1-13, each with the numbers in it beside it."""
    drawn: dict[int, writing.Draw] = {
        **_single_erasures(results),
        **_contingencies(grid),
        **_boxes(results),
        1: lambda: (schematics.draw_erasure(), None),
        2: lambda: (schematics.draw_flat_model(), None),
    }
    named = {f"figure-{number}": draw for number, draw in drawn.items()}
    writing.write_figures(named, folder, 4, most)


def _single_erasures(results: Results) -> dict[int, writing.Draw]:
    attention = results.single[
        (results.single["ranking"] == "attention") & (results.single["mode"] == "as_coded")
    ]

    def moved(models: list[str]) -> writing.Drawn:
        shown = attention[attention["model"].isin(models)][SINGLE]
        return figures.facets(shown, models, figures.scatter, ALPHA, JS), shown

    def below_zero(models: list[str]) -> writing.Drawn:
        whole = attention[attention["model"].isin(models)]
        shown = whole[whole["delta_js"] < 0][SINGLE]
        return figures.facets(whole, models, figures.negatives, ALPHA, "Documents"), shown

    every, one = list(MODELS), ["han-rnn"]
    return {
        3: partial(moved, one),
        7: partial(moved, every),
        4: partial(below_zero, one),
        8: partial(below_zero, every),
    }


def _boxes(results: Results) -> dict[int, writing.Draw]:
    flips = tables.flip_table(results.multi)

    def draw(models: list[str], value: str, label: str) -> writing.Drawn:
        shown = flips[flips["model"].isin(models) & flips["ranking"].isin(figures.ORDER)]
        return figures.boxes(results.multi, models, value, label), shown

    return {
        5: partial(draw, ["han-rnn", "flan-rnn", "flan-conv"], "fraction", FRACTION),
        6: partial(draw, ["han-noenc", "flan-noenc"], "fraction", FRACTION),
        10: partial(draw, list(MODELS), "fraction", FRACTION),
        11: partial(draw, list(MODELS), "mass", MASS),
    }


def _contingencies(grid: pd.DataFrame) -> dict[int, writing.Draw]:
    def draw(ranking: str, symbol: str) -> writing.Drawn:
        rows = grid[(grid["ranking"] == ranking) & (grid["mode"] == "as_coded")]
        return figures.contingencies(rows, symbol), rows

    return {
        9: partial(draw, "attention", "i*"),
        12: partial(draw, "gradient", "i_g*"),
        13: partial(draw, "product", "i_p*"),
    }


def write_verdicts(results: Results, grid: pd.DataFrame, folder: Path) -> None:
    """claims.json, and the headline numbers in metrics.json."""
    records = decided(results)
    write_json(folder / "claims.json", records)
    write_json(folder / "metrics.json", metrics(results, grid, records))


def metrics(results: Results, grid: pd.DataFrame, records: list[dict[str, Any]]) -> dict[str, Any]:
    """Means over models of the numbers that the paper argues with, and the verdicts."""
    paper = grid[grid["mode"] == "paper"].groupby("ranking")["top_flips"].mean()
    flips = tables.flip_table(results.multi).groupby("ranking")["fraction_median"].mean()
    verdicts = counted(records)
    return {
        **{f"top_flips_{name}": _number(paper[name], 2) for name in paper.index},
        **{f"fraction_{name}": _number(flips[name], 4) for name in figures.ORDER},
        "claims_hold": verdicts["holds"],
        "claims_fail": verdicts["fails"],
    }


def _number(value: float, digits: int) -> float | None:
    """Rounded, or null where it does not exist."""
    return None if pd.isna(value) else round(float(value), digits)
