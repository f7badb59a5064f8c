"""Reads the outputs of earlier stages: results, trained models, corpora."""

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from stages.corpora import corpus as corpora
from stages.corpora.corpus import Corpus
from stages.papers.panels import no_runs
from stages.papers.scores import run_row
from stages.settings import paths
from stages.settings.files import read_json
from stages.settings.params import Settings

Text = tuple[Sequence[str], str]  # the tokens of a document, and its question


def joined(analysis: str, study: str, groups: Iterable[str], name: str) -> pd.DataFrame:
    """One table of an analysis, over all data sets it ran on."""
    folders = [paths.results(analysis, study, group) for group in groups]
    tables = [pd.read_parquet(folder / f"{name}.parquet") for folder in folders]
    return pd.concat(tables, ignore_index=True)


def analysed(settings: Settings, analysis: str, study: str, name: str) -> pd.DataFrame:
    """One table of an analysis, over all data sets that params.yaml lists."""
    return joined(analysis, study, settings.analysed(analysis, study), name)


def retrained(settings: Settings, study: str, name: str) -> pd.DataFrame:
    """One table of the retrained adversaries of a study; empty where there are none."""
    written = [
        group
        for group in settings.analyses.retrain.studies.get(study, ())
        if (paths.results("retrain", study, group) / f"{name}.parquet").is_file()
    ]
    return joined("retrain", study, written, name) if written else no_runs()


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


def traces(settings: Settings, study: str) -> pd.DataFrame:
    """The quantities traced during training, one row per run, epoch, quantity and group."""
    tables = []
    for place, about in folders(settings, study):
        if (place / paths.TRACE).is_file():
            row = run_row(about)
            keys = {key: row[key] for key in ("dataset", "model", "value", "seed")}
            tables.append(pd.read_parquet(place / paths.TRACE).assign(**keys))
    return pd.concat(tables, ignore_index=True)


def corpora_of(settings: Settings, names: Iterable[str]) -> dict[str, Corpus]:
    """Prepared data sets by name."""
    return {name: corpora.load(_place(settings, name)) for name in names}


def stats_of(settings: Settings, names: Iterable[str]) -> dict[str, dict[str, Any]]:
    """stats.json of the preprocess stage, by data set."""
    return {name: read_json(_place(settings, name) / "stats.json") for name in names}


def _place(settings: Settings, dataset: str) -> Path:
    return paths.corpus(settings.catalogue.group_of(dataset), dataset)


def stands_for(settings: Settings) -> dict[str, str]:
    """The `stands_for` text of each prepared data set."""
    names = [name for group in settings.corpora for name in settings.members(group)]
    return {name: stats["stands_for"] for name, stats in stats_of(settings, names).items()}


def histories(settings: Settings, study: str) -> pd.DataFrame:
    """Loss and score of every epoch, mean over the runs of a data set and model."""
    tables = []
    for place, about in folders(settings, study):
        keys = {key: run_row(about)[key] for key in ("dataset", "model")}
        tables.append(pd.read_csv(place / "history.csv").assign(**keys))
    columns = ["dataset", "model", "epoch"]
    means = pd.concat(tables).groupby(columns, sort=False)[["loss", "score"]].mean()
    return means.round(4).reset_index()


def words(settings: Settings, dataset: str, instances: Collection[int]) -> dict[int, Text]:
    """Text and question of some test documents; empty for a private data set."""
    corpus = corpora.load(_place(settings, dataset))
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
