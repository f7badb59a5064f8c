"""One retraining job from trained bases to tidy tables: one adversary, or many at once."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch

from stages.corpora.batching import Reader
from stages.counterfactual.objectives import Objective
from stages.counterfactual.retrained import AdversaryRun, SingleAdversary, answers, retrained
from stages.counterfactual.retrained_stacked import StackedAdversaries, applies
from stages.counterfactual.retrained_tables import course_rows, document_rows, run_rows
from stages.engine.grid import Subject, subjects
from stages.engine.local import one_thread
from stages.engine.teaching import Lesson, taught
from stages.engine.training import WITHOUT_RECURRENCE
from stages.nn import storage
from stages.nn.attention import AttentionModel
from stages.nn.build import build
from stages.settings.analyses import DocumentBudget
from stages.settings.errors import UserError
from stages.settings.params import Settings
from stages.settings.resolved import granted
from stages.settings.retraining import Procedure, RetrainBudget, RetrainCell
from stages.settings.seeds import entropy, generator
from stages.settings.studies import Training

Tables = dict[str, pd.DataFrame]


@dataclass(frozen=True)
class Job:
    """Adversaries of one procedure against bases of one model on one data set."""

    pairs: tuple[tuple[Subject, int], ...]  # a base and the number of an adversary against it
    name: str  # of the procedure
    procedure: Procedure
    strength: float | None
    training: Training
    budget: RetrainBudget
    vectors: Path
    shake: float
    collapsed: float
    lesson: Lesson | None = None

    @property
    def title(self) -> str:
        """For messages."""
        subject = self.pairs[0][0]
        return f"{subject.study} {subject.dataset} {subject.cell.model} {self.name}"


def jobs_of(settings: Settings, cell: RetrainCell) -> list[Job]:
    """All jobs of a study on a data set or family, the slow ones first."""
    found = list(_jobs(settings, cell))
    return sorted(found, key=lambda job: _context_free(job.pairs[0][0]))


def _context_free(subject: Subject) -> bool:
    settings = subject.cell.settings
    return settings.encoder.kind in WITHOUT_RECURRENCE and settings.projection.kind == "softmax"


def bases_of(settings: Settings, cell: RetrainCell) -> list[Subject]:
    """The trained models that are opposed."""
    found = subjects(
        settings, cell.study, cell.dataset, DocumentBudget(instances=None, tokens=None)
    )
    wanted = [base for base in found if not cell.models or base.cell.model in cell.models]
    for base in wanted:
        if base.cell.settings.architecture == "hierarchical":
            raise UserError(f"retrains: {base.cell.model} is hierarchical; allowed: flat models")
        if settings.datasets[base.dataset].is_pair:
            raise UserError(f"retrains: {base.dataset} holds pairs; allowed: texts to classify")
    kept = []
    for base in wanted:
        model = base.cell.model
        seeds = [b.cell.seed for b in wanted if (b.dataset, b.cell.model) == (base.dataset, model)]
        budget = _budget(settings, cell, base, "")
        if base.cell.seed in list(dict.fromkeys(seeds))[: budget.bases]:
            bounds = DocumentBudget(instances=budget.instances, tokens=budget.tokens)
            kept.append(replace(base, budget=bounds))
    return kept


def _budget(settings: Settings, cell: RetrainCell, base: Subject, procedure: str) -> RetrainBudget:
    family, name, model = cell.dataset, base.dataset, base.cell.model
    names = (family, name, model, f"{family}/{model}", f"{name}/{model}", procedure)
    return settings.budget.retrain.of(*names)


def _jobs(settings: Settings, cell: RetrainCell) -> Iterator[Job]:
    bases = bases_of(settings, cell)
    for name in cell.procedures:
        procedure = settings.retrain.procedures[name]
        groups: dict[tuple[str, str, float | None], list[Subject]] = {}
        for base in bases:
            if not procedure.only or base.cell.model in procedure.only:
                key = (base.dataset, base.cell.model, base.cell.value)
                groups.setdefault(key, []).append(base)
        for group in groups.values():
            budget = _budget(settings, cell, group[0], name)
            seeds = list(dict.fromkeys(base.cell.seed for base in group))[: budget.bases]
            chosen = [base for base in group if base.cell.seed in seeds]
            pairs = [(base, k) for base in chosen for k in range(1, budget.adversaries + 1)]
            apart = cell.taught is not None or not _context_free(group[0])
            joint = [(pair,) for pair in pairs] if apart else [tuple(pairs)]
            for strength in procedure.strengths or (None,):
                for some in joint:
                    yield Job(
                        some,
                        name,
                        procedure,
                        strength,
                        _training(settings, cell, group[0], procedure, budget),
                        budget,
                        _vectors(cell, group[0]),
                        settings.retrain.shake,
                        settings.retrain.collapsed,
                        _lesson(settings, cell, some, name),
                    )


def _vectors(cell: RetrainCell, base: Subject) -> Path:
    folder = Path(cell.vectors)
    return (folder if base.dataset == cell.dataset else folder / base.dataset) / "vectors.npz"


def _training(
    settings: Settings,
    cell: RetrainCell,
    base: Subject,
    procedure: Procedure,
    budget: RetrainBudget,
) -> Training:
    """As the base was trained, for as long and as fast as procedure and scale say."""
    models = granted(settings, cell.study, cell.dataset, base.dataset)
    (given,) = (only.training for only, _ in models if base.cell.model in only.models)
    return given.model_copy(
        update={
            "epochs": min(filter(None, (procedure.epochs, budget.epochs))),
            "learning_rate": budget.learning_rate or procedure.learning_rate,
            "batch": budget.batch or given.batch,
        }
    )


def _lesson(
    settings: Settings, cell: RetrainCell, pairs: tuple[tuple[Subject, int], ...], procedure: str
) -> Lesson | None:
    """What the first adversary of a base, by the first procedure, teaches, if anything."""
    base, number = pairs[0]
    if cell.taught is None or number > 1 or procedure != cell.procedures[0]:
        return None
    models = granted(settings, cell.study, cell.dataset, base.dataset)
    (found,) = ((only, budget) for only, budget in models if cell.taught in only.models)
    return Lesson(found[0].models[cell.taught], found[0].training, found[1].tokens)


def about_job(job: Job) -> dict[str, Any]:
    """What a failure is reported with."""
    base = job.pairs[0][0]
    name = f"{base.study} {base.dataset} {base.cell.name} {job.name}"
    return {"name": name, "settings": job.training.model_dump(), "strength": job.strength}


def opposed(job: Job) -> Tables:
    """Train the adversaries and say what became of them."""
    one_thread()
    subjects_, numbers = zip(*job.pairs, strict=True)
    first = subjects_[0]
    corpus = first.known()
    loaded = {base.cell.name: storage.load(base.folder, corpus) for base in subjects_}
    bases = [loaded[base.cell.name].requires_grad_(False) for base in subjects_]
    everything = DocumentBudget(instances=job.budget.documents, tokens=None)
    readers = {"train": first.reader("train", everything)}
    readers |= {split: first.reader(split, first.budget) for split in ("dev", "test")}
    models = [_adversary(job, base, k, bases[i]) for i, (base, k) in enumerate(job.pairs)]
    runs = _trained(job, models, bases, readers)
    tables: dict[str, list[pd.DataFrame]] = {"runs": [], "instances": [], "course": []}
    for subject, number, base, run in zip(subjects_, numbers, bases, runs, strict=True):
        keys = {
            **subject.about,
            "procedure": job.name,
            "strength": np.nan if job.strength is None else job.strength,
            "adversary": number,
        }
        reader, said = (
            readers["test"],
            answers(base, readers["test"]).probabilities.double().numpy(),
        )
        for name, rows in (
            ("runs", run_rows(run, reader, said, job.collapsed)),
            ("instances", document_rows(run, reader, said)),
            ("course", course_rows(run)),
        ):
            tables[name].append(pd.concat([pd.DataFrame([keys] * len(rows)), rows], axis=1))
    joined = {name: pd.concat(found, ignore_index=True) for name, found in tables.items()}
    if job.lesson is None:
        return joined
    models[0].load_state_dict(runs[0].best["dev"].weights)
    return joined | {"taught": taught(job.lesson, first, bases[0], models[0], job.vectors)}


def _adversary(job: Job, base: Subject, number: int, own: AttentionModel) -> AttentionModel:
    """The same architecture, drawn anew or started from the base's weights, a little shaken."""
    names = (base.study, base.dataset, base.cell.name, job.name, str(job.strength), str(number))
    torch.manual_seed(entropy(base.seed, *names))
    corpus = base.known()
    with np.load(job.vectors, allow_pickle=False) as arrays:
        vectors = arrays["vectors"]
    if len(vectors) != corpus.vocabulary_size:
        raise UserError(
            f"{job.vectors} has {len(vectors)} rows, the corpus {corpus.name} knows "
            f"{corpus.vocabulary_size} words; run embed again"
        )
    model = build(base.cell.settings, vectors, len(corpus.labels), False)
    if job.procedure.start == "base":
        model.load_state_dict(own.state_dict())
        with torch.no_grad():
            for name, value in model.named_parameters():
                if "embedding" not in name and value.numel() > 1:
                    value.add_(job.shake * value.std() * torch.randn_like(value))
    return model


def _trained(
    job: Job,
    models: list[AttentionModel],
    bases: list[AttentionModel],
    readers: dict[str, Reader],
) -> list[AdversaryRun]:
    subject, number = job.pairs[0]
    sparse = subject.cell.settings.projection.kind != "softmax"
    objective = Objective(job.procedure.loss, job.strength or 1.0, sparse)
    which = str(number) if len(job.pairs) == 1 else "together"
    names = (subject.study, subject.dataset, subject.cell.name, job.name, str(job.strength), which)
    draw = generator(subject.seed, *names, "batches")
    limits = (job.training.epochs, job.procedure.patience, draw, job.procedure.hold)
    if applies(bases[0]) and job.lesson is None:  # a lesson needs every word's vector
        stacked = StackedAdversaries(job.title, models, bases, readers, job.training, objective)
        return retrained(stacked, *limits)
    fixed = {split: answers(bases[0], reader) for split, reader in readers.items()}
    single = SingleAdversary(job.title, models[0], readers, fixed, job.training, objective)
    runs = retrained(single, *limits)
    single.steps.close()
    return runs
