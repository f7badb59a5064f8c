"""reports/amini-kosseim from the results of retraining."""

from pathlib import Path

from stages.papers import reading
from stages.papers.amini_kosseim import page
from stages.papers.amini_kosseim.evidence import Results
from stages.papers.scores import score_table
from stages.settings.params import Settings

STUDY = "amini-kosseim"


def write(settings: Settings, folder: Path) -> None:
    """Tables, figures, claims and metrics of Amini & Kosseim 2022."""
    runs, instances, bases = (
        reading.retrained(settings, STUDY, name) for name in ("runs", "instances", "bases")
    )
    stands_for = reading.stands_for(settings)
    scores = score_table(reading.models(settings, STUDY), stands_for)
    results = Results(runs, instances, bases, scores)
    stats = reading.stats_of(settings, dict.fromkeys(runs["dataset"]))
    page.write_tables(results, stats, stands_for, folder / "tables")
    page.write_figures(results, folder / "figures", settings.budget.processes)
    page.write_verdicts(results, settings.scale, folder)
