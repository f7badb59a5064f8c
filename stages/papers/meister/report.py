"""reports/meister from the results of the dispersion analysis and of retraining."""

from stages.papers import reading
from stages.papers.meister import page
from stages.papers.meister.evidence import Results
from stages.papers.scores import run_scores
from stages.settings.params import Settings
from stages.settings.studies import StudyName

STUDY: StudyName = "meister"


def write(settings: Settings) -> None:
    """Tables, figures, plots, claims and metrics of Meister et al. 2021."""
    folder = reading.report_folder(STUDY)
    datasets = settings.tried("dispersion", STUDY)
    instances, states, taus, untrained = (
        reading.joined("dispersion", STUDY, datasets, name)
        for name in ("instances", "states", "taus", "untrained")
    )
    scores = run_scores(reading.models(settings, STUDY))
    retrained = reading.retrained(settings, STUDY, "instances")
    results = Results(instances, states, taus, untrained, scores, retrained)
    page.write(results, folder, settings.budget.processes)
