"""reports/meister from the results of the dispersion test and of retraining."""

from stages.papers import reading
from stages.papers.meister import page
from stages.papers.meister.evidence import Results
from stages.papers.scores import run_scores
from stages.settings.params import Settings
from stages.settings.studies import StudyName

STUDY: StudyName = "meister"


def write(settings: Settings) -> None:
    """Tables, figures, claims and metrics of Meister et al. 2021."""
    folder = reading.report_folder(STUDY)
    families = settings.tried("dispersion", STUDY)
    instances, states, taus, untrained = (
        reading.joined("dispersion", STUDY, families, name)
        for name in ("instances", "states", "taus", "untrained")
    )
    scores = run_scores(reading.models(settings, STUDY))
    opposed = reading.retrained(settings, STUDY, "instances")
    results = Results(instances, states, taus, untrained, scores, opposed)
    page.write_tables(results, folder / "tables")
    page.write_figures(results, folder / "figures", settings.budget.processes)
    page.write_verdicts(results, folder)
