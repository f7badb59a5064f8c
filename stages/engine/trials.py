"""A test of every trained model of a study on a data set: from models to tidy tables.

What is done of a test that fails or is stopped is kept for the next run, if nothing has changed.
"""

import argparse
import shutil
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from stages.engine.cluster import project_version
from stages.engine.grid import Subject, subjects
from stages.engine.local import one_thread
from stages.engine.spread import run_all
from stages.settings import paths
from stages.settings.files import read_json, replacing, write_json
from stages.settings.params import load
from stages.settings.refusal import Refusal, one_of
from stages.settings.studies import StudyName

Tables = dict[str, pd.DataFrame]


def arguments(about: str | None) -> argparse.Namespace:
    """The study and data set that a test is started for."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("study", help="an entry of studies: in params.yaml")
    parser.add_argument("dataset", help="an entry of corpora: in params.yaml")
    return parser.parse_args()


def put_through(
    test: Callable[[Subject], Tables],
    experiment: str,
    study: StudyName,
    family: str,
    processes: int | None = None,
    replicas: bool = False,
) -> None:
    """Run the test on every model and write one table of each kind.

    A test so short that processes would not pay asks for one. Replicas with other seeds are only
    tried where the test asks for them.
    """
    settings = load()
    if study not in settings.studies:
        raise Refusal(f"no study '{study}'; allowed: {one_of(settings.studies)}")
    tried = subjects(settings, study, family, getattr(settings.budget, experiment))
    tried = [subject for subject in tried if replicas or not subject.replica]
    what, most = f"{experiment} {study} {family}", processes or settings.budget.processes
    kept = paths.partial_results(experiment, study, family)
    work = partial(_once, test, kept, project_version(Path.cwd()))
    write(run_all(work, tried, what, most, settings.engine, about), experiment, study, family)
    shutil.rmtree(kept, ignore_errors=True)


def write(found: Sequence[Tables], experiment: str, study: str, family: str) -> None:
    """One file for each kind of table, all models in it."""
    with replacing(paths.results(experiment, study, family)) as folder:
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


def _once(test: Callable[[Subject], Tables], kept: Path, version: str, subject: Subject) -> Tables:
    """The tables of one model, made now or by a run of the same code that was stopped."""
    folder = kept / subject.dataset / subject.cell.name
    made_of = [version, read_json(subject.folder / "model.json")["fingerprint"]]
    note = folder / "made-of.json"
    if not note.is_file() or read_json(note) != made_of:
        with replacing(folder) as fresh:
            for name, table in labelled(test, subject).items():
                table.to_parquet(fresh / f"{name}.parquet", index=False)
            write_json(fresh / note.name, made_of)
    return {path.stem: pd.read_parquet(path) for path in sorted(folder.glob("*.parquet"))}
