"""A test of every trained model of a study: from models to tidy tables, a folder for each data set.

A data set whose models, test and code are those of its finished tables is not tried again. What is
done of a test that fails or is stopped is kept for the next run in the same way.
"""

import argparse
import shutil
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import pandas as pd

from stages.engine.grid import Subject, subjects
from stages.engine.local import one_thread
from stages.engine.spread import run_all
from stages.nn.storage import digest, read_about
from stages.settings import paths
from stages.settings.analyses import SECTIONS
from stages.settings.code import code_of
from stages.settings.errors import UserError, one_of
from stages.settings.files import read_json, replacing, write_json
from stages.settings.params import Settings, load
from stages.settings.resolved import trial_settings
from stages.settings.studies import StudyName

Tables = dict[str, pd.DataFrame]
MADE_OF = "made-of.json"


@dataclass(frozen=True)
class Trial:
    """One model to be tried, and where its tables are kept until its data set is through."""

    subject: Subject
    place: Path
    version: str  # changes with code, settings, the model and its data


def arguments(about: str | None) -> argparse.Namespace:
    """The study that a test is started for, and which of its data sets."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("study", help="an entry of studies: in params.yaml")
    parser.add_argument("datasets", nargs="*", help="some of those listed for it; all where none")
    return parser.parse_args()


def put_through(
    test: Callable[[Subject], Tables],
    experiment: str,
    given: argparse.Namespace,
    replicas: bool = False,
) -> None:
    """Run the test on every model of the data sets and write one table of each kind for each set.

    Replicas with other seeds are only tried where the test asks for them.
    """
    settings, study = load(), given.study
    listed = _listed(settings, experiment, study, given.datasets)
    waiting: dict[str, list[Trial]] = {}
    for family in given.datasets or listed:
        found = _trials(settings, experiment, study, family)
        tried = [trial for trial in found if replicas or not trial.subject.replica]
        if _record(paths.results(experiment, study, family)) != _version(tried):
            waiting[family] = tried
    jobs, most = list(chain(*waiting.values())), settings.budget.processes
    run_all(partial(_once, test), jobs, f"{experiment} {study}", most, settings.engine, _about)
    for family, tried in waiting.items():
        tables = [_made(trial) for trial in tried]
        _write(tables, paths.results(experiment, study, family), _version(tried))
        shutil.rmtree(paths.partial_results(experiment, study, family), ignore_errors=True)
    if not given.datasets:
        _remove_others(paths.results(experiment, study, ""), listed)


def _listed(
    settings: Settings, experiment: str, study: str, asked: Sequence[str]
) -> tuple[str, ...]:
    """The data sets that params.yaml lists for a study, all of those asked for among them."""
    if study not in settings.studies:
        raise UserError(f"no study '{study}'; allowed: {one_of(settings.studies)}")
    place = f"{SECTIONS[experiment]}: of params.yaml"
    listed = settings.tried(experiment, study)
    if not listed:
        known = one_of(getattr(settings, SECTIONS[experiment]))
        raise UserError(f"{place} lists no data set of {study}; allowed: {known}")
    for name in asked:
        if name not in listed:
            raise UserError(f"{place} lists no {name} of {study}; allowed: {one_of(listed)}")
    return listed


def _trials(settings: Settings, experiment: str, study: StudyName, family: str) -> list[Trial]:
    made_of = [code_of(experiment), trial_settings(settings, experiment, study, family)]
    kept = paths.partial_results(experiment, study, family)
    return [
        Trial(
            subject,
            kept / subject.dataset / subject.cell.name,
            digest([made_of, read_about(subject.folder)]),
        )
        for subject in subjects(settings, study, family, getattr(settings.budget, experiment))
    ]


def save(found: Sequence[Tables], folder: Path) -> None:
    """One file for each kind of table, all models in it."""
    for name in dict.fromkeys(name for tables in found for name in tables):
        tables = [tables[name] for tables in found if name in tables]
        table = pd.concat(tables, ignore_index=True)
        table.to_parquet(folder / f"{name}.parquet", index=False)


def about(subject: Subject) -> dict[str, Any]:
    """What a failure is reported with."""
    cell = subject.cell
    name = f"{subject.study} {subject.dataset} {cell.name}"
    return {"name": name, "settings": cell.settings.model_dump(), "seed": cell.seed}


def _about(trial: Trial) -> dict[str, Any]:
    return about(trial.subject)


def labelled(test: Callable[[Subject], Tables], subject: Subject) -> Tables:
    """The tables of one model, each row saying whose it is."""
    one_thread()
    tables = test(subject)
    for table in tables.values():
        for place, (column, value) in enumerate(subject.about.items()):
            table.insert(place, column, value)
    return tables


def _once(test: Callable[[Subject], Tables], trial: Trial) -> None:
    """Write the tables of one model, unless a run of the same test that was stopped has done so."""
    if _record(trial.place) != trial.version:
        _write([labelled(test, trial.subject)], trial.place, trial.version)


def _made(trial: Trial) -> Tables:
    """The tables of one model, or a refusal if somebody took them away."""
    if _record(trial.place) != trial.version:
        raise UserError(f"{trial.place} was made and is gone; run again, and one run at a time")
    return {path.stem: pd.read_parquet(path) for path in sorted(trial.place.glob("*.parquet"))}


def _write(found: Sequence[Tables], place: Path, version: str) -> None:
    with replacing(place) as folder:
        save(found, folder)
        write_json(folder / MADE_OF, version)


def _version(tried: Sequence[Trial]) -> str:
    """Of all models of a data set."""
    return digest([trial.version for trial in tried])


def _record(place: Path) -> Any:
    """What finished tables say they were made of."""
    note = place / MADE_OF
    return read_json(note) if note.is_file() else None


def _remove_others(results: Path, families: Collection[str]) -> None:
    """Tables of data sets that are no longer asked for."""
    for folder in results.iterdir():
        if folder.is_dir() and folder.name not in families and not folder.name.startswith("."):
            shutil.rmtree(folder)
