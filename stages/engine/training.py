"""One training job: a run, or several runs of one model, from files to files."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray

from stages.corpora import corpus as corpora
from stages.corpora.batching import Reader, SentenceReader
from stages.corpora.budget import training_rows
from stages.corpora.corpus import Corpus
from stages.importance.token_groups import Groups, class_counts, token_groups
from stages.importance.trace import Trace
from stages.nn import storage
from stages.nn.attention import AttentionModel
from stages.nn.build import build
from stages.nn.metrics import predicted, summary
from stages.nn.prediction import answers, predict
from stages.nn.training import Best, History, fit
from stages.settings import paths
from stages.settings.errors import UserError
from stages.settings.runs import Run
from stages.settings.seeds import entropy, generator
from stages.settings.studies import TokenGroups


@dataclass(frozen=True)
class TrainingJob:
    """Runs of one model on one data set, and what they are trained from."""

    runs: tuple[Run, ...]
    seed: int  # of the whole project
    corpus: Path
    vectors: Path  # a folder; not read where vectors are drawn
    select_on: str  # the split that selects the epoch
    add_boundary_tokens: bool
    all_types: bool
    drawn: tuple[int, float] | None = None  # dimension and spread of drawn vectors
    groups: TokenGroups | None = None  # of tokens, for runs that are traced
    base: Path | None = None  # the trained run whose attention a frozen projection takes over

    @property
    def first(self) -> Run:
        """All runs share its model, training and data."""
        return self.runs[0]

    @property
    def name(self) -> str:
        """For messages and the progress bar."""
        return f"{self.first.study} {self.first.dataset} {self.first.name}"


def stacks(runs: Sequence[Run], stacked: bool) -> list[tuple[Run, ...]]:
    """Runs one by one; those of a model without encoder as one job where asked for."""
    groups: dict[tuple[str, str], list[Run]] = {}
    for run in runs:
        joint = stacked and run.settings.encoder.kind == "none"
        groups.setdefault((run.dataset, run.model if joint else run.name), []).append(run)
    return [tuple(group) for group in groups.values()]


def train(job: TrainingJob, folder: Path) -> None:
    """Train and write one folder for each run."""
    corpus = corpora.load(job.corpus)
    if job.all_types:
        corpus = corpus.with_all_types()
    _check_classes(corpus)
    readers = _readers(job, corpus)
    groups = _groups(job, readers["train"], corpus)
    for run in job.runs:
        model = _model(job, run, corpus)
        trace = None
        if groups is not None and run.seed <= run.training.traced:
            # the first seed of every lambda is also compared with automatic differentiation
            trace = Trace(model, readers["train"], groups, not run.replica)
        best, history = _fit(job, run, model, readers, trace)
        outputs = _outputs(job, model, best, readers)
        about = _about(job, run, best, readers, outputs)
        if job.drawn:
            about["drawn"] = drawn_table(job, run, corpus)._asdict()
        (folder / run.name).mkdir()
        storage.save(model, about, history, folder / run.name, trace.table() if trace else None)
        predictions = prediction_table(readers["test"], outputs["test"])
        predictions.to_parquet(folder / run.name / paths.PREDICTIONS, index=False)


def _groups(job: TrainingJob, train: Reader, corpus: Corpus) -> Groups | None:
    """Groups of tokens, for runs that record Sun & Lu's gradient terms."""
    if job.groups is None:
        return None
    counts = class_counts(train, corpus.vocabulary_size)
    return token_groups(counts, corpus.labels, corpus.words, job.groups)


def _check_classes(corpus: Corpus) -> None:
    if corpus.task == "question" and len(corpus.labels) > 2:
        return  # candidate answers are words; most are never the answer
    present = np.bincount(corpus.parts["train"].labels, minlength=len(corpus.labels))
    for label, n in zip(corpus.labels, present, strict=True):
        if n == 0:
            raise UserError(f"data set {corpus.name}: class {label} has no training example")


def _readers(job: TrainingJob, corpus: Corpus) -> dict[str, Reader]:
    rows = training_rows(corpus, job.first.tokens, job.seed, job.first.study)
    splits = {"train": rows, "dev": None, "test": None}
    if job.first.settings.architecture == "hierarchical":
        return {split: SentenceReader(corpus, split, rows) for split, rows in splits.items()}
    edges = job.add_boundary_tokens
    readers = {split: Reader(corpus, split, edges, rows) for split, rows in splits.items()}
    if job.base is not None:
        model = storage.load(job.base, corpus)
        for reader in readers.values():
            reader.weights = answers(model, reader).weights
    return readers


def _model(job: TrainingJob, run: Run, corpus: Corpus) -> AttentionModel:
    torch.manual_seed(entropy(job.seed, run.study, run.dataset, run.seeded_as))
    if job.drawn:
        vectors = storage.drawn_vectors(drawn_table(job, run, corpus))
    else:
        vectors = pretrained_vectors(job.vectors, corpus)
    pair = corpus.task != "classification"
    return build(run.settings, vectors, len(corpus.labels), pair)


def drawn_table(job: TrainingJob, run: Run, corpus: Corpus) -> storage.DrawnTable:
    """How the vectors of a run are drawn."""
    assert job.drawn is not None
    dimension, spread = job.drawn
    seed = entropy(job.seed, run.study, run.dataset, str(run.seed), "vectors")
    return storage.DrawnTable(
        seed, corpus.vocabulary_size, dimension, run.settings.spread or spread
    )


def pretrained_vectors(folder: Path, corpus: Corpus) -> NDArray[np.float32]:
    """The vectors that embed wrote for a corpus."""
    with np.load(folder / "vectors.npz", allow_pickle=False) as arrays:
        vectors: NDArray[np.float32] = arrays["vectors"]
    if len(vectors) != corpus.vocabulary_size:
        raise UserError(
            f"{folder} has {len(vectors)} rows, the corpus {corpus.name} has "
            f"{corpus.vocabulary_size} words; run embed again"
        )
    return vectors


def _fit(
    job: TrainingJob,
    run: Run,
    model: AttentionModel,
    readers: dict[str, Reader],
    trace: Trace | None,
) -> tuple[Best, History]:
    draw = generator(job.seed, run.study, run.dataset, run.seeded_as, "batches")
    if len(job.runs) > 1:
        torch.manual_seed(int(draw.spawn(1)[0].integers(2**62)))
    options = [trace.record] if trace else []
    splits = readers["train"], readers[job.select_on]
    return fit(job.name, model, *splits, run.training, draw, *options)


def _outputs(
    job: TrainingJob, model: AttentionModel, best: Best, readers: dict[str, Reader]
) -> dict[str, NDArray[np.float64]]:
    """Probabilities (N, C) on dev and test; those of the selecting split may already be there."""
    outputs = {}
    for split in ("dev", "test"):
        known = best.probabilities if split == job.select_on else None
        outputs[split] = predict(model, readers[split]) if known is None else known
    return outputs


def prediction_table(reader: Reader, probabilities: NDArray[np.float64]) -> pd.DataFrame:
    """One row per document: label, predicted class and its probability."""
    classes = predicted(probabilities)
    if probabilities.shape[1] == 1:  # the probability of class 1
        probabilities = np.hstack([1 - probabilities, probabilities])
    return pd.DataFrame(
        {
            "row": reader.rows.astype(np.int32),
            "label": reader.labels.astype(np.int32),
            "predicted": classes.astype(np.int32),
            "probability": probabilities[np.arange(len(classes)), classes].astype(np.float32),
        }
    )


def _about(
    job: TrainingJob,
    run: Run,
    best: Best,
    readers: dict[str, Reader],
    outputs: dict[str, NDArray[np.float64]],
) -> dict[str, Any]:
    """The content of model.json."""
    scores = {
        split: summary(probabilities, readers[split].labels, readers[split].classes)
        for split, probabilities in outputs.items()
    }
    return {
        "study": run.study,
        "dataset": run.dataset,
        "run": run.name,
        "name": run.model,
        "seed": run.seed,
        "value": run.value,
        "model": run.settings.model_dump(),
        "training": run.training.model_dump(),
        "selected_on": job.select_on,
        "best_epoch": best.epoch,
        "train_documents": len(readers["train"].labels),
        "train_tokens": readers["train"].tokens,
        "scores": scores,
        "versions": {"torch": torch.__version__, "numpy": np.__version__},
    }
