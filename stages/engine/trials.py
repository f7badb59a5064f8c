"""A test of every trained model of a study on a data set: from models to tidy tables."""

import argparse
from collections.abc import Callable
from functools import partial

import pandas as pd

from stages.engine.grid import Subject, subjects
from stages.engine.local import one_thread, run_all
from stages.settings import paths
from stages.settings.files import replacing
from stages.settings.params import load
from stages.settings.refusal import Refusal, one_of

Tables = dict[str, pd.DataFrame]


def arguments(about: str | None) -> argparse.Namespace:
    """The study and data set that a test is started for."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("study", help="an entry of studies: in params.yaml")
    parser.add_argument("dataset", help="an entry of corpora: in params.yaml")
    return parser.parse_args()


def put_through(
    test: Callable[[Subject], Tables], experiment: str, study: str, family: str
) -> None:
    """Run the test on every model and write one table of each kind."""
    settings = load()
    if study not in settings.studies:
        raise Refusal(f"no study '{study}'; allowed: {one_of(settings.studies)}")
    tried = subjects(settings, study, family, getattr(settings.budget, experiment))
    one_thread()
    what = f"{experiment} {study} {family}"
    found = run_all(
        partial(_labelled, test), tried, what, settings.budget.processes, backend="threading"
    )
    with replacing(paths.results(experiment, study, family)) as folder:
        for name in found[0]:
            table = pd.concat([tables[name] for tables in found], ignore_index=True)
            table.to_parquet(folder / f"{name}.parquet", index=False)


def _labelled(test: Callable[[Subject], Tables], subject: Subject) -> Tables:
    """The tables of one model, each row saying whose it is."""
    tables = test(subject)
    for table in tables.values():
        for place, (column, value) in enumerate(subject.about.items()):
            table.insert(place, column, value)
    return tables
