"""Writes reports/sun-lu: tables, figures with their numbers, plots, claims, metrics."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path

import pandas as pd

from stages.corpora.corpus import Corpus
from stages.papers.shared import writing
from stages.papers.shared.fidelity import share_inside
from stages.papers.shared.rules import records
from stages.papers.sun_lu import figures, schematics, tables, training_figures
from stages.papers.sun_lu.claims import CLAIMS, MEASUREMENTS
from stages.papers.sun_lu.evidence import Results
from stages.settings.studies import Gate

HEADLINE = (1.0, 10.0, 10000.0)  # values of lambda in metrics.json


def write(
    results: Results,
    gate: Gate,
    corpora: Mapping[str, Corpus],
    dots: pd.DataFrame,
    folder: Path,
    processes: int | None,
) -> None:
    """Everything in reports/sun-lu but the page itself."""
    by_name = {
        "table-1": tables.table_1(results, corpora),
        "table-2": tables.table_2(results),
        "supplement-table-1": tables.group_table(results),
        "statistics": tables.statistics_table(results),
        "fidelity": tables.fidelity_table(results),
    }
    writing.write_tables(by_name, folder / "tables")
    exact = ("value",)  # lambda is not rounded
    writing.write_figures(drawings(results, gate, dots), folder / "figures", 4, processes, exact)
    writing.write_tables({"accuracy": tables.accuracy_table(results)}, folder / "plots")
    numbers = headline(results) | {"fidelity": share_inside(by_name["fidelity"])}
    writing.write_claims(records(CLAIMS, MEASUREMENTS, results, gate), numbers, folder)


def drawings(results: Results, gate: Gate, dots: pd.DataFrame) -> dict[str, writing.Draw]:
    """Functions that draw the figures by name, slow ones first."""
    drawn = results.drawn(gate)
    sheets, courses = figures.SHEETS, training_figures.COURSES
    return {
        **{name: partial(figures.sheet, drawn, panels) for name, panels in sheets.items()},
        **{name: partial(training_figures.courses, drawn, c) for name, c in courses.items()},
        "figure-1": schematics.draw_model,
        "figure-5": partial(figures.figure_5, drawn),
        "supplement-2": partial(training_figures.supplement_2, dots),
        "supplement-7": partial(training_figures.supplement_7, results),
        "supplement-25-27": partial(figures.labels_toward, drawn),
        "accuracy": partial(figures.accuracy_by_scale, results),
    }


def headline(results: Results) -> dict[str, float | None]:
    """Accuracy of DP at a small, a moderate and a large lambda, mean over data sets."""
    means = tables.accuracy_table(results).set_index("lambda")["dp"]
    return {f"dp_accuracy_{value:g}": float(means[value]) for value in HEADLINE if value in means}
