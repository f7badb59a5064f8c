"""All that reports/amini-kosseim shows: tables, figures with their numbers, claims, metrics."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from stages.papers import writing
from stages.papers.amini_kosseim import figures, tables
from stages.papers.amini_kosseim.evidence import BOUNDED, Results
from stages.papers.amini_kosseim.verdicts import decided
from stages.papers.claims import Record, counted
from stages.settings.files import write_json


def write_tables(
    results: Results,
    stats: Mapping[str, Mapping[str, Any]],
    stands_for: Mapping[str, str],
    folder: Path,
) -> None:
    """Tables 1-5, every procedure, and the variance between bases and adversaries."""
    found = {
        "table-1": tables.table_1(stats, stands_for),
        "table-2": tables.table_2(results),
        "table-3": tables.table_3(results),
        "table-4": tables.table_4(results),
        "table-5": tables.table_5(results),
        "optimisation": tables.optimisation(results),
        "variance": tables.variance(results),
    }
    writing.write_tables(found, folder)


def write_figures(results: Results, folder: Path, most: int | None) -> None:
    """Figures 1 and 2 and three of our own, each with the numbers in it beside it."""
    drawn: dict[str, writing.Draw] = {
        "figure-1": partial(figures.figure_1, results),
        "figure-2": partial(figures.figure_2, results),
        "trend": partial(figures.trend, results),
        "restarts": partial(figures.restarts, results),
        "mass": partial(figures.mass, results),
    }
    writing.write_figures(drawn, folder, 4, most)


def write_verdicts(results: Results, scale: str, folder: Path) -> None:
    """claims.json, and the headline numbers in metrics.json."""
    records = decided(results, scale)
    write_json(folder / "claims.json", records)
    write_json(folder / "metrics.json", metrics(results, records))


def metrics(results: Results, records: list[Record]) -> dict[str, Any]:
    """Mean AtteFa by encoder and procedure, collapsed runs, and the verdicts."""
    runs = results.runs[results.runs["selected_on"] == "dev"]
    found: dict[str, Any] = {}
    for (model, procedure), group in runs[runs["procedure"].isin(BOUNDED)].groupby(
        ["model", "procedure"], sort=True
    ):
        found[f"attefa_{model}_{procedure}"] = round(float(group["attefa"].mean()), 4)
    found["collapsed_runs"] = int(runs["collapsed"].sum())
    verdicts = counted(records)
    return {**found, "claims_hold": verdicts["holds"], "claims_fail": verdicts["fails"]}
