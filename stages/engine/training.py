"""One training job from files to files: a cell, or several that are trained together."""

from collections.abc import Callable, Sequence
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
from stages.engine.cells import Cell
from stages.engine.local import one_thread
from stages.importance.token_groups import class_counts, token_groups
from stages.importance.trace import Trace
from stages.nn import storage
from stages.nn.attention import AttentionModel
from stages.nn.build import build
from stages.nn.inputs import Inputs
from stages.nn.metrics import summary
from stages.nn.prediction import predict
from stages.nn.training import Best, History, fit
from stages.settings.errors import UserError
from stages.settings.files import replacing
from stages.settings.seeds import entropy, generator
from stages.settings.studies import Study

WITHOUT_RECURRENCE = ("none", "affine", "average")


@dataclass(frozen=True)
class Job:
    """Cells of one study and data set, and where everything is."""

    study: str
    dataset: str
    settings: Study
    cells: tuple[Cell, ...]
    seed: int
    tokens: int | None  # of the training split, at most
    corpus: Path
    vectors: Path
    models: Path
    fingerprint: str  # of data, settings of the run and code

    @property
    def name(self) -> str:
        """For messages and the progress bar."""
        return f"{self.study} {self.dataset} {self.cells[0].name}"


def grouped(cells: Sequence[Cell], together: bool) -> list[tuple[Cell, ...]]:
    """Cells one by one; those of a model without recurrence in one group where asked for."""
    groups: dict[str, list[Cell]] = {}
    for cell in cells:
        joint = together and cell.settings.encoder.kind in WITHOUT_RECURRENCE
        groups.setdefault(cell.model if joint else cell.name, []).append(cell)
    return [tuple(group) for group in groups.values()]


def train(job: Job) -> None:
    """Train what is not finished yet and write it, cell by cell."""
    one_thread()
    todo = [
        cell
        for cell in job.cells
        if not storage.finished(job.models / cell.name, cell_print(job, cell))
    ]
    if not todo:
        return
    corpus = corpora.load(job.corpus)
    if job.settings.vocabulary == "all types":
        corpus = corpus.with_all_types()
    _check_classes(corpus)
    readers = _readers(job, corpus, job.cells[0])
    # a group is always trained whole, so that a resumed one ends where an unbroken one would
    models = [_model(job, cell, corpus) for cell in job.cells]
    traces = _traces(job, models, readers["train"], corpus)
    fitted = _fit(job, models, readers, traces)
    for place, (cell, model) in enumerate(zip(job.cells, models, strict=True)):
        if cell in todo:
            about = _about(job, cell, model, fitted[place][0], readers)
            trace = traces[place].table() if place in traces else None
            with replacing(job.models / cell.name) as folder:
                storage.save(model, about, fitted[place][1], folder, trace)


def _traces(
    job: Job, models: list[AttentionModel], train: Reader, corpus: Corpus
) -> dict[int, Trace]:
    """Watchers of Sun & Lu's gradient terms, by the place of the model they watch."""
    if not job.settings.training.traced:
        return {}
    assert job.settings.groups is not None
    counts = class_counts(train, corpus.vocabulary_size)
    groups = token_groups(counts, corpus.labels, corpus.words, job.settings.groups)
    # the first seed of every lambda is also compared with automatic differentiation
    seeds = job.settings.seeds[: job.settings.training.traced]
    return {
        place: Trace(models[place], train, groups, cell.seed == seeds[0])
        for place, cell in enumerate(job.cells)
        if cell.seed in seeds
    }


def cell_print(job: Job, cell: Cell) -> str:
    """Changes with anything that could change the weights."""
    return storage.digest([job.fingerprint, cell.settings.model_dump(), cell.seed, cell.name])


def _check_classes(corpus: Corpus) -> None:
    if corpus.task == "question" and len(corpus.labels) > 2:
        return  # candidate answers are words; most are never the answer
    present = np.bincount(corpus.parts["train"].labels, minlength=len(corpus.labels))
    for label, n in zip(corpus.labels, present, strict=True):
        if n == 0:
            raise UserError(f"data set {corpus.name}: class {label} has no training example")


def _readers(job: Job, corpus: Corpus, cell: Cell) -> dict[str, Reader]:
    rows = training_rows(corpus, job.tokens, job.seed, job.study)
    kept = {"train": rows, "dev": None, "test": None}
    if cell.settings.architecture == "hierarchical":
        return {split: SentenceReader(corpus, split, rows) for split, rows in kept.items()}
    readers = {
        split: Reader(corpus, split, job.settings.add_boundary_tokens, rows)
        for split, rows in kept.items()
    }
    if cell.settings.weights_of:
        base = job.models / f"{cell.settings.weights_of}+{cell.seed}"
        model = storage.load(base, corpus)
        for reader in readers.values():
            reader.weights = _attention(model, reader)
    return readers


@torch.no_grad()
def _attention(model: AttentionModel, reader: Reader) -> NDArray[np.float32]:
    """A model's weights for every value of the reader's text, documents it skips left at zero."""
    flat = np.zeros(len(reader.text.values), np.float32)
    for batch in reader.batches(128):
        weights = model(Inputs.of(batch)).weights.numpy()
        for row, length, found in zip(batch.rows, batch.lengths, weights, strict=True):
            start = reader.text.offsets[row]
            flat[start : start + length] = found[:length]
    return flat


def _model(job: Job, cell: Cell, corpus: Corpus) -> AttentionModel:
    seed = entropy(job.seed, job.study, job.dataset, cell.name)
    torch.manual_seed(seed)
    if job.settings.vectors == "drawn":
        assert job.settings.dimension is not None
        assert job.settings.spread is not None
        shape = (corpus.vocabulary_size, job.settings.dimension)
        draw = generator(job.seed, job.study, job.dataset, str(cell.seed), "vectors")
        spread = cell.settings.spread or job.settings.spread
        vectors = draw.uniform(-spread, spread, shape).astype(np.float32)
        vectors[0] = 0
    else:
        with np.load(job.vectors / "vectors.npz", allow_pickle=False) as arrays:
            vectors = arrays["vectors"]
        if len(vectors) != corpus.vocabulary_size:
            raise UserError(
                f"{job.vectors} has {len(vectors)} rows, the corpus {corpus.name} knows "
                f"{corpus.vocabulary_size} words; run embed again"
            )
    pair = corpus.task != "classification"
    return build(cell.settings, vectors, len(corpus.labels), pair)


def _fit(
    job: Job, models: list[AttentionModel], readers: dict[str, Reader], traces: dict[int, Trace]
) -> list[tuple[Best, History]]:
    held_out = readers[job.settings.select_on]
    training = job.settings.training
    draw = generator(job.seed, job.study, job.dataset, job.cells[0].name, "batches")

    def watch(epoch: int, weights: Callable[[int], dict[str, torch.Tensor]]) -> None:
        for run, trace in traces.items():
            trace.look(epoch, weights(run))

    return fit(job.name, models, readers["train"], held_out, training, draw, watch)


def _about(
    job: Job, cell: Cell, model: AttentionModel, best: Best, readers: dict[str, Reader]
) -> dict[str, Any]:
    """What model.json says of a trained model."""
    scores = {}
    for split in ("dev", "test"):
        selecting = split == job.settings.select_on and best.probabilities is not None
        found = best.probabilities if selecting else predict(model, readers[split])
        assert found is not None
        scores[split] = summary(found, readers[split].labels, readers[split].classes)
    return {
        "study": job.study,
        "dataset": job.dataset,
        "cell": cell.name,
        "seed": cell.seed,
        "value": cell.value,
        "model": cell.settings.model_dump(),
        "training": job.settings.training.model_dump(),
        "selected_on": job.settings.select_on,
        "best_epoch": best.epoch,
        "train_documents": len(readers["train"].labels),
        "train_tokens": readers["train"].tokens,
        "scores": scores,
        "versions": {"torch": torch.__version__, "numpy": np.__version__},
        "fingerprint": cell_print(job, cell),
    }
