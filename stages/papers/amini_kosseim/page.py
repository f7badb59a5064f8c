"""Writes reports/amini-kosseim: tables, figures with their numbers, plots, claims, metrics."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pandas as pd

from stages.papers.amini_kosseim import figures, tables
from stages.papers.amini_kosseim.claims import CLAIMS, MEASUREMENTS
from stages.papers.amini_kosseim.evidence import Results, variances
from stages.papers.amini_kosseim.panels import MOCK, REAL
from stages.papers.shared import writing
from stages.papers.shared.fidelity import share_inside
from stages.papers.shared.rules import records, significant
from stages.settings.studies import Gate

TABLES: dict[str, Callable[[Results], pd.DataFrame]] = {
    "table-2": tables.table_2,
    "table-3": tables.table_3,
    "table-4": partial(tables.per_seed, where="Table 4", panels=MOCK),
    "table-5": partial(tables.per_seed, where="Table 5", panels=REAL),
    "optimisation": tables.optimisation,
    "variance": variances,
    "fidelity": tables.fidelity,
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
    results: Results, table_1: pd.DataFrame, gate: Gate, folder: Path, processes: int | None
) -> None:
    """Everything in reports/amini-kosseim but the page itself."""
    built = {name: build(results) for name, build in TABLES.items()}
    writing.write_tables({"table-1": table_1} | built, folder / "tables")
    shown = results.drawn(gate)
    drawn = {name: partial(draw, shown) for name, draw in FIGURES.items()}
    writing.write_figures(drawn, folder / "figures", 4, processes)
    writing.write_tables({"attefa": tables.attefa_by_mock_set(results)}, folder / "plots")
    numbers = headline(results) | {"fidelity": share_inside(built["fidelity"])}
    writing.write_claims(records(CLAIMS, MEASUREMENTS, results, gate), numbers, folder)


def headline(results: Results) -> dict[str, float | None]:
    """Mean AtteFa by model and procedure."""
    runs = results.runs[results.runs["selected_on"] == "dev"]
    means = runs.groupby(["model", "procedure"])["attefa"].mean()
    return {
        f"attefa_{'_'.join(key)}": significant(float(means.get(key, float("nan"))))
        for key in HEADLINE
    }
