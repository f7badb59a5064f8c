"""reports/sun-lu from token scores and from the traces of training."""

from pathlib import Path

from stages.papers.shared import reading
from stages.papers.shared.scores import run_scores
from stages.papers.sun_lu import page
from stages.papers.sun_lu.evidence import Results, of
from stages.papers.sun_lu.panels import DATA_I, MODERATE
from stages.settings.params import Settings

STUDY = "sun-lu"


def write(settings: Settings, folder: Path) -> None:
    """Tables, figures, claims and metrics of Sun & Lu 2020."""
    tokens, runs, dots = (
        reading.analysed(settings, "polarity", STUDY, name) for name in ("tokens", "runs", "dots")
    )
    scores = run_scores(reading.models(settings, STUDY))
    results = Results(tokens, runs, reading.traces(settings, STUDY), scores)
    corpora = reading.corpora_of(STUDY, results.panels.values())
    dots = of(dots, DATA_I, "dp", MODERATE)
    first = dots[dots["seed"] == dots["seed"].min()]
    page.write(results, corpora, first, folder, settings.budget.processes)
