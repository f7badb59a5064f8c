"""A trained run and the documents that an analysis reads with it."""

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
from stages.nn import storage
from stages.nn.attention import AttentionModel
from stages.nn.build import build
from stages.settings import paths
from stages.settings.analyses import DocumentBudget
from stages.settings.params import Settings
from stages.settings.runs import Run, runs_of
from stages.settings.seeds import entropy, generator

LEARNED = ("softmax", "sparsemax", "sparsegen")  # projections of the model's own scores


@dataclass(frozen=True)
class TrainedRun:
    """A trained run, its corpus and the budget of test documents."""

    run: Run
    add_boundary_tokens: bool
    all_types: bool
    corpus_folder: Path
    folder: Path
    seed: int  # of the whole project
    budget: DocumentBudget

    @property
    def keys(self) -> dict[str, str | int | float]:
        """The columns that every table of results starts with."""
        run = self.run
        return {
            "dataset": run.dataset,
            "model": run.model,
            "encoder": run.settings.encoder.kind,
            "attention": run.settings.score.kind,
            "value": float("nan") if run.value is None else run.value,
            "seed": run.seed,
        }

    @property
    def names(self) -> tuple[str, str, str]:
        """The names that seed its random draws."""
        return self.run.study, self.run.dataset, self.run.name

    def seed_of(self, purpose: str) -> Callable[[int], int]:
        """A seed for each document, for one purpose."""
        return lambda row: entropy(self.seed, *self.names, purpose, str(row))

    def generator(self, purpose: str) -> np.random.Generator:
        """A generator for one purpose."""
        return generator(self.seed, *self.names, purpose)

    def load(self) -> tuple[AttentionModel, Reader]:
        """The model, without gradients of its parameters, and its test documents."""
        model = storage.load(self.folder, self.corpus).requires_grad_(False)
        return model, self.reader("test", self.budget)

    def reader(self, split: str, budget: DocumentBudget) -> Reader:
        """Documents of a split as the model reads them."""
        rows = sampled_documents(self.corpus, self.seed, budget, split)
        if self.run.settings.architecture == "hierarchical":
            return SentenceReader(self.corpus, split, rows)
        return Reader(self.corpus, split, self.add_boundary_tokens, rows)

    def training_reader(self, documents: int | None = None) -> Reader:
        """The documents that the run was trained on, or as many of them."""
        rows = training_rows(self.corpus, self.run.tokens, self.seed, self.run.study, documents)
        return Reader(self.corpus, "train", self.add_boundary_tokens, rows)

    def untrained(self, model: AttentionModel) -> AttentionModel:
        """The same model with the same embeddings, everything else as it was initialised."""
        torch.manual_seed(entropy(self.seed, *self.names, "untrained"))
        vectors = model.embedding.weight.detach().numpy()
        fresh = build(self.run.settings, vectors, len(self.corpus.labels), False)
        return fresh.eval().requires_grad_(False)

    @property
    def corpus(self) -> Corpus:
        """The corpus with the vocabulary of the model."""
        corpus = _corpus(self.corpus_folder)
        return corpus.with_all_types() if self.all_types else corpus


def trained_runs(
    settings: Settings, study_name: str, group: str, budget: DocumentBudget
) -> list[TrainedRun]:
    """Every trained run with attention of its own on the data sets of a group."""
    study = settings.studies[study_name]
    return [
        TrainedRun(
            run,
            study.add_boundary_tokens,
            study.vocabulary == "all types",
            paths.study_corpus(study_name, run.dataset),
            paths.models(study_name, run.dataset) / run.name,
            settings.seed,
            budget.of(dataset=(run.dataset, run.group), model=(run.model,)),
        )
        for run in runs_of(settings, study_name, group)
        if run.settings.projection.kind in LEARNED
    ]


def sampled_documents(
    corpus: Corpus, seed: int, budget: DocumentBudget, split: str = "test"
) -> NDArray[np.int64]:
    """Documents within the budget, drawn once per data set so that all runs share them."""
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
