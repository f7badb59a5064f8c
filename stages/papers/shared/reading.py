"""Reads the outputs of earlier stages: results, trained models, corpora."""

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from stages.corpora import corpus as corpora
from stages.corpora.corpus import Corpus
from stages.papers.shared.results import KEYS
from stages.papers.shared.scores import run_row
from stages.settings import paths
from stages.settings.files import read_json
from stages.settings.params import Settings

Text = tuple[Sequence[str], str]  # the tokens of a document, and its question


def joined(analysis: str, study: str, groups: Iterable[str], name: str) -> pd.DataFrame:
    """One table of an analysis, over all data sets that have it; empty where none has."""
    files = [paths.results(analysis, study, group) / f"{name}.parquet" for group in groups]
    tables = [pd.read_parquet(file) for file in files if file.is_file()]
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=KEYS)


def analysed(settings: Settings, analysis: str, study: str, *names: str) -> list[pd.DataFrame]:
    """Tables of an analysis, over all data sets that params.yaml lists."""
    groups = settings.analysed(analysis, study)
    return [joined(analysis, study, groups, name) for name in names]


def retrained(settings: Settings, study: str, name: str) -> pd.DataFrame:
    """One table of the retrained adversaries of a study; empty where there are none."""
    return joined("retrain", study, settings.analyses.retrain.studies.get(study, ()), name)


def folders(settings: Settings, study: str) -> list[tuple[Path, dict[str, Any]]]:
    """Folder and model.json of every run."""
    places = [
        paths.models(study, dataset)
        for group in settings.studies[study].datasets
        for dataset in settings.members(group)
    ]
    return [
        (about.parent, read_json(about))
        for place in places
        for about in sorted(place.glob("*/model.json"))
    ]


def models(settings: Settings, study: str) -> list[dict[str, Any]]:
    """model.json of every trained model of a study."""
    return [about for _, about in folders(settings, study)]


def trained(settings: Settings, study: str, file: str) -> pd.DataFrame:
    """A table that training wrote (test predictions, a trace), of all runs that have it."""
    tables = []
    for place, about in folders(settings, study):
        if (place / file).is_file():
            row = run_row(about)
            keys = {key: row[key] for key in ("dataset", "model", "value", "seed")}
            tables.append(pd.read_parquet(place / file).assign(**keys))
    return pd.concat(tables, ignore_index=True).rename(columns={"row": "instance"})


def corpora_of(study: str, names: Iterable[str]) -> dict[str, Corpus]:
    """Data sets that a study's runs were trained on, by name."""
    return {name: corpora.load(paths.study_corpus(study, name)) for name in names}


def stats_of(study: str, names: Iterable[str]) -> dict[str, dict[str, Any]]:
    """stats.json of the preprocess stage, by data set of a study."""
    return {name: read_json(paths.study_corpus(study, name) / "stats.json") for name in names}


def stands_for(settings: Settings, study: str) -> dict[str, str]:
    """The `stands_for` text of each data set of a study."""
    groups = settings.studies[study].datasets
    names = [name for group in groups for name in settings.members(group)]
    return {name: stats["stands_for"] for name, stats in stats_of(study, names).items()}


def histories(settings: Settings, study: str) -> pd.DataFrame:
    """Dev score by epoch, one column per model: the mean over its runs on all data sets."""
    tables = [
        pd.read_csv(place / "history.csv").assign(model=about["name"])
        for place, about in folders(settings, study)
    ]
    rows = pd.concat(tables)
    means = rows.groupby(["epoch", "model"])["score"].mean().unstack()
    return means[list(dict.fromkeys(rows["model"]))].round(4).reset_index()


def words(study: str, dataset: str, instances: Collection[int]) -> dict[int, Text]:
    """Text and question of some test documents; empty for a private data set."""
    corpus = corpora.load(paths.study_corpus(study, dataset))
    if corpus.private:
        return {}
    part = corpus.parts["test"]
    return {
        row: (
            [corpus.types[word] for word in part.text[row]],
            "" if part.query is None else " ".join(corpus.types[w] for w in part.query[row]),
        )
        for row in instances
    }
