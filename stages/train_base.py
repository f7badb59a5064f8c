"""train-base: every model of one study on one data set (or family) in models/."""

import argparse
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from stages.engine.cells import cells_of
from stages.engine.spread import run_all
from stages.engine.training import WITHOUT_RECURRENCE, Job, grouped, train
from stages.nn.storage import digest, files_digest
from stages.settings import paths
from stages.settings.errors import UserError, one_of, stage
from stages.settings.params import Settings, load
from stages.settings.resolved import granted

TRACE = ("gradient_flow", "gradient_terms", "token_groups", "token_scores", "trace")
CODE = [
    Path(__file__).parent / part
    for part in (
        *("nn", "corpora", "engine/cells.py", "engine/training.py"),
        *(f"importance/{name}.py" for name in TRACE),
    )
]


def jobs_of(given: argparse.Namespace, settings: Settings, name: str) -> list[Job]:
    """The jobs of one data set: each model with its own budget."""
    study = settings.studies[given.study].at(given.family)
    corpus = paths.corpus(given.family, name)
    vectors = given.vectors if name == given.family else given.vectors / name
    data = [corpus / "arrays.npz", corpus / "types.txt"]
    data += [vectors / "vectors.npz"] if study.vectors == "embed" else []
    code_and_data = files_digest(*data, *CODE)
    models = paths.models(given.study, given.family, name)
    jobs = []
    for only, budget in granted(settings, given.study, given.family, name):
        made_of = [only.model_dump(exclude={"models", "for_dataset", "seeds"}), budget.tokens]
        fingerprint = digest([*made_of, settings.seed, code_and_data])
        jobs += [
            Job(
                given.study,
                name,
                only,
                cells,
                settings.seed,
                budget.tokens,
                corpus,
                vectors,
                models,
                fingerprint,
            )
            for cells in grouped(cells_of(only), study.together)
        ]
    return jobs


def chained(jobs: Sequence[Job]) -> list[list[Job]]:
    """Jobs that can run side by side; one that freezes a model's attention follows that model.

    Chains with a recurrent model first, so that no core waits at the end.
    """
    base = {(job.models, job.cells[0].name): [job] for job in jobs}
    for job in jobs:
        cell = job.cells[0]
        first = (job.models, f"{cell.settings.weights_of}+{cell.seed}")
        if first in base:
            base[first] += base.pop((job.models, cell.name))
    return sorted(
        base.values(),
        key=lambda chain: chain[0].cells[0].settings.encoder.kind in WITHOUT_RECURRENCE,
    )


def train_in_turn(jobs: Sequence[Job]) -> None:
    """One job after the other."""
    for job in jobs:
        train(job)


def about(jobs: Sequence[Job]) -> dict[str, Any]:
    """What a failure is reported with."""
    cells = [cell for job in jobs for cell in job.cells]
    return {
        "name": jobs[0].name,
        "cells": {cell.name: cell.settings.model_dump() for cell in cells},
        "training": jobs[0].settings.training.model_dump(),
    }


def main() -> None:
    """Train what is not finished; remove what is no longer asked for."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("study", help="an entry of studies: in params.yaml")
    arguments.add_argument("family", help="an entry of corpora: in params.yaml")
    arguments.add_argument("--vectors", type=Path, required=True, help="what embed made for it")
    given = arguments.parse_args()
    settings = load()
    if given.study not in settings.studies:
        raise UserError(f"no study '{given.study}'; allowed: {one_of(settings.studies)}")
    jobs = [
        job for name in settings.members(given.family) for job in jobs_of(given, settings, name)
    ]
    asked = {job.models / cell.name for job in jobs for cell in job.cells}
    for job in jobs:
        job.models.mkdir(parents=True, exist_ok=True)
    what, most = f"{given.study} {given.family}", settings.budget.processes
    run_all(train_in_turn, chained(jobs), what, most, settings.engine, about)
    for folder in {path for job in jobs for path in job.models.iterdir()} - asked:
        shutil.rmtree(folder)


if __name__ == "__main__":
    stage(main)
