"""reports/serrano-smith from the results of the erasure analysis."""

from pathlib import Path

from stages.papers.serrano_smith import page
from stages.papers.serrano_smith.evidence import Results
from stages.papers.serrano_smith.tables import sizes
from stages.papers.shared import reading
from stages.papers.shared.scores import run_scores
from stages.settings.params import Settings

STUDY = "serrano-smith"
OTHER_STUDY = "jain-wallace"  # its runs go through the same erasures


def write(settings: Settings, folder: Path) -> None:
    """Tables, figures, claims and metrics of Serrano & Smith 2019."""
    results, elsewhere = (_erasures(settings, each) for each in (STUDY, OTHER_STUDY))
    trained = results.scores.groupby("dataset")["train_documents"].max()
    corpora = reading.corpora_of(STUDY, trained.index)
    stats = {name: sizes(corpus, trained[name]) for name, corpus in corpora.items()}
    gate = settings.studies[STUDY].gate
    page.write(results, stats, elsewhere, gate, folder, settings.budget.processes)


def _erasures(settings: Settings, study: str) -> Results:
    """Tables of the erasure analysis over all data sets of a study that it ran on."""
    instances, single, multi = (
        reading.analysed(settings, "erasure", study, name)
        for name in ("instances", "single", "multi")
    )
    return Results(instances, single, multi, run_scores(reading.models(settings, study)))
