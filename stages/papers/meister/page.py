"""All that reports/meister shows: tables, figures with their numbers, claims, metrics."""

from pathlib import Path
from typing import Any

from matplotlib import pyplot as plt

from stages.papers.claims import Record, counted
from stages.papers.meister import figures, tables
from stages.papers.meister.evidence import Results
from stages.papers.meister.verdicts import decided
from stages.papers.style import save_svg
from stages.settings.files import write_json


def write_tables(results: Results, folder: Path) -> None:
    """Tables 1 and 2, every model's means, and the baselines."""
    found = {
        "table-1": tables.table_1(results),
        "table-2": tables.table_2(results),
        "models": tables.model_table(results),
        "baselines": tables.baseline_table(results),
    }
    for name, table in found.items():
        table.to_csv(folder / f"{name}.csv", index=False)


def write_figures(results: Results, folder: Path) -> None:
    """Figures 1-3 and accuracy against lambda, each with the numbers in it beside it."""
    drawn = {
        "figure-1": figures.figure_1(results),
        "figure-2": figures.figure_2(results),
        "figure-3": figures.figure_3(results),
        "accuracy": figures.accuracy(results),
    }
    for name, (figure, table) in drawn.items():
        save_svg(figure, folder / f"{name}.svg")
        plt.close(figure)
        table.round(4).to_csv(folder / f"{name}.csv", index=False)


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
