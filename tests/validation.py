"""Test scores of single runs at the budgets of a scale: `python -m tests.validation [name ...]`.

Names are those of studies or data sets; without any, all runs below are trained.

The data of the scale in params.yaml must be prepared (`dvc repro embed`). Prints the core seconds
and the test score of each run beside the score that it should reach at overnight scale, then the
adversaries against some of these runs. Everything is a job of the store, so that `dvc repro` at
the same scale does not run it again.
"""

import sys
from dataclasses import replace
from typing import NamedTuple

import pandas as pd

from stages.engine import retrain_jobs
from stages.engine.jobs import RECORD, Job, run_jobs
from stages.engine.training import train
from stages.engine.training_jobs import jobs_of
from stages.retrain import work
from stages.settings.files import read_json
from stages.settings.params import Settings, load


class Check(NamedTuple):
    """A run and the score it should reach."""

    study: str
    dataset: str
    run: str
    metric: str  # accuracy, or f1 of the second of two classes
    bar: float


JW, SS, SL, ME, AK = "jain-wallace", "serrano-smith", "sun-lu", "meister", "amini-kosseim"
CHECKS = [
    Check(JW, "imdb", "bilstm-additive+1", "f1", 0.87),
    Check(JW, "rotten-tomatoes", "bilstm-additive+1", "accuracy", 0.79),
    Check(JW, "newsgroups-sports", "bilstm-additive+1", "f1", 0.93),
    Check(JW, "snli", "bilstm-additive+1", "accuracy", 0.68),
    Check(JW, "babi-1", "bilstm-additive+1", "accuracy", 0.99),
    Check(JW, "babi-2", "bilstm-additive+1", "accuracy", 0.45),
    Check(JW, "babi-3", "bilstm-additive+1", "accuracy", 0.45),
    Check(SS, "yahoo-answers", "han-rnn+1", "accuracy", 0.57),
    Check(SS, "yahoo-answers", "flan-rnn+1", "accuracy", 0.57),
    Check(SS, "amazon-boxes", "flan-rnn+1", "accuracy", 0.45),
    Check(SS, "rent-the-runway", "flan-rnn+1", "accuracy", 0.45),
    Check(SS, "complaints", "flan-rnn+1", "accuracy", 0.75),
    Check(SL, "rotten-tomatoes", "dp@10+1", "accuracy", 0.75),
    Check(SL, "rotten-tomatoes", "dp@100+1", "accuracy", 0.75),
    Check(SL, "rotten-tomatoes", "dp-l@10+1", "accuracy", 0.75),
    Check(ME, "rotten-tomatoes", "bilstm-softmax+1", "accuracy", 0.76),
    Check(ME, "rotten-tomatoes", "transformer-softmax+1", "accuracy", 0.65),
    Check(AK, "mock-5", "lstm+1", "f1", 0.97),
    Check(AK, "mock-5", "mlp+1", "f1", 0.97),
    Check(AK, "mock-1", "lstm+1", "f1", 0.95),
    Check(AK, "rotten-tomatoes", "lstm+1", "f1", 0.76),
    Check(AK, "imdb", "lstm+1", "f1", 0.85),
]

# data set and model whose first run an adversary of the published procedure is trained against
OPPOSED = [("mock-1", "lstm"), ("mock-5", "lstm"), ("rotten-tomatoes", "lstm"), ("imdb", "lstm")]


def group_of(settings: Settings, study: str, dataset: str) -> str:
    """The entry of the study's data sets that stands for a data set."""
    groups = settings.studies[study].datasets
    return next(group for group in groups if dataset in settings.members(group))


def job_of(settings: Settings, check: Check) -> Job:
    """The job that trains the run, perhaps with others stacked."""
    group = group_of(settings, check.study, check.dataset)
    for job in jobs_of(settings, check.study, [group]):
        names = [(run.dataset, run.name) for run in job.payload.runs]
        if (check.dataset, check.run) in names:
            return job
    raise ValueError(f"{check.study} has no run {check.run} on {check.dataset}")


def adversary_job(settings: Settings, base_job: Job, dataset: str, model: str) -> Job:
    """The job that trains the first adversary against a run that `base_job` has trained."""
    group = group_of(settings, AK, dataset)
    for opposition in retrain_jobs.oppositions(settings, AK, group):
        base, number = opposition.pairs[0]
        named = (base.run.dataset, base.run.model, opposition.name, base.run.seed)
        if named == (dataset, model, "published", 1):
            trained = replace(base, folder=base_job.folder / base.run.name)
            return retrain_jobs.job_of(replace(opposition, pairs=((trained, number),)))
    raise ValueError(f"{model} on {dataset} has no adversary")


def train_runs(settings: Settings, checks: list[Check]) -> dict[Check, Job]:
    """Train the runs and print one line for each."""
    jobs = {check: job_of(settings, check) for check in checks}
    distinct = {job.key: job for job in jobs.values()}
    run_jobs(train, list(distinct.values()), "validation", settings)
    print("| study | data set | run | train | epoch | core seconds | test score | bar | |")
    print("|---|---|---|---|---|---|---|---|---|")
    for check, job in jobs.items():
        about = read_json(job.folder / check.run / "model.json")
        seconds = read_json(job.folder / RECORD)["cpu_seconds"]
        runs = f" for {len(job.payload.runs)} runs" if len(job.payload.runs) > 1 else ""
        score = about["scores"]["test"][check.metric]
        epochs = f"{about['best_epoch']} of {about['training']['epochs']}"
        print(
            f"| {check.study} | {check.dataset} | {check.run} | {about['train_documents']} "
            f"| {epochs} | {seconds:,.0f}{runs} | {check.metric} {score:.3f} | {check.bar} "
            f"| {'reached' if score >= check.bar else 'missed'} |",
            flush=True,
        )
    return jobs


def train_adversaries(settings: Settings, trained: dict[Check, Job]) -> None:
    """Train one adversary against each of some runs and print one line for each."""
    bases = {check[:3]: job for check, job in trained.items()}
    jobs = {
        (dataset, model): adversary_job(settings, base, dataset, model)
        for dataset, model in OPPOSED
        if (base := bases.get((AK, dataset, f"{model}+1")))
    }
    if not jobs:
        return
    run_jobs(work, list(jobs.values()), "validation", settings)
    print("\n| data set | base | train | epoch | core seconds | AtteFa | sTVD | sJSD |")
    print("|---|---|---|---|---|---|---|---|")
    for (dataset, model), job in jobs.items():
        table = pd.read_parquet(job.folder / "runs.parquet")
        row = table[table["selected_on"] == "dev"].iloc[0]
        seconds = read_json(job.folder / RECORD)["cpu_seconds"]
        print(
            f"| {dataset} | {model} | {row.train_documents} | {row.epoch} of {row.epochs} "
            f"| {seconds:,.0f} | {row.attefa:.3f} | {row.stvd:.3f} | {row.sjsd:.3f} |"
        )


def main() -> None:
    """The runs of all studies, or of those studies and data sets that the command line names."""
    settings = load()
    names = set(sys.argv[1:])
    checks = [check for check in CHECKS if not names or names & {check.study, check.dataset}]
    train_adversaries(settings, train_runs(settings, checks))


if __name__ == "__main__":
    main()
