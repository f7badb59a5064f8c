"""reports/meister from the results of the dispersion analysis and of retraining."""

from pathlib import Path

from stages.papers.meister import page
from stages.papers.meister.evidence import Results
from stages.papers.shared import reading
from stages.papers.shared.scores import run_scores
from stages.settings.params import Settings

STUDY = "meister"


def write(settings: Settings, folder: Path) -> None:
    """Tables, figures, claims and metrics of Meister et al. 2021."""
    instances, states, taus, untrained = (
        reading.analysed(settings, "dispersion", STUDY, name)
        for name in ("instances", "states", "taus", "untrained")
    )
    scores = run_scores(reading.models(settings, STUDY))
    retrained = reading.retrained(settings, STUDY, "instances")
    results = Results(instances, states, taus, untrained, scores, retrained)
    page.write(results, settings.studies[STUDY].gate, folder, settings.budget.processes)
