"""retrain: adversaries trained from scratch against the models of a study (AtteFa)."""

import argparse
from functools import partial

import pandas as pd

from stages.corpora.vocabulary import PADDING
from stages.counterfactual.retrained_tables import base_table
from stages.engine.grid import Subject
from stages.engine.retraining import about_job, bases_of, jobs_of, opposed
from stages.engine.spread import run_all
from stages.engine.trials import about, labelled, save
from stages.settings import paths
from stages.settings.errors import UserError, one_of, stage
from stages.settings.files import replacing
from stages.settings.params import load


def looked(subject: Subject) -> dict[str, pd.DataFrame]:
    """Where one base looks on test."""
    source = load().datasets[subject.dataset].source
    model, reader = subject.opened()
    filler = None
    if source.reader == "mock":
        words = subject.known().words
        # a set without a filler word has weight on telling words only, and none on padding
        filler = words.index(source.filler) if source.filler in words else PADDING
    return {"bases": base_table(model, reader, filler)}


def main() -> None:
    """All models of an entry of retrains."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("study", help="an entry of studies: in params.yaml")
    arguments.add_argument("dataset", help="an entry of corpora: in params.yaml")
    given, settings = arguments.parse_args(), load()
    wanted = [
        cell
        for cell in settings.retrains.values()
        if (cell.study, cell.dataset) == (given.study, given.dataset)
    ]
    if not wanted:
        known = one_of(f"{c.study} {c.dataset}" for c in settings.retrains.values())
        raise UserError(f"no retraining of {given.study} on {given.dataset}; allowed: {known}")
    what, most = f"retrain {given.study} {given.dataset}", settings.budget.processes
    found = run_all(opposed, jobs_of(settings, wanted[0]), what, most, settings.engine, about_job)
    bases = bases_of(settings, wanted[0])
    found += run_all(partial(labelled, looked), bases, what, most, settings.engine, about)
    with replacing(paths.results("retrain", given.study, given.dataset)) as folder:
        save(found, folder)


if __name__ == "__main__":
    stage(main)
