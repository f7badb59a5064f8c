"""Which models a study has on a data set once the scale has granted epochs, tokens and seeds."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from stages.corpora import corpus as corpora
from stages.corpora.batching import Reader, SentenceReader
from stages.corpora.budget import training_rows
from stages.corpora.corpus import Corpus
from stages.engine.cells import Cell, cells_of
from stages.nn import storage
from stages.nn.attention import AttentionModel
from stages.nn.build import build
from stages.settings import paths
from stages.settings.analyses import DocumentBudget
from stages.settings.params import Settings
from stages.settings.resolved import granted
from stages.settings.seeds import entropy, generator
from stages.settings.studies import StudyName

LEARNED = ("softmax", "sparsemax", "sparsegen")  # projections of the model's own scores


@dataclass(frozen=True)
class Subject:
    """A trained model and the test documents it is tried on."""

    study: StudyName
    dataset: str
    cell: Cell
    add_boundary_tokens: bool
    all_types: bool
    corpus: Path
    folder: Path
    replica: bool  # trained with another seed than the first
    seed: int  # of the whole project
    budget: DocumentBudget
    train_tokens: int | None  # it was trained on, at most

    @property
    def about(self) -> dict[str, str | int | float]:
        """The columns that every table of results starts with."""
        cell = self.cell
        return {
            "dataset": self.dataset,
            "model": cell.model,
            "encoder": cell.settings.encoder.kind,
            "attention": cell.settings.score.kind,
            "value": float("nan") if cell.value is None else cell.value,
            "seed": cell.seed,
        }

    def seed_of(self, purpose: str) -> Callable[[int], int]:
        """A seed for each document, for one purpose."""
        names = (self.study, self.dataset, self.cell.name, purpose)
        return lambda row: entropy(self.seed, *names, str(row))

    def opened(self) -> tuple[AttentionModel, Reader]:
        """The model, without gradients of its parameters, and its test documents."""
        model = storage.load(self.folder, self.known()).requires_grad_(False)
        return model, self.reader("test", self.budget)

    def reader(self, split: str, budget: DocumentBudget) -> Reader:
        """Documents of a split as the model reads them."""
        corpus = self.known()
        rows = instances(corpus, self.seed, budget, split)
        if self.cell.settings.architecture == "hierarchical":
            return SentenceReader(corpus, split, rows)
        return Reader(corpus, split, self.add_boundary_tokens, rows)

    def untrained(self, model: AttentionModel) -> AttentionModel:
        """The same model over the same embeddings, everything else as it was drawn."""
        torch.manual_seed(entropy(self.seed, self.study, self.dataset, self.cell.name, "untrained"))
        vectors = model.embedding.weight.detach().numpy()
        fresh = build(self.cell.settings, vectors, len(self.known().labels), False)
        return fresh.eval().requires_grad_(False)

    def trained_on(self) -> Reader:
        """The documents that the model was trained on."""
        corpus = self.known()
        rows = training_rows(corpus, self.train_tokens, self.seed, self.study)
        return Reader(corpus, "train", self.add_boundary_tokens, rows)

    def known(self) -> Corpus:
        """The corpus with the words that the model knows."""
        corpus = _corpus(self.corpus)
        return corpus.with_all_types() if self.all_types else corpus


def subjects(
    settings: Settings, study: StudyName, family: str, budget: DocumentBudget
) -> list[Subject]:
    """Every trained model with attention of its own, on every data set of the family."""
    return [
        Subject(
            study,
            name,
            cell,
            only.add_boundary_tokens,
            only.vocabulary == "all types",
            paths.corpus(family, name),
            paths.models(study, family, name) / cell.name,
            cell.seed != only.seeds[0],
            settings.seed,
            budget,
            given.tokens,
        )
        for name in settings.members(family)
        for only, given in granted(settings, study, family, name)
        for cell in cells_of(only)
        if cell.settings.projection.kind in LEARNED
    ]


def instances(
    corpus: Corpus, seed: int, budget: DocumentBudget, split: str = "test"
) -> NDArray[np.int64]:
    """Documents within the budget, drawn once per data set so that all models share them."""
    lengths = corpus.parts[split].text.lengths
    order = generator(seed, corpus.name, "instances").permutation(len(lengths))
    order = order[: budget.instances]
    if budget.tokens is not None:
        within = int((lengths[order].cumsum() <= budget.tokens).sum())
        order = order[: max(within, 1)]
    return np.sort(order)


@lru_cache(maxsize=4)
def _corpus(folder: Path) -> Corpus:
    return corpora.load(folder)
