"""reports/serrano-smith from the results of the erasure analysis."""

from pathlib import Path

from stages.papers.serrano_smith import page
from stages.papers.serrano_smith.evidence import Results
from stages.papers.serrano_smith.tables import sizes
from stages.papers.shared import reading
from stages.papers.shared.scores import confusion
from stages.settings.params import Settings

STUDY = "serrano-smith"
OTHER_STUDY = "jain-wallace"  # its runs go through the same erasures


def write(settings: Settings, folder: Path) -> None:
    """Tables, figures, claims and metrics of Serrano & Smith 2019."""
    results, elsewhere = (_erasures(settings, each) for each in (STUDY, OTHER_STUDY))
    corpora = reading.corpora_of(STUDY, set(results.instances["dataset"]))
    stats = {name: sizes(corpus) for name, corpus in corpora.items()}
    grid = page.write_tables(results, stats, elsewhere, folder / "tables")
    page.write_figures(results, grid, folder / "figures", settings.budget.processes)
    page.write_plots(results, folder / "plots")
    page.write_verdicts(results, grid, folder)


def _erasures(settings: Settings, study: str) -> Results:
    """Tables of the erasure analysis over all data sets of a study that it ran on."""
    instances, single, multi = (
        reading.analysed(settings, "erasure", study, name)
        for name in ("instances", "single", "multi")
    )
    return Results(instances, single, multi, confusion(reading.models(settings, study)))
