"""An analysis of the trained runs of a study: one job per run, one table of each kind per group."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from stages.corpora import corpus as storage
from stages.engine import jobs as store
from stages.engine.code import STAGES
from stages.engine.cost import analysis_cost, sizes_of
from stages.engine.jobs import Job
from stages.engine.selection import Selection, selection
from stages.engine.trained import TrainedRun, trained_runs
from stages.engine.training_jobs import labels, model_files
from stages.settings import paths
from stages.settings.analyses import DocumentBudget
from stages.settings.files import remove_others, replacing
from stages.settings.params import Settings, load
from stages.settings.runs import Run

Tables = dict[str, pd.DataFrame]


@dataclass(frozen=True)
class Options:
    """What an analysis reads from params.yaml beside the runs."""

    section: Any  # of analyses, without its studies
    budgets: dict[str, DocumentBudget]  # of the scale, by name
    extra: Any = None  # whatever else the analysis names


Analyse = Callable[[TrainedRun, Options], Tables]


def run_analysis(
    analyse: Analyse,
    analysis: str,
    description: str | None,
    budgets: Sequence[str] = (),
    replicas: bool = False,
    extra: Callable[[Settings, str, str], Any] | None = None,
) -> None:
    """Run an analysis on a study's runs and write its tables for each data set or group.

    `budgets` are further budgets of the scale that it reads, `extra` gives further settings of a
    study and data set. Runs with other seeds than the first are analysed if `replicas` is set.
    """
    settings = load()
    chosen = selection(description, lambda study: settings.analysed(analysis, study))
    section = getattr(settings.analyses, analysis).model_copy(update={"studies": {}})
    jobs: dict[str, list[Job]] = {group: [] for group in chosen.groups}
    for group in chosen.groups:
        budget = getattr(settings.budget, analysis)
        for run in trained_runs(settings, chosen.study, group, budget):
            if replicas or not run.run.replica:
                within = budgets_of(settings, (analysis, *budgets), run.run)
                more = extra(settings, chosen.study, run.run.dataset) if extra else None
                jobs[group].append(_job(analysis, run, Options(section, within, more)))
    every = [job for some in jobs.values() for job in some]
    store.run_jobs(partial(_write, analyse), every, f"{analysis} {chosen.study}", settings)
    write_results(analysis, chosen, jobs, settings)


def budgets_of(settings: Settings, names: Sequence[str], run: Run) -> dict[str, DocumentBudget]:
    """Budgets of the scale for a run, by name."""
    of = {"dataset": (run.dataset, run.group), "model": (run.model,)}
    return {name: getattr(settings.budget, name).of(**of) for name in names}


def _job(analysis: str, run: TrainedRun, options: Options) -> Job:
    return Job(
        " ".join((analysis, *run.names)),
        (run, options),
        (*storage.files(run.corpus_folder), run.folder),
        (STAGES / f"{analysis}.py", *model_files(run.run.settings)),
        labels(analysis, run.run),
        analysis_cost(analysis, run.run, options.budgets, sizes_of(run.corpus_folder)).seconds,
    )


def _write(analyse: Analyse, payload: tuple[TrainedRun, Options], folder: Path) -> None:
    """The tables of one run, each row with the columns that identify the run."""
    run, options = payload
    save_tables([with_keys(analyse(run, options), run)], folder)


def with_keys(tables: Tables, run: TrainedRun) -> Tables:
    """The tables with the run's identifying columns first."""
    for table in tables.values():
        for place, (column, value) in enumerate(run.keys.items()):
            table.insert(place, column, value)
    return tables


def save_tables(tables: Sequence[Tables], folder: Path) -> None:
    """One file for each kind of table."""
    for name in dict.fromkeys(name for some in tables for name in some):
        joined = pd.concat([some[name] for some in tables if name in some], ignore_index=True)
        joined.to_parquet(folder / f"{name}.parquet", index=False)


def write_results(
    analysis: str, chosen: Selection, jobs: dict[str, list[Job]], settings: Settings
) -> None:
    """Join the tables of finished jobs, one folder for each data set or group."""
    for group, some in jobs.items():
        with replacing(paths.results(analysis, chosen.study, group)) as folder:
            save_tables([_tables(job) for job in some], folder)
    if chosen.whole:
        remove_others(paths.RESULTS / chosen.study / analysis, chosen.groups)
        used = [job for some in jobs.values() for job in some]
        store.note_use(f"{analysis}-{chosen.study}", settings, used)


def _tables(job: Job) -> Tables:
    return {path.stem: pd.read_parquet(path) for path in sorted(job.folder.glob("*.parquet"))}
