"""Every path of the project, relative to its top folder, where all stages are started."""

import os
from pathlib import Path

PARAMS = Path("params.yaml")
CATALOGUE = Path("data/catalogue.yaml")
RAW = Path("data/raw")
OWN = Path("data/own")  # files of the user
CORPORA = Path("data/corpora")
VECTORS = Path("data/vectors")
MODELS = Path("models")
RESULTS = Path("data/results")
REPORTS = Path("reports")
BENCHMARKS = REPORTS / "benchmarks"  # the same for all scales
JOBS = Path("data/jobs")  # the job store; no output of any stage
JOBS_USED = JOBS / "used"
TIMING = Path("data/timing.csv")  # seconds and memory of stages; no output of any
TRACE = "trace.parquet"  # in the folder of a run whose training was traced
PREDICTIONS = "predictions.parquet"  # of the test documents, beside the weights of a run


def corpus(dataset: str) -> Path:
    """Where preprocess writes a data set."""
    return CORPORA / dataset


def vectors(dataset: str) -> Path:
    """Where embed writes the word vectors of a data set."""
    return VECTORS / dataset


def models(study: str, dataset: str) -> Path:
    """Where train_base writes the runs of a study on a data set, one folder per run."""
    return MODELS / study / dataset


def study_corpus(study: str, dataset: str) -> Path:
    """Where train_base links the corpus and the vectors that its runs were trained on."""
    return models(study, dataset) / "corpus"


def results(analysis: str, study: str, group: str) -> Path:
    """Where an analysis writes its tables for the runs of a study on a data set or group."""
    return RESULTS / study / analysis / group


def reports(scale: str) -> Path:
    """Where figures and report write at a scale."""
    return REPORTS / scale


def downloads() -> Path:
    """Where fetched archives are kept for the next clone; outside the project, safe to delete."""
    root = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(root) / "attention-on-trial"
