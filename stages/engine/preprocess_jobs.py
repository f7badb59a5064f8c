"""The job of preprocess for a data set."""

import csv
from dataclasses import dataclass
from pathlib import Path

from stages.corpora import corpus as storage
from stages.corpora.generated import babi
from stages.corpora.prepare import prepare
from stages.corpora.readers import read
from stages.corpora.selection import Limits
from stages.corpora.statistics import describe, length_counts, provenance
from stages.engine.jobs import Job
from stages.settings import paths
from stages.settings.datasets import Dataset
from stages.settings.errors import UserError
from stages.settings.files import write_json
from stages.settings.params import Settings
from stages.settings.seeds import generator


@dataclass(frozen=True)
class Preparation:
    """A data set to read, clean, split and number."""

    name: str
    dataset: Dataset
    limits: dict[str, Limits]  # per split
    seed: int


def job_of(settings: Settings, group: str, name: str) -> Job:
    """The job of one data set."""
    dataset = settings.catalogue.datasets[name]
    work = Preparation(name, dataset, limits_of(name, group, dataset, settings), settings.seed)
    vectors = getattr(dataset.source, "vectors", None)
    files = (dataset.text, *([Path(vectors)] if vectors else []))
    labels = {"stage": "preprocess", "dataset": name}
    return Job(f"preprocess {name}", work, files, (Path(__file__),), labels)


def limits_of(name: str, group: str, dataset: Dataset, settings: Settings) -> dict[str, Limits]:
    """Per split, the data set's own bounds, those of preprocess: and the scale's budget."""
    scale, common = settings.budget.preprocess.of(dataset=(name, group)), settings.preprocess
    shortest = max(filter(None, (dataset.min_length, common.min_length)), default=None)
    budget = min(filter(None, (common.max_length, scale.max_length)), default=None)
    longest = dataset.max_length
    for bound in filter(None, (longest, budget)):
        if shortest and shortest >= bound:
            raise UserError(
                f"min length {shortest} of data set {name} is not below its max length {bound} "
                f"(datasets.{name} of {paths.CATALOGUE}; preprocess and scales.{settings.scale} "
                f"of {paths.PARAMS})"
            )
    return {
        split: Limits(shortest, longest, budget, scale.documents[split], scale.tokens[split])
        for split in ("train", "dev", "test")
    }


def write_corpus(work: Preparation, folder: Path) -> None:
    """Read, clean, split, number and count one data set; write the corpus."""
    name, dataset = work.name, work.dataset
    examples = read(dataset.text, dataset.source, generator(work.seed, name, "examples"))
    words = babi.vocabulary() if dataset.source.reader == "babi-simulator" else ()
    draw = generator(work.seed, name, "preprocess")
    corpus, removed, available = prepare(name, examples, dataset, work.limits, draw, words)
    storage.save(corpus, folder)
    stats = provenance(dataset) | describe(corpus, removed) | {"available": available}
    write_json(folder / "stats.json", stats)
    with (folder / "lengths.csv").open("w", newline="", encoding="utf-8") as file:
        rows = [("split", "length", "documents"), *length_counts(corpus)]
        csv.writer(file, lineterminator="\n").writerows(rows)
