"""One retraining job from trained bases to tidy tables: one adversary, or several."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import torch

from stages.corpora.batching import Reader
from stages.corpora.vocabulary import PADDING
from stages.counterfactual.objectives import Objective
from stages.counterfactual.retrained import Adversary, AdversaryRun, retrained
from stages.counterfactual.retrained_tables import base_table, document_rows, run_rows
from stages.engine.analyses import Tables, with_keys
from stages.engine.guided import guided_predictions
from stages.engine.trained import TrainedRun
from stages.engine.training import pretrained_vectors
from stages.nn import storage
from stages.nn.attention import AttentionModel
from stages.nn.build import build
from stages.nn.prediction import answers
from stages.settings.analyses import Procedure, Retrain
from stages.settings.runs import Run
from stages.settings.seeds import entropy, generator
from stages.settings.studies import Training


@dataclass(frozen=True)
class Opposition:
    """Adversaries of one procedure against bases of one model on one data set."""

    pairs: tuple[tuple[TrainedRun, int], ...]  # a base and the number of an adversary against it
    name: str  # of the procedure
    procedure: Procedure
    strength: float | None
    training: Training
    documents: int | None  # of those that the base was trained on
    options: Retrain  # without studies and procedures
    guided: Run | None = None  # of the model that is trained under frozen attention

    @property
    def first(self) -> TrainedRun:
        """All bases share its model, data and budget."""
        return self.pairs[0][0]

    @property
    def title(self) -> str:
        """For messages."""
        run = self.first.run
        return f"{run.study} {run.dataset} {run.model} {self.name}"


def train_adversaries(job: Opposition) -> Tables:
    """Train the adversaries and tabulate them."""
    first = job.first
    readers = {"train": first.training_reader(job.documents)}
    readers |= {split: first.reader(split, first.budget) for split in ("dev", "test")}
    loaded = {base.run.name: storage.load(base.folder, first.corpus) for base, _ in job.pairs}
    bases = [loaded[base.run.name].requires_grad_(False) for base, _ in job.pairs]
    # all are drawn before the first is trained, which draws too where there is dropout
    models = [_adversary(job, *pair, own) for pair, own in zip(job.pairs, bases, strict=True)]
    tables: dict[str, list[pd.DataFrame]] = {"runs": [], "instances": [], "course": []}
    for (base_run, number), base, model in zip(job.pairs, bases, models, strict=True):
        draw = generator(base_run.seed, *_seeding(job, base_run, number), "batches")
        run = _trained(job, model, base, readers, draw)
        keys = {
            **base_run.keys,
            "procedure": job.name,
            "strength": np.nan if job.strength is None else job.strength,
            "adversary": number,
            "train_documents": len(readers["train"].labels),
        }
        reader = readers["test"]
        outputs = answers(base, reader).probabilities.double().numpy()
        for name, rows in (
            ("runs", run_rows(run, reader, outputs, job.options.collapsed)),
            ("instances", document_rows(run, reader, outputs)),
            ("course", pd.DataFrame(run.history)),
        ):
            tables[name].append(pd.concat([pd.DataFrame([keys] * len(rows)), rows], axis=1))
    joined = {name: pd.concat(some, ignore_index=True) for name, some in tables.items()}
    if job.guided is None:
        return joined
    model.load_state_dict(run.best["dev"].weights)  # the only one
    guided = guided_predictions(job.guided, first, base, model)
    return joined | with_keys({"guided": guided}, first)


@dataclass(frozen=True)
class BaseAttention:
    """A base whose attention is described; `filler` is the uninformative word of Mock data."""

    base: TrainedRun
    filler: str | None


def describe_base(job: BaseAttention) -> Tables:
    """Where one base attends on test."""
    model, reader = job.base.load()
    token = None
    if job.filler is not None:
        words = job.base.corpus.words
        # a set without a filler word has weight on informative words only, and none on padding
        token = words.index(job.filler) if job.filler in words else PADDING
    return with_keys({"bases": base_table(model, reader, token)}, job.base)


def _adversary(
    job: Opposition, base: TrainedRun, number: int, own: AttentionModel
) -> AttentionModel:
    """The same architecture, drawn anew or started from the base's weights with added noise."""
    torch.manual_seed(entropy(base.seed, *_seeding(job, base, number)))
    corpus = base.corpus
    vectors = pretrained_vectors(base.corpus_folder, corpus)
    model = build(base.run.settings, vectors, len(corpus.labels), False)
    if job.procedure.start == "base":
        model.load_state_dict(own.state_dict())
        with torch.no_grad():
            for name, value in model.named_parameters():
                if "embedding" not in name and value.numel() > 1:
                    value.add_(job.options.start_noise * value.std() * torch.randn_like(value))
    return model


def _seeding(job: Opposition, base: TrainedRun, number: int) -> tuple[str, ...]:
    """The names that seed the draws of an adversary."""
    run = base.run
    names = (run.study, run.dataset, run.seeded_as)
    return (*names, job.name, str(job.strength), str(number))


def _trained(
    job: Opposition,
    model: AttentionModel,
    base: AttentionModel,
    readers: dict[str, Reader],
    draw: np.random.Generator,
) -> AdversaryRun:
    sparse = job.first.run.settings.projection.kind != "softmax"
    objective = Objective(job.procedure.loss, job.strength or 1.0, sparse)
    sample = job.options.epoch_documents
    adversary = Adversary(job.title, model, readers, base, job.training, objective, sample)
    limits = (job.training.epochs, job.procedure.patience, draw, job.procedure.hold)
    run = retrained(adversary, *limits)
    adversary.steps.close()
    return run
