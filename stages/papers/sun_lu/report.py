"""reports/sun-lu from token scores and from the traces of training."""

from dataclasses import replace
from pathlib import Path

from stages.corpora.budget import training_rows
from stages.corpora.corpus import Corpus, Part
from stages.corpora.ragged import Ragged
from stages.papers.shared import reading
from stages.papers.shared.scores import run_scores
from stages.papers.sun_lu import page
from stages.papers.sun_lu.evidence import Results, of
from stages.papers.sun_lu.panels import DATA_I, MODERATE
from stages.settings.params import Settings
from stages.settings.runs import runs_of

STUDY = "sun-lu"


def write(settings: Settings, folder: Path) -> None:
    """Tables, figures, claims and metrics of Sun & Lu 2020."""
    tokens, runs, instances, dots = (
        reading.analysed(settings, "polarity", STUDY, name)
        for name in ("tokens", "runs", "instances", "dots")
    )
    scores = run_scores(reading.models(settings, STUDY))
    results = Results(tokens, runs, reading.traces(settings, STUDY), instances, scores)
    dots = of(dots, DATA_I, "dp", MODERATE)
    first = dots[dots["seed"] == dots["seed"].min()]
    corpora = {
        name: trained_on(settings, corpus)
        for name, corpus in reading.corpora_of(STUDY, results.panels.values()).items()
    }
    gate = settings.studies[STUDY].gate
    page.write(results, gate, corpora, first, folder, settings.budget.processes)


def trained_on(settings: Settings, corpus: Corpus) -> Corpus:
    """The corpus with the training documents of DP only."""
    tokens = next(run.tokens for run in runs_of(settings, STUDY, corpus.name) if run.model == "dp")
    train = corpus.parts["train"]
    rows = training_rows(corpus, tokens, settings.seed, STUDY)
    part = Part(train.labels[rows], Ragged.of([train.text[row].tolist() for row in rows]))
    return replace(corpus, parts=corpus.parts | {"train": part})
