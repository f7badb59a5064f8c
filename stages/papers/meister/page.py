"""All that reports/meister shows: tables, figures with their numbers, claims, metrics."""

from functools import partial
from pathlib import Path
from typing import Any

from stages.papers import writing
from stages.papers.claims import Record, counted
from stages.papers.meister import figures, tables
from stages.papers.meister.evidence import Results
from stages.papers.meister.verdicts import decided
from stages.settings.files import write_json


def write_tables(results: Results, folder: Path) -> None:
    """Tables 1 and 2, every model's means, and the baselines."""
    found = {
        "table-1": tables.table_1(results),
        "table-2": tables.table_2(results),
        "models": tables.model_table(results),
        "baselines": tables.baseline_table(results),
    }
    writing.write_tables(found, folder)


def write_figures(results: Results, folder: Path, most: int | None) -> None:
    """Figures 1-3 and accuracy against lambda, each with the numbers in it beside it."""
    drawn: dict[str, writing.Draw] = {
        "figure-1": partial(figures.figure_1, results),
        "figure-2": partial(figures.figure_2, results),
        "figure-3": partial(figures.figure_3, results),
        "accuracy": partial(figures.accuracy, results),
    }
    writing.write_figures(drawn, folder, 4, most)


def write_verdicts(results: Results, folder: Path) -> None:
    """claims.json, and the headline numbers in metrics.json."""
    records = decided(results)
    write_json(folder / "claims.json", records)
    write_json(folder / "metrics.json", metrics(results, records))


def metrics(results: Results, records: list[Record]) -> dict[str, Any]:
    """Means over models of what the paper argues with, and the verdicts."""
    names = ("entropy_states", "entropy_gradient_input", "entropy_without_input")
    means = {name: round(float(results.instances[name].mean()), 4) for name in names}
    verdicts = counted(records)
    return {**means, "claims_hold": verdicts["holds"], "claims_fail": verdicts["fails"]}
