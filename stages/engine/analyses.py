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
from stages.engine.selection import selection
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
JobsOf = Callable[[Settings, str, str], list[Job]]  # of a study and a data set or group


def run_analysis(
    analyse: Analyse,
    analysis: str,
    description: str | None,
    budgets: Sequence[str] = (),
    replicas: bool = False,
    extra: Callable[[Settings, str], Any] | None = None,
) -> None:
    """Run an analysis on a study's runs, those of further seeds only if `replicas` is set.

    `budgets` are further budgets of the scale that it reads, `extra` gives further settings.
    """

    def jobs_of(settings: Settings, study: str, group: str) -> list[Job]:
        section = getattr(settings.analyses, analysis).model_copy(update={"studies": {}})
        more = extra(settings, study) if extra else None
        jobs = []
        for run in trained_runs(settings, study, group, getattr(settings.budget, analysis)):
            if replicas or not run.run.replica:
                within = budgets_of(settings, (analysis, *budgets), run.run)
                jobs.append(_job(analysis, run, Options(section, within, more)))
        return jobs

    run_study(partial(_write, analyse), jobs_of, analysis, description)


def run_study(work: store.Work, jobs_of: JobsOf, analysis: str, description: str | None) -> None:
    """Run the jobs of an analysis and join their tables, one folder for each data set or group."""
    settings = load()
    chosen = selection(description, lambda study: settings.analysed(analysis, study))
    jobs = {group: jobs_of(settings, chosen.study, group) for group in chosen.groups}
    every = [job for some in jobs.values() for job in some]
    store.run_jobs(work, every, f"{analysis} {chosen.study}", settings)
    for group, some in jobs.items():
        with replacing(paths.results(analysis, chosen.study, group)) as folder:
            save_tables([_tables(job) for job in some], folder)
    if chosen.whole:
        remove_others(paths.RESULTS / chosen.study / analysis, chosen.groups)
        store.note_use(f"{analysis}-{chosen.study}", settings, every)


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


def _tables(job: Job) -> Tables:
    return {path.stem: pd.read_parquet(path) for path in sorted(job.folder.glob("*.parquet"))}
