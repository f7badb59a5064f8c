"""Estimated cost of jobs: the costliest start first, and plans add them up.

A job costs the tokens that it reads times the seconds per token of its encoder and its stage. The
constants are rough and of one core; plans correct them by the seconds of recorded jobs.
"""

import heapq
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from stages.settings.analyses import DocumentBudget
from stages.settings.files import read_json
from stages.settings.runs import Run
from stages.settings.studies import Model

# microseconds to train on a token; other encoders cost as much as a BiLSTM
TRAINED = {"none": 5.0, "affine": 3.0, "average": 2.5, "cnn": 6.0, "conv": 10.0, "bigru": 10.0}
TRAINED |= {"bilstm": 25.0, "transformer": 100.0}
SCORED = 1 / 3  # of the cost of training on a token
HIERARCHICAL = 1.6  # of the cost of a flat model
STACKED = 1 / 5  # of the cost of training runs without context one by one
# an analysis of a token, as a multiple of training on it, and the power of the length of documents
# with which that grows
ANALYSED = {"correlation": (0.5, 0.6), "dispersion": (1.8, 0.6), "adversarial": (4.0, 0.0)}
FAITHFULNESS = 10.0  # of the cost of correlation, for the documents of that budget
STEP = 0.003  # seconds of a step of one of several stacked adversaries
SETUP = 0.05  # seconds to load a corpus and a model


@dataclass(frozen=True)
class Split:
    """The size of a split: number of documents and their mean length."""

    documents: float
    length: float

    def tokens(self, tokens: int | None = None, documents: int | None = None) -> float:
        """The tokens that budgets of tokens and documents leave."""
        counts = (self.documents, math.inf if documents is None else documents)
        return min(self.length * min(counts), math.inf if tokens is None else tokens)


Sizes = Mapping[str, Split]  # by split
UNKNOWN = {split: Split(math.nan, math.nan) for split in ("train", "dev", "test")}


def sizes_of(corpus: Path) -> Sizes:
    """The sizes of a prepared data set."""
    file = corpus / "stats.json"
    if not file.is_file():
        return UNKNOWN
    splits = read_json(file)["splits"].items()
    return {name: Split(split["documents"], split["mean_length"]) for name, split in splits}


@dataclass(frozen=True)
class Cost:
    """Tokens that a job reads, scored ones counted in part, and its estimated seconds."""

    tokens: float
    seconds: float


def training_cost(runs: Sequence[Run], select_on: str, sizes: Sizes) -> Cost:
    """Of training runs of one model on one data set."""
    first = runs[0]
    read = sizes["train"].tokens(first.tokens) + SCORED * sizes[select_on].tokens()
    tokens = len(runs) * (first.training.epochs * read + SCORED * sizes["test"].tokens())
    return estimated(tokens, first.settings, STACKED if len(runs) > 1 else 1.0)


def analysis_cost(
    analysis: str, run: Run, budgets: Mapping[str, DocumentBudget], sizes: Sizes
) -> Cost:
    """Of one analysis of one run, which reads test documents within budgets."""
    test = sizes["test"]
    tokens = {name: test.tokens(each.tokens, each.instances) for name, each in budgets.items()}
    factor, growth = ANALYSED.get(analysis, (1.0, 0.0))
    weighted = tokens[analysis]
    if analysis == "correlation" and not run.replica:  # the slower measures: first seed only
        weighted += FAITHFULNESS * tokens["faithfulness"]
    cost = estimated(weighted, run.settings, factor * test.length**growth)
    return Cost(tokens[analysis], cost.seconds)


def estimated(tokens: float, model: Model, factor: float = 1.0) -> Cost:
    """The cost of so many tokens, each that of training on one times a factor."""
    seconds = tokens * factor * TRAINED.get(model.encoder.kind, TRAINED["bilstm"]) / 1e6
    if model.architecture == "hierarchical":
        seconds *= HIERARCHICAL
    return Cost(tokens, SETUP + seconds)


def makespan(seconds: Iterable[float], workers: int) -> float:
    """Seconds until all jobs are done if each worker takes the next one in this order."""
    busy = [0.0] * workers  # until when each worker is busy
    for job in seconds:
        heapq.heapreplace(busy, busy[0] + job)
    return max(busy)
