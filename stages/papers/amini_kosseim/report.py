"""reports/amini-kosseim: tables, figures with their numbers, plots, claims, metrics."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pandas as pd

from stages.papers.amini_kosseim import claims, figures, tables
from stages.papers.amini_kosseim.evidence import Results, variances
from stages.papers.amini_kosseim.panels import MOCK, REAL
from stages.papers.shared import reading
from stages.papers.shared.rules import records, significant
from stages.papers.shared.scores import run_scores
from stages.papers.shared.writing import write_report
from stages.settings.params import Settings
from stages.settings.studies import Gate

STUDY = "amini-kosseim"
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


def write(settings: Settings, folder: Path) -> None:
    """From the results of retraining."""
    runs, instances, bases = (
        reading.retrained(settings, STUDY, name) for name in ("runs", "instances", "bases")
    )
    results = Results(runs, instances, bases, run_scores(reading.models(settings, STUDY)))
    stats = reading.stats_of(STUDY, results.panels.values())
    table_1 = tables.table_1(results, stats, reading.stands_for(settings, STUDY))
    gate = settings.studies[STUDY].gate
    write_results(results, table_1, gate, folder, settings.budget.processes)


def write_results(
    results: Results, table_1: pd.DataFrame, gate: Gate, folder: Path, processes: int | None
) -> None:
    """Everything in reports/amini-kosseim but the page itself."""
    usable = results.drawn(gate)
    write_report(
        folder,
        processes,
        tables={"table-1": table_1} | {name: build(results) for name, build in TABLES.items()},
        plots={"attefa": tables.attefa_by_mock_set(results)},
        figures={name: partial(draw, usable) for name, draw in FIGURES.items()},
        headline=headline(results),
        records=records(claims, results, gate),
        refused=results.refused(gate),
    )


def headline(results: Results) -> dict[str, float | None]:
    """Mean AtteFa by model and procedure."""
    runs = results.runs[results.runs["selected_on"] == "dev"]
    means = runs.groupby(["model", "procedure"])["attefa"].mean()
    return {
        f"attefa_{'_'.join(key)}": significant(float(means.get(key, float("nan"))))
        for key in HEADLINE
    }
