"""Writes reports/meister: tables, figures with their numbers, plots, claims, metrics."""

from functools import partial
from pathlib import Path

from stages.papers.meister import figures, tables
from stages.papers.meister.claims import CLAIMS, MEASUREMENTS
from stages.papers.meister.evidence import Results
from stages.papers.shared import writing
from stages.papers.shared.fidelity import share_inside
from stages.papers.shared.rules import records
from stages.settings.studies import Gate

TABLES = {
    "table-1": tables.table_1,
    "table-2": tables.table_2,
    "models": tables.model_table,
    "baselines": tables.baseline_table,
    "fidelity": tables.fidelity_table,
}
FIGURES = {
    "figure-1": figures.figure_1,
    "figure-2": figures.figure_2,
    "figure-3": figures.figure_3,
    "accuracy": figures.accuracy,
}
HEADLINE = ("entropy_states", "entropy_gradient_input", "entropy_without_input")


def write(results: Results, gate: Gate, folder: Path, processes: int | None) -> None:
    """Everything in reports/meister but the page itself."""
    built = {name: build(results) for name, build in TABLES.items()}
    writing.write_tables(built, folder / "tables")
    usable = results.drawn(gate)
    drawn = {name: partial(draw, usable) for name, draw in FIGURES.items()}
    writing.write_figures(drawn, folder / "figures", 4, processes)
    writing.write_tables({"correlation": tables.correlation(results)}, folder / "plots")
    means = {name: round(float(results.instances[name].mean()), 4) for name in HEADLINE}
    headline = means | {"fidelity": share_inside(built["fidelity"])}
    writing.write_claims(records(CLAIMS, MEASUREMENTS, results, gate), headline, folder)
