"""All that reports/serrano-smith shows: tables, figures with their numbers, claims, metrics."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from stages.papers.claims import counted
from stages.papers.serrano_smith import figures, schematics, tables
from stages.papers.serrano_smith.evidence import Results
from stages.papers.serrano_smith.panels import MODELS
from stages.papers.serrano_smith.verdicts import decided
from stages.papers.style import save_svg
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
    for name, table in found.items():
        table.to_csv(folder / f"{name}.csv", index=False)
    return grid


def write_figures(results: Results, grid: pd.DataFrame, folder: Path) -> None:
    """Figures 1-13, each with the numbers in it beside it."""
    attention = results.single[
        (results.single["ranking"] == "attention") & (results.single["mode"] == "as_coded")
    ]
    every, one = list(MODELS), ["han-rnn"]
    for number, models in ((3, one), (7, every)):
        shown = attention[attention["model"].isin(models)][SINGLE]
        _save(figures.facets(shown, models, figures.scatter, ALPHA, JS), shown, folder, number)
    for number, models in ((4, one), (8, every)):
        shown = attention[attention["model"].isin(models) & (attention["delta_js"] < 0)][SINGLE]
        whole = attention[attention["model"].isin(models)]
        drawn = figures.facets(whole, models, figures.negatives, ALPHA, "Documents")
        _save(drawn, shown, folder, number)
    _boxes(results, folder)
    symbols = {9: ("attention", "i*"), 12: ("gradient", "i_g*"), 13: ("product", "i_p*")}
    for number, (ranking, symbol) in symbols.items():
        rows = grid[(grid["ranking"] == ranking) & (grid["mode"] == "as_coded")]
        _save(figures.contingencies(rows, symbol), rows, folder, number)
    for number, figure in ((1, schematics.draw_erasure()), (2, schematics.draw_flat_model())):
        save_svg(figure, folder / f"figure-{number}.svg")
        plt.close(figure)


def _boxes(results: Results, folder: Path) -> None:
    flips = tables.flip_table(results.multi)
    sheets = {
        5: (["han-rnn", "flan-rnn", "flan-conv"], "fraction", FRACTION),
        6: (["han-noenc", "flan-noenc"], "fraction", FRACTION),
        10: (list(MODELS), "fraction", FRACTION),
        11: (list(MODELS), "mass", MASS),
    }
    for number, (models, value, label) in sheets.items():
        shown = flips[flips["model"].isin(models) & flips["ranking"].isin(figures.ORDER)]
        _save(figures.boxes(results.multi, models, value, label), shown, folder, number)


def _save(figure: Figure, table: pd.DataFrame, folder: Path, number: int) -> None:
    save_svg(figure, folder / f"figure-{number}.svg")
    plt.close(figure)
    table.round(4).to_csv(folder / f"figure-{number}.csv", index=False)


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
