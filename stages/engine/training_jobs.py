"""The training jobs of a study and what each depends on."""

from collections.abc import Sequence
from itertools import chain
from pathlib import Path

from stages.corpora import corpus as storage
from stages.engine.code import STAGES
from stages.engine.cost import sizes_of, training_cost
from stages.engine.jobs import Job
from stages.engine.training import TrainingJob, stacks
from stages.settings import paths
from stages.settings.params import Settings
from stages.settings.runs import Run, runs_of
from stages.settings.studies import Model, Study

CODE = STAGES / "engine" / "training.py"


def jobs_of(settings: Settings, study_name: str, groups: Sequence[str]) -> list[Job]:
    """One job for each run or stack of runs.

    Runs with frozen attention come last; they read the result of the job that trains their base.
    """
    study = settings.study(study_name)
    runs = list(chain.from_iterable(runs_of(settings, study_name, group) for group in groups))
    stacked = stacks(runs, study.stacked)
    jobs: list[Job] = []
    by_run: dict[tuple[str, str], Job] = {}
    for some in sorted(stacked, key=lambda some: some[0].settings.weights_of is not None):
        first, base = some[0], None
        if first.settings.weights_of is not None:
            name = f"{first.settings.weights_of}+{first.seed}"
            base = by_run[first.dataset, name].folder / name
        jobs.append(_job(settings, some, base))
        by_run |= {(first.dataset, run.name): jobs[-1] for run in some}
    return jobs


def _job(settings: Settings, runs: tuple[Run, ...], base: Path | None) -> Job:
    first = runs[0]
    study = settings.studies[first.study]
    corpus, vectors = paths.corpus(first.dataset), paths.vectors(first.dataset)
    files, drawn = storage.files(corpus), None
    if study.vectors == "embed":
        files.append(vectors / "vectors.npz")
    elif study.dimension and study.spread:
        drawn = (study.dimension, study.spread)
    payload = TrainingJob(
        runs,
        settings.seed,
        corpus,
        vectors,
        select_on(first, study),
        study.add_boundary_tokens,
        study.vocabulary == "all types",
        drawn,
        study.groups if first.training.traced else None,
        base,
    )
    return Job(
        payload.name,
        payload,
        tuple(files),
        (CODE, *model_files(first.settings)),
        labels("train_base", first, len(runs)),
        training_cost(runs, payload.select_on, sizes_of(corpus)).seconds,
    )


def corpus_and_vectors(dataset: str) -> list[Path]:
    """The files of a data set that analyses of trained runs need."""
    folder = paths.corpus(dataset)
    vectors = paths.vectors(dataset) / "vectors.npz"
    return [*storage.files(folder), folder / "stats.json", vectors]


def model_files(model: Model) -> list[Path]:
    """The code of the parts that a model is built from."""
    parts = {
        "encoders": model.encoder.kind,
        "scores": model.score.kind,
        "projections": model.projection.kind,
        "heads": model.head.kind,
    }
    parts_folder = STAGES / "nn"
    files = [parts_folder / folder / f"{kind}.py" for folder, kind in parts.items()]
    return [*files, parts_folder / "heads" / "pair.py"]


def select_on(run: Run, study: Study) -> str:
    """The split that selects the epoch of a run."""
    return run.training.select_on or study.select_on


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
