"""Reads the outputs of earlier stages: results, trained models, corpora."""

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from stages.corpora import corpus as corpora
from stages.corpora.corpus import Corpus
from stages.papers.jain_wallace.examples import Text
from stages.papers.panels import no_runs
from stages.papers.scores import run_row
from stages.settings import paths
from stages.settings.files import read_json
from stages.settings.params import Settings
from stages.settings.studies import StudyName


def joined(experiment: str, study: str, families: Iterable[str], name: str) -> pd.DataFrame:
    """One table of an analysis, over all data sets it ran on."""
    return pd.concat(
        [
            pd.read_parquet(paths.results(experiment, study, family) / f"{name}.parquet")
            for family in families
        ],
        ignore_index=True,
    )


def retrained(settings: Settings, study: StudyName, name: str) -> pd.DataFrame:
    """One table of the retrained adversaries of a study; empty where there are none."""
    families = [cell.dataset for cell in settings.retrains.values() if cell.study == study]
    written = [
        family
        for family in families
        if (paths.results("retrain", study, family) / f"{name}.parquet").is_file()
    ]
    return joined("retrain", study, written, name) if written else no_runs()


def folders(settings: Settings, study: StudyName) -> list[tuple[Path, dict[str, Any]]]:
    """Folder and model.json of every trained model."""
    places = [
        paths.models(study, cell.dataset, name)
        for cell in settings.cells.values()
        if cell.study == study
        for name in settings.members(cell.dataset)
    ]
    return [
        (about.parent, read_json(about))
        for place in places
        for about in sorted(place.glob("*/model.json"))
    ]


def models(settings: Settings, study: StudyName) -> list[dict[str, Any]]:
    """model.json of every trained model of a study."""
    return [about for _, about in folders(settings, study)]


def traces(settings: Settings, study: StudyName) -> pd.DataFrame:
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
    family = next(family for family, names in settings.families.items() if dataset in names)
    return paths.corpus(family, dataset)


def stands_for(settings: Settings) -> dict[str, str]:
    """The `stands_for` text of each data set."""
    return {name: data.stands_for for name, data in settings.datasets.items()}


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


def report_folder(study: str) -> Path:
    """reports/<study> with its folders of tables and figures."""
    folder = paths.REPORTS / study
    for name in ("tables", "figures"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    return folder
