"""Writes reports/serrano-smith: tables, figures with their numbers, claims, metrics."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path

import pandas as pd

from stages.papers.serrano_smith import figures, schematics, tables
from stages.papers.serrano_smith.evidence import Results
from stages.papers.serrano_smith.panels import MODELS
from stages.papers.serrano_smith.verdicts import decided
from stages.papers.shared import writing

SINGLE = ["dataset", "model", "instance", "delta_alpha", "delta_js"]
ALPHA, JS = "Difference in Attention Weights", "Difference in JS Divergence"
HEADLINE = ("random", "attention", "gradient")  # rankings in metrics.json
FRACTION, MASS = "Fractions Removed", "Probability Mass of Original Attention Dist Removed"


def write_tables(
    results: Results, stats: Mapping[str, Mapping[str, float]], elsewhere: Results, folder: Path
) -> pd.DataFrame:
    """All tables; `elsewhere` holds the same erasures on another study's models."""
    grid = tables.contingency(results.single)
    named = {
        "table-1": tables.table_1(stats),
        "table-2": tables.table_2(grid),
        "table-3": tables.table_3(results.scores),
        "contingency": grid,
        "flips": tables.flip_table(results.multi),
        "excluded": tables.excluded(results.instances),
        "other-models": tables.flip_table(elsewhere.multi),
        "other-models-contingency": tables.contingency(elsewhere.single),
    }
    writing.write_tables(named, folder)
    return grid


def write_figures(results: Results, grid: pd.DataFrame, folder: Path, most: int | None) -> None:
    """Figures 1-13, each with a CSV of its numbers."""
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


def write_plots(results: Results, folder: Path) -> None:
    """erasure.csv for `dvc plots`: median fraction of items removed at the first flip."""
    columns = ["ranking", "dataset", "model", "fraction_median"]
    writing.write_tables({"erasure": tables.flip_table(results.multi)[columns].dropna()}, folder)


def write_verdicts(results: Results, grid: pd.DataFrame, folder: Path) -> None:
    """claims.json, and metrics.json with the headline numbers and the counts of verdicts."""
    writing.write_claims(decided(results), headline(results, grid), folder)


def headline(results: Results, grid: pd.DataFrame) -> dict[str, float | None]:
    """Means over models: flips by the top item in percent, median fractions removed at the flip."""
    paper = grid[(grid["mode"] == "paper") & (grid["ranking"] == "attention")]
    fractions = tables.flip_table(results.multi).groupby("ranking")["fraction_median"].mean()
    return {
        "top_flips_attention": _number(paper["top_flips"].mean(), 2),
        **{f"fraction_{name}": _number(fractions[name], 4) for name in HEADLINE},
    }


def _number(value: float, digits: int) -> float | None:
    """Rounded, or null where it does not exist."""
    return None if pd.isna(value) else round(float(value), digits)
