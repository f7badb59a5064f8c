"""Every path of the project, relative to its top folder, where all stages are started."""

import os
from pathlib import Path

PARAMS = Path("params.yaml")
MADE_OF = Path("data/made-of")
RAW = Path("data/raw")
CORPORA = Path("data/corpora")
VECTORS = Path("data/vectors")
MODELS = Path("models")
RESULTS = Path("data/results")
PARTIAL = Path("data/partial")  # tables of a test that is not through; no output of any stage
REPORTS = Path("reports")
TIMING = Path("data/timing.csv")  # what stages took; no output of any
TRACE = "trace.parquet"  # in the folder of a model whose training was watched


def corpus(family: str, dataset: str) -> Path:
    """Where preprocess keeps a data set; one without variants is its own family."""
    return CORPORA / family if dataset == family else CORPORA / family / dataset


def vectors(family: str, dataset: str, kind: str) -> Path:
    """Where embed keeps its vectors of one kind."""
    folder = VECTORS / family / kind
    return folder if dataset == family else folder / dataset


def models(study: str, family: str, dataset: str) -> Path:
    """Where train-base keeps the models of a study on a data set, one folder per cell."""
    return MODELS / study / family if dataset == family else MODELS / study / family / dataset


def results(experiment: str, study: str, family: str) -> Path:
    """Where a test keeps its tables for the models of a study on a data set or family."""
    return RESULTS / experiment / study / family


def partial_results(experiment: str, study: str, family: str) -> Path:
    """Where a test keeps the tables of single models until all of them are through."""
    return PARTIAL / experiment / study / family


def downloads() -> Path:
    """Where fetched archives are kept for the next clone; outside the project, safe to delete."""
    root = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(root) / "attention-on-trial"
