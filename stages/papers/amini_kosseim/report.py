"""reports/amini-kosseim from the results of retraining."""

from pathlib import Path

from stages.papers.amini_kosseim import page, tables
from stages.papers.amini_kosseim.evidence import Results
from stages.papers.shared import reading
from stages.papers.shared.scores import run_scores
from stages.settings.params import Settings

STUDY = "amini-kosseim"


def write(settings: Settings, folder: Path) -> None:
    """Tables, figures, claims and metrics of Amini & Kosseim 2022."""
    runs, instances, bases = (
        reading.retrained(settings, STUDY, name) for name in ("runs", "instances", "bases")
    )
    results = Results(runs, instances, bases, run_scores(reading.models(settings, STUDY)))
    stats = reading.stats_of(STUDY, results.panels.values())
    table_1 = tables.table_1(results, stats, reading.stands_for(settings, STUDY))
    gate = settings.studies[STUDY].gate
    page.write(results, table_1, gate, folder, settings.budget.processes)
