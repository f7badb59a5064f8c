"""All that reports/amini-kosseim shows: tables, figures with their numbers, claims, metrics."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from matplotlib import pyplot as plt

from stages.papers.amini_kosseim import figures, tables
from stages.papers.amini_kosseim.evidence import BOUNDED, Results
from stages.papers.amini_kosseim.verdicts import decided
from stages.papers.claims import Record, counted
from stages.papers.style import save_svg
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
    for name, table in found.items():
        table.to_csv(folder / f"{name}.csv", index=False)


def write_figures(results: Results, folder: Path) -> None:
    """Figures 1 and 2 and three of our own, each with the numbers in it beside it."""
    drawn = {
        "figure-1": figures.figure_1(results),
        "figure-2": figures.figure_2(results),
        "trend": figures.trend(results),
        "restarts": figures.restarts(results),
        "mass": figures.mass(results),
    }
    for name, (figure, table) in drawn.items():
        save_svg(figure, folder / f"{name}.svg")
        plt.close(figure)
        table.round(4).to_csv(folder / f"{name}.csv", index=False)


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
