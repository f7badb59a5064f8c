"""reports/meister: tables, figures with their numbers, plots, claims, metrics."""

from functools import partial
from pathlib import Path

from stages.papers.meister import claims, figures, tables
from stages.papers.meister.evidence import Results
from stages.papers.shared import reading
from stages.papers.shared.rules import records
from stages.papers.shared.scores import run_scores
from stages.papers.shared.writing import write_report
from stages.settings.params import Settings
from stages.settings.studies import Gate

STUDY = "meister"
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


def write(settings: Settings, folder: Path) -> None:
    """From the results of the dispersion analysis and of retraining."""
    names = ("instances", "states", "taus", "untrained")
    instances, states, taus, untrained = reading.analysed(settings, "dispersion", STUDY, *names)
    scores = run_scores(reading.models(settings, STUDY))
    retrained = reading.retrained(settings, STUDY, "instances")
    results = Results(instances, states, taus, untrained, scores, retrained)
    write_results(results, settings.studies[STUDY].gate, folder, settings.budget.processes)


def write_results(results: Results, gate: Gate, folder: Path, processes: int | None) -> None:
    """Everything in reports/meister but the page itself."""
    usable = results.drawn(gate)
    write_report(
        folder,
        processes,
        tables={name: build(results) for name, build in TABLES.items()},
        plots={"correlation": tables.correlation(results)},
        figures={name: partial(draw, usable) for name, draw in FIGURES.items()},
        headline={name: round(float(results.instances[name].mean()), 4) for name in HEADLINE},
        records=records(claims, results, gate),
        refused=results.refused(gate),
    )
