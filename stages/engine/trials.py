"""A test of every trained model of a study: from models to tidy tables, a folder for each data set.

A data set whose models, test and code are those of its finished tables is not tried again. What is
done of a test that fails or is stopped is kept for the next run in the same way.
"""

import argparse
import shutil
from collections.abc import Callable, Collection, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import pandas as pd

from stages.engine.grid import Subject, subjects
from stages.engine.local import one_thread
from stages.engine.spread import run_all
from stages.nn.storage import described, digest
from stages.settings import paths
from stages.settings.code import code_of
from stages.settings.files import read_json, replacing, write_json
from stages.settings.params import load
from stages.settings.refusal import Refusal, one_of
from stages.settings.resolved import trial_settings
from stages.settings.trials import SECTIONS

Tables = dict[str, pd.DataFrame]
MADE_OF = "made-of.json"


def arguments(about: str | None) -> argparse.Namespace:
    """The study that a test is started for, and which of its data sets."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("study", help="an entry of studies: in params.yaml")
    parser.add_argument("datasets", nargs="*", help="entries of corpora:; all listed where none is")
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
    if study not in settings.studies:
        raise Refusal(f"no study '{study}'; allowed: {one_of(settings.studies)}")
    families = given.datasets or settings.tried(experiment, study)
    if not families:
        listed = f"{SECTIONS[experiment]}: in params.yaml"
        raise Refusal(f"{study} has no data set in {listed}; allowed: one that is named here")
    made_of = [code_of(experiment), trial_settings(settings, experiment, study)]
    waiting: dict[str, list[Subject]] = {}
    for family in families:
        found = subjects(settings, study, family, getattr(settings.budget, experiment))
        tried = [subject for subject in found if replicas or not subject.replica]
        if _record(paths.results(experiment, study, family)) != _version(made_of, *tried):
            waiting[family] = tried
    kept = paths.partial_results(experiment, study)
    work = partial(_once, test, kept, made_of)
    jobs, most = list(chain(*waiting.values())), settings.budget.processes
    run_all(work, jobs, f"{experiment} {study}", most, settings.engine, about)
    for family, tried in waiting.items():
        tables = [_tables(_place(kept, subject)) for subject in tried]
        _write(tables, paths.results(experiment, study, family), _version(made_of, *tried))
    shutil.rmtree(kept, ignore_errors=True)
    if not given.datasets:
        _remove_others(paths.results(experiment, study, ""), families)


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


def labelled(test: Callable[[Subject], Tables], subject: Subject) -> Tables:
    """The tables of one model, each row saying whose it is."""
    one_thread()
    tables = test(subject)
    for table in tables.values():
        for place, (column, value) in enumerate(subject.about.items()):
            table.insert(place, column, value)
    return tables


def _once(
    test: Callable[[Subject], Tables], kept: Path, made_of: list[Any], subject: Subject
) -> None:
    """Write the tables of one model, unless a run of the same test that was stopped has done so."""
    place, version = _place(kept, subject), _version(made_of, subject)
    if _record(place) != version:
        _write([labelled(test, subject)], place, version)


def _write(found: Sequence[Tables], place: Path, version: str) -> None:
    with replacing(place) as folder:
        save(found, folder)
        write_json(folder / MADE_OF, version)


def _remove_others(results: Path, families: Collection[str]) -> None:
    """Tables of data sets that are no longer asked for."""
    for folder in results.iterdir():
        if folder.name not in families:
            shutil.rmtree(folder)


def _place(kept: Path, subject: Subject) -> Path:
    return kept / subject.dataset / subject.cell.name


def _version(made_of: list[Any], *tried: Subject) -> str:
    """Changes with code, settings, models and their data."""
    return digest([made_of, [described(subject.folder)["fingerprint"] for subject in tried]])


def _record(place: Path) -> Any:
    """What finished tables say they were made of."""
    note = place / MADE_OF
    return read_json(note) if note.is_file() else None


def _tables(place: Path) -> Tables:
    return {path.stem: pd.read_parquet(path) for path in sorted(place.glob("*.parquet"))}
