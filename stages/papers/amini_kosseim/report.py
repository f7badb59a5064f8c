"""reports/amini-kosseim from the results of retraining."""

from pathlib import Path

from stages.papers.amini_kosseim import page, tables
from stages.papers.amini_kosseim.evidence import Results
from stages.papers.shared import reading
from stages.papers.shared.scores import score_table
from stages.settings.params import Settings

STUDY = "amini-kosseim"


def write(settings: Settings, folder: Path) -> None:
    """Tables, figures, claims and metrics of Amini & Kosseim 2022."""
    runs, instances, bases = (
        reading.retrained(settings, STUDY, name) for name in ("runs", "instances", "bases")
    )
    stands_for = reading.stands_for(settings, STUDY)
    scores = score_table(reading.models(settings, STUDY), stands_for)
    results = Results(runs, instances, bases, scores)
    stats = reading.stats_of(STUDY, dict.fromkeys(runs["dataset"]))
    table_1 = tables.table_1(stats, stands_for)
    page.write(results, table_1, settings.scale, folder, settings.budget.processes)
