"""Test scores of single runs at the budgets of a scale: `python -m tests.validation [study ...]`.

The data of the scale in params.yaml must be prepared (`dvc repro embed`). Prints the core seconds
and the test score of each run beside the score that it should reach at overnight scale. Runs are
jobs of the store, so that `dvc repro` at the same scale does not train them again.
"""

import sys
from dataclasses import dataclass

from stages.engine.jobs import RECORD, Job, run_jobs
from stages.engine.training import train
from stages.engine.training_jobs import jobs_of
from stages.settings.files import read_json
from stages.settings.params import Settings, load


@dataclass(frozen=True)
class Check:
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
]


def job_of(settings: Settings, check: Check) -> Job:
    """The job that trains the run, perhaps with others stacked."""
    groups = settings.studies[check.study].datasets
    group = next(group for group in groups if check.dataset in settings.members(group))
    for job in jobs_of(settings, check.study, [group]):
        names = [(run.dataset, run.name) for run in job.payload.runs]
        if (check.dataset, check.run) in names:
            return job
    raise ValueError(f"{check.study} has no run {check.run} on {check.dataset}")


def main() -> None:
    """One line per run; of all studies, or of those named on the command line."""
    settings = load()
    checks = [check for check in CHECKS if not sys.argv[1:] or check.study in sys.argv[1:]]
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
            f"| {'reached' if score >= check.bar else 'missed'} |"
        )


if __name__ == "__main__":
    main()
