"""A test of every trained model of a study on a data set: from models to tidy tables."""

import argparse
from collections.abc import Callable, Sequence
from functools import partial

import pandas as pd

from stages.engine.grid import Subject, subjects
from stages.engine.local import one_thread, run_all
from stages.settings import paths
from stages.settings.files import replacing
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
    write(run_all(partial(labelled, test), tried, what, most), experiment, study, family)


def write(found: Sequence[Tables], experiment: str, study: str, family: str) -> None:
    """One file for each kind of table, all models in it."""
    with replacing(paths.results(experiment, study, family)) as folder:
        for name in dict.fromkeys(name for tables in found for name in tables):
            tables = [tables[name] for tables in found if name in tables]
            table = pd.concat(tables, ignore_index=True)
            table.to_parquet(folder / f"{name}.parquet", index=False)


def labelled(test: Callable[[Subject], Tables], subject: Subject) -> Tables:
    """The tables of one model, each row saying whose it is."""
    one_thread()
    tables = test(subject)
    for table in tables.values():
        for place, (column, value) in enumerate(subject.about.items()):
            table.insert(place, column, value)
    return tables
