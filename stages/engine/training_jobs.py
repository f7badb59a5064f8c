"""The training jobs of a study and what each depends on."""

from collections.abc import Sequence
from itertools import chain
from pathlib import Path

from stages.corpora import corpus as storage
from stages.engine.code import STAGES, part_files
from stages.engine.cost import sizes_of, training_cost
from stages.engine.jobs import Job
from stages.engine.training import TrainingJob, stacks
from stages.settings import paths
from stages.settings.params import Settings
from stages.settings.runs import Run, runs_of
from stages.settings.studies import Model

# keys of a study that training reads, beside its models and training
STUDY_KEYS = {"select_on", "add_boundary_tokens", "vocabulary", "vectors", "dimension", "spread"}
CODE = STAGES / "engine" / "training.py"


def jobs_of(settings: Settings, study_name: str, groups: Sequence[str]) -> list[Job]:
    """One job for each run or stack of runs.

    A run with frozen attention depends on the job that trains its base.
    """
    study = settings.study(study_name)
    runs = list(chain.from_iterable(runs_of(settings, study_name, group) for group in groups))
    stacked = stacks(runs, study.stacked)
    jobs = [_job(settings, some) for some in stacked if some[0].settings.weights_of is None]
    by_run = {(run.dataset, run.name): job for job in jobs for run in job.payload.runs}
    for some in stacked:
        base = some[0].settings.weights_of
        if base is not None:
            jobs.append(_job(settings, some, by_run[some[0].dataset, f"{base}+{some[0].seed}"]))
    return jobs


def _job(settings: Settings, runs: tuple[Run, ...], base: Job | None = None) -> Job:
    first = runs[0]
    study = settings.studies[first.study]
    vectors = paths.vectors(first.dataset)
    files = storage.files(paths.corpus(first.dataset))
    if study.vectors == "embed":
        files.append(vectors / "vectors.npz")
    values = {
        "seed": settings.seed,
        "study": study.model_dump(include=STUDY_KEYS),
        "groups": study.groups.model_dump() if study.groups and first.training.traced else None,
        "training": first.training.model_dump(),
        "tokens": first.tokens,
        "runs": [[run.study, run.dataset, run.name, run.settings.model_dump()] for run in runs],
    }
    payload = TrainingJob(
        runs,
        study,
        settings.seed,
        paths.corpus(first.dataset),
        vectors,
        base.folder / f"{first.settings.weights_of}+{first.seed}" if base else None,
    )
    return Job(
        payload.name,
        payload,
        values,
        tuple(files),
        (CODE, *model_files(first.settings)),
        (base.key,) if base else (),
        labels("train_base", first, len(runs)),
        training_cost(runs, payload.select_on, sizes_of(payload.corpus)).seconds,
    )


def corpus_and_vectors(dataset: str) -> list[Path]:
    """The files of a data set that analyses of trained runs need."""
    folder = paths.corpus(dataset)
    vectors = paths.vectors(dataset) / "vectors.npz"
    return [*storage.files(folder), folder / "stats.json", vectors]


def model_files(model: Model) -> list[Path]:
    """The code of the parts that a model is built from."""
    parts = {
        "encoders": model.encoder,
        "scores": model.score,
        "projections": model.projection,
        "heads": model.head,
    }
    return part_files([*((folder, part.kind) for folder, part in parts.items()), ("heads", "pair")])


def labels(stage: str, run: Run, runs: int = 1) -> dict[str, str | int]:
    """How the record of a job describes its runs, for the plan."""
    return {
        "stage": stage,
        "study": run.study,
        "dataset": run.dataset,
        "architecture": run.settings.architecture,
        "encoder": run.settings.encoder.kind,
        "runs": runs,
    }
