"""How fast models are trained and tested on this machine: a short run of each kind on drawn text.

Seconds are those of one core. The tests are the stages' own, put to a model held in memory.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from itertools import chain

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from tqdm import tqdm

from stages.corpora.batching import Reader, SentenceReader
from stages.corpora.corpus import Corpus, Part
from stages.corpora.ragged import Ragged
from stages.engine.cells import Cell, cells_of
from stages.engine.grid import Subject, subjects
from stages.engine.local import one_thread
from stages.engine.plan import KIND, alike
from stages.engine.training import WITHOUT_RECURRENCE
from stages.nn.attention import AttentionModel
from stages.nn.build import build
from stages.nn.training import fit
from stages.settings.analyses import SECTIONS, DocumentBudget
from stages.settings.params import Settings
from stages.settings.resolved import granted
from stages.settings.studies import Study, Training

WORDS, WIDTH, SENTENCE, QUERY = 5000, 300, 10, 8
TOGETHER = 7  # runs along one axis
TRAINED, TRIED = 3000, 480  # tokens
LENGTHS = (20, 120)


@dataclass(frozen=True)
class Drawn(Subject):
    """A model that was never trained, with documents that nobody wrote."""

    model: AttentionModel
    texts: Corpus

    def opened(self) -> tuple[AttentionModel, Reader]:
        """The model as it was drawn."""
        return self.model.eval().requires_grad_(False), self.reader("test", self.budget)

    def reader(self, split: str, budget: DocumentBudget) -> Reader:
        """All documents: budgets are what the plan multiplies with."""
        return _reader(self.texts, split, self.cell.settings.architecture, self.add_boundary_tokens)

    def trained_on(self) -> Reader:
        """As many documents again."""
        return self.reader("train", self.budget)

    def known(self) -> Corpus:
        """The drawn documents."""
        return self.texts


def measured(settings: Settings) -> pd.DataFrame:
    """Tokens per second of every kind of work at two lengths."""
    one_thread()
    rows: dict[tuple[object, ...], dict[str, object]] = {}
    for kind, work in tqdm(_kinds(settings).items(), desc="speeds", disable=None):
        for length in LENGTHS:
            row = dict(zip(KIND, kind, strict=True))
            rate = work(length)
            rows[*kind, length] = row | {"length": length, "tokens_per_second": round(rate)}
    return pd.DataFrame(rows.values())


def _kinds(settings: Settings) -> dict[tuple[str, ...], Callable[[int], float]]:
    """Of each kind of work the first: how to measure it at a length."""
    found: dict[tuple[str, ...], Callable[[int], float]] = {}
    for cell in settings.cells.values():
        for name, dataset in settings.members(cell.dataset).items():
            for only, _ in granted(settings, cell.study, cell.dataset, name):
                first = cells_of(only)[0]
                kind = ("train_base", cell.study, dataset.task, *alike(first.settings))
                work = partial(_trained, only, first, dataset.task)
                found.setdefault(kind, work)
    for test, section in SECTIONS.items():
        budget = getattr(settings.budget, test)
        for study, families in getattr(settings, section).items():
            for subject in chain(*(subjects(settings, study, name, budget) for name in families)):
                task = settings.datasets[subject.dataset].task
                kind = (test, study, task, *alike(subject.cell.settings))
                found.setdefault(kind, partial(_tested, test, subject, task))
    return found


def _trained(study: Study, cell: Cell, task: str, length: int) -> float:
    """Tokens per second of one epoch, of all runs where runs are trained together."""
    texts = drawn(task, length, TRAINED)
    train, dev = (
        _reader(texts, split, cell.settings.architecture, study.add_boundary_tokens)
        for split in SPLITS[:2]
    )
    if cell.settings.projection.kind == "frozen":
        for reader in (train, dev):
            reader.weights = np.full(len(reader.text.values), 1 / length, np.float32)
    rule = Training.model_validate(
        study.training.model_dump() | {"epochs": 1, "first_epoch": 1, "traced": 0}
    )
    joint = study.together and cell.settings.encoder.kind in WITHOUT_RECURRENCE
    models = [_model(cell, task) for _ in range(TOGETHER if joint else 1)]

    def epoch() -> None:
        fit("speed", models, train, dev, rule, np.random.default_rng(0))

    return len(models) * train.tokens / _seconds(epoch)


def _tested(test: str, subject: Subject, task: str, length: int) -> float:
    """Tokens per second of a stage's test of one model."""
    texts = drawn(task, length, TRIED)
    about = {name: getattr(subject, name) for name in Subject.__dataclass_fields__}
    made = Drawn(**about, model=_model(subject.cell, task), texts=texts)
    made = replace(made, budget=DocumentBudget(instances=None, tokens=None))
    tried = import_module(f"stages.{test}").tried
    return texts.parts["test"].text.lengths.sum() / _seconds(lambda: tried(made))


def _seconds(work: Callable[[], object]) -> float:
    """Of the second time: the first compiles."""
    work()
    started = time.process_time()
    work()
    return max(time.process_time() - started, 1e-6)


SPLITS = ("train", "dev", "test")


def drawn(task: str, length: int, tokens: int) -> Corpus:
    """Documents of about one length, words as rare as in real text, half of them of each class."""
    draw = np.random.default_rng(length)
    share = 1 / np.arange(1, WORDS + 1)
    classes = ("no", "yes") if task == "classification" else ("no", "yes", "maybe")

    def ragged(sizes: NDArray[np.int64]) -> Ragged:
        return Ragged.of([draw.choice(WORDS, n, p=share / share.sum()).tolist() for n in sizes])

    def part(count: int) -> Part:
        sizes = draw.integers(length * 3 // 4, length * 5 // 4 + 1, count)
        query = None if task == "classification" else ragged(np.full(count, QUERY))
        sentences = [[SENTENCE] * (n // SENTENCE) + [n % SENTENCE] for n in sizes.tolist()]
        cut = Ragged.of([[n for n in lengths if n] for lengths in sentences])
        return Part(np.arange(count) % len(classes), ragged(sizes), query, None, cut)

    count = max(tokens // length, 6)
    parts = dict(zip(SPLITS, map(part, (count, 12, count)), strict=True))
    ids = np.arange(WORDS, dtype=np.int32) + 4
    types = tuple(f"word{i}" for i in range(WORDS))
    return Corpus("drawn", task, False, classes, types, ids, parts)


def _reader(texts: Corpus, split: str, family: str, add_boundary_tokens: bool) -> Reader:
    return (
        SentenceReader(texts, split)
        if family == "hierarchical"
        else Reader(texts, split, add_boundary_tokens)
    )


def _model(cell: Cell, task: str) -> AttentionModel:
    vectors = np.random.default_rng(0).normal(size=(WORDS + 4, WIDTH)).astype(np.float32)
    pair = task != "classification"
    return build(cell.settings, vectors, 3 if pair else 2, pair)
