"""preprocess: a data set or group to tokens, splits and vocabulary in data/corpora."""

import argparse
import csv
from collections import Counter
from pathlib import Path

from tqdm import tqdm

from stages.corpora import corpus as storage
from stages.corpora.generated import babi
from stages.corpora.prepare import labelled, prepare
from stages.corpora.readers import read
from stages.corpora.selection import Limits
from stages.corpora.statistics import describe, length_counts, provenance
from stages.settings import paths
from stages.settings.datasets import Dataset
from stages.settings.errors import UserError, stage
from stages.settings.files import replacing, write_json
from stages.settings.params import Settings, load
from stages.settings.seeds import generator


def limits_of(name: str, dataset: Dataset, settings: Settings) -> dict[str, Limits]:
    """Per split, the data set's own bounds, those of preprocess: and the scale's budget."""
    scale, common = settings.budget.preprocess, settings.preprocess
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


def write(name: str, dataset: Dataset, settings: Settings, folder: Path) -> None:
    """Read, clean, split, number and count one data set; write the corpus."""
    limits = limits_of(name, dataset, settings)
    removed: Counter[str] = Counter()
    examples = read(dataset.text, dataset.source, generator(settings.seed, name, "examples"))
    words = babi.vocabulary() if dataset.source.reader == "babi-simulator" else ()
    data = labelled(examples, dataset, removed, words)
    draw = generator(settings.seed, name, "preprocess")
    available: Counter[str] = Counter()
    corpus = prepare(name, data, dataset, limits, draw, removed, available)
    folder.mkdir(exist_ok=True)
    storage.save(corpus, folder)
    stats = provenance(dataset) | describe(corpus, removed) | {"available": dict(available)}
    write_json(folder / "stats.json", stats)
    with (folder / "lengths.csv").open("w", newline="", encoding="utf-8") as file:
        rows = [("split", "length", "documents"), *length_counts(corpus)]
        csv.writer(file, lineterminator="\n").writerows(rows)


def main() -> None:
    """Prepare every data set of the group."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("group", help="an entry of datasets: in data/catalogue.yaml")
    group, settings = parser.parse_args().group, load()
    members = settings.members(group)
    with replacing(paths.CORPORA / group) as folder:
        what = f"preprocess {group}"
        for name, dataset in tqdm(members.items(), what, disable=None, unit="data set"):
            write(name, dataset, settings, folder if name == group else folder / name)


if __name__ == "__main__":
    stage(main)
