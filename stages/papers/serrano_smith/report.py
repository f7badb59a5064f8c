"""reports/serrano-smith from the results of the erasure test."""

from pathlib import Path

from stages.papers import reading
from stages.papers.scores import confusion
from stages.papers.serrano_smith import page
from stages.papers.serrano_smith.evidence import Results
from stages.papers.serrano_smith.tables import sizes
from stages.settings.params import Settings

STUDY = "serrano-smith"
OTHER_STUDY = "jain-wallace"  # whose models are erased too


def write(settings: Settings, folder: Path) -> None:
    """Tables, figures, claims and metrics of Serrano & Smith 2019."""
    results, elsewhere = (_erasures(settings, each) for each in (STUDY, OTHER_STUDY))
    corpora = reading.corpora_of(settings, set(results.instances["dataset"]))
    stats = {name: sizes(corpus) for name, corpus in corpora.items()}
    grid = page.write_tables(results, stats, elsewhere, folder / "tables")
    page.write_figures(results, grid, folder / "figures", settings.budget.processes)
    page.write_verdicts(results, grid, folder)


def _erasures(settings: Settings, study: str) -> Results:
    """The tables of the erasure test over all models of a study that went through it."""
    instances, single, multi = (
        reading.analysed(settings, "erasure", study, name)
        for name in ("instances", "single", "multi")
    )
    return Results(instances, single, multi, confusion(reading.models(settings, study)))
