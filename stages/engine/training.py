"""One training job: a run, or several runs of one model, from files to files."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from stages.corpora import corpus as corpora
from stages.corpora.batching import Reader, SentenceReader
from stages.corpora.budget import training_rows
from stages.corpora.corpus import Corpus
from stages.engine.trained import measured
from stages.importance.token_groups import class_counts, token_groups
from stages.importance.trace import Trace
from stages.nn import storage
from stages.nn.attention import AttentionModel
from stages.nn.build import build
from stages.nn.inputs import Inputs
from stages.nn.metrics import summary
from stages.nn.prediction import predict
from stages.nn.training import Best, History, Weights, fit
from stages.settings.errors import UserError
from stages.settings.runs import Run
from stages.settings.seeds import entropy, generator
from stages.settings.studies import Study

WITHOUT_RECURRENCE = ("none", "affine", "average")


@dataclass(frozen=True)
class TrainingJob:
    """Runs of one model on one data set, and the files they are trained from."""

    runs: tuple[Run, ...]
    study: Study
    seed: int
    corpus: Path
    vectors: Path  # a folder; not read where the study draws its vectors
    base: Path | None = None  # the trained run whose attention a frozen projection takes over

    @property
    def first(self) -> Run:
        """All runs share its model, training and data."""
        return self.runs[0]

    @property
    def select_on(self) -> str:
        """The split that selects the epoch."""
        return self.first.training.select_on or self.study.select_on

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


def train(job: TrainingJob, folder: Path) -> dict[str, float]:
    """Train and write one folder for each run; tokens read and mean length of a document."""
    corpus = corpora.load(job.corpus)
    if job.study.vocabulary == "all types":
        corpus = corpus.with_all_types()
    _check_classes(corpus)
    readers = _readers(job, corpus)
    models = [_model(job, run, corpus) for run in job.runs]
    traces = _traces(job, models, readers["train"], corpus)
    fitted = _fit(job, models, readers, traces)
    for place, (run, model) in enumerate(zip(job.runs, models, strict=True)):
        best, history = fitted[place]
        about = _about(job, run, model, best, readers)
        if _drawn(job):
            about["drawn"] = drawn_table(job, run, corpus)._asdict()
        trace = traces[place].table() if place in traces else None
        (folder / run.name).mkdir()
        storage.save(model, about, history, folder / run.name, trace)
    return measured(readers["train"], sum(len(history) for _, history in fitted))


def _drawn(job: TrainingJob) -> bool:
    return job.study.vectors == "drawn"


def _traces(
    job: TrainingJob, models: list[AttentionModel], train: Reader, corpus: Corpus
) -> dict[int, Trace]:
    """Callbacks that record Sun & Lu's gradient terms, by the place of their model."""
    traced = job.first.training.traced
    if not traced:
        return {}
    assert job.study.groups is not None
    counts = class_counts(train, corpus.vocabulary_size)
    groups = token_groups(counts, corpus.labels, corpus.words, job.study.groups)
    # the first seed of every lambda is also compared with automatic differentiation
    return {
        place: Trace(models[place], train, groups, not run.replica)
        for place, run in enumerate(job.runs)
        if run.seed <= traced
    }


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
    edges = job.study.add_boundary_tokens
    readers = {split: Reader(corpus, split, edges, rows) for split, rows in splits.items()}
    if job.base is not None:
        model = storage.load(job.base, corpus)
        for reader in readers.values():
            reader.weights = _attention(model, reader)
    return readers


@torch.no_grad()
def _attention(model: AttentionModel, reader: Reader) -> NDArray[np.float32]:
    """A model's weights for every value of the reader's text; documents not read stay at zero."""
    flat = np.zeros(len(reader.text.values), np.float32)
    for batch in reader.batches(128):
        weights = model(Inputs.of(batch)).weights.numpy()
        for row, length, values in zip(batch.rows, batch.lengths, weights, strict=True):
            start = reader.text.offsets[row]
            flat[start : start + length] = values[:length]
    return flat


def _model(job: TrainingJob, run: Run, corpus: Corpus) -> AttentionModel:
    torch.manual_seed(entropy(job.seed, run.study, run.dataset, run.seeded_as))
    if _drawn(job):
        vectors = storage.drawn_vectors(drawn_table(job, run, corpus))
    else:
        vectors = pretrained_vectors(job.vectors, corpus)
    pair = corpus.task != "classification"
    return build(run.settings, vectors, len(corpus.labels), pair)


def drawn_table(job: TrainingJob, run: Run, corpus: Corpus) -> storage.DrawnTable:
    """How the vectors of a run are drawn."""
    assert job.study.dimension is not None
    assert job.study.spread is not None
    return storage.DrawnTable(
        seed=entropy(job.seed, run.study, run.dataset, str(run.seed), "vectors"),
        rows=corpus.vocabulary_size,
        dimension=job.study.dimension,
        spread=run.settings.spread or job.study.spread,
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
    models: list[AttentionModel],
    readers: dict[str, Reader],
    traces: dict[int, Trace],
) -> list[tuple[Best, History]]:
    held_out = readers[job.select_on]
    draws = [
        generator(job.seed, run.study, run.dataset, run.seeded_as, "batches") for run in job.runs
    ]

    def watch(place: int, epoch: int, weights: Weights) -> None:
        if place in traces:
            traces[place].record(epoch, weights)

    return fit(job.name, models, readers["train"], held_out, job.first.training, draws, watch)


def _about(
    job: TrainingJob, run: Run, model: AttentionModel, best: Best, readers: dict[str, Reader]
) -> dict[str, Any]:
    """The content of model.json."""
    scores = {}
    for split in ("dev", "test"):
        selecting = split == job.select_on and best.probabilities is not None
        probabilities = best.probabilities if selecting else predict(model, readers[split])
        assert probabilities is not None
        scores[split] = summary(probabilities, readers[split].labels, readers[split].classes)
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
