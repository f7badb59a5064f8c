"""Writes reports/amini-kosseim: tables, figures with their numbers, plots, claims, metrics."""

from functools import partial
from pathlib import Path

import pandas as pd

from stages.papers.amini_kosseim import figures, tables
from stages.papers.amini_kosseim.evidence import Results
from stages.papers.amini_kosseim.verdicts import decided
from stages.papers.shared import writing

TABLES = {
    "table-2": tables.table_2,
    "table-3": tables.table_3,
    "table-4": tables.table_4,
    "table-5": tables.table_5,
    "optimisation": tables.optimisation,
    "variance": tables.variance,
}
FIGURES = {
    "figure-1": figures.figure_1,
    "figure-2": figures.figure_2,
    "trend": figures.trend,
    "restarts": figures.restarts,
    "mass": figures.mass,
}
HEADLINE = (("lstm", "published"), ("mlp", "published"), ("mlp", "warm"))  # model, procedure


def write(
    results: Results, table_1: pd.DataFrame, scale: str, folder: Path, processes: int | None
) -> None:
    """Everything in reports/amini-kosseim but the page itself."""
    built = {name: build(results) for name, build in TABLES.items()}
    writing.write_tables({"table-1": table_1} | built, folder / "tables")
    drawn = {name: partial(draw, results) for name, draw in FIGURES.items()}
    writing.write_figures(drawn, folder / "figures", 4, processes)
    writing.write_tables({"attefa": tables.attefa_by_mock_set(results)}, folder / "plots")
    writing.write_claims(decided(results, scale), headline(results), folder)


def headline(results: Results) -> dict[str, float | None]:
    """Mean AtteFa by model and procedure, and the number of collapsed runs."""
    runs = results.runs[results.runs["selected_on"] == "dev"]
    means = runs.groupby(["model", "procedure"])["attefa"].mean()
    attefa = {
        f"attefa_{model}_{procedure}": _number(means.get((model, procedure)))
        for model, procedure in HEADLINE
    }
    return {**attefa, "collapsed_runs": int(runs["collapsed"].sum())}


def _number(value: float | None) -> float | None:
    """Rounded, or null where it does not exist."""
    return None if value is None or pd.isna(value) else round(float(value), 4)
