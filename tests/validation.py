"""Accuracy of models on real text: `python -m tests.validation` after `dvc repro`.

Trains the Jain & Wallace BiLSTM with additive attention on five data sets, more fully than the
laptop scale does, and prints test accuracy beside the bar it has to reach.
"""

import sys
from dataclasses import dataclass

import numpy as np
import torch

from stages.corpora import corpus as corpora
from stages.corpora.batching import Reader
from stages.corpora.splitting import stratified_order
from stages.nn.build import build
from stages.nn.metrics import accuracy
from stages.nn.prediction import predict
from stages.nn.training import fit
from stages.settings import paths
from stages.settings.params import load

MODEL = "bilstm-additive"


@dataclass(frozen=True)
class Check:
    """A data set of a group, how much of it, for how long, and the accuracy to reach."""

    group: str
    dataset: str
    documents: int
    epochs: int
    bar: float


CHECKS = [
    Check("rotten-tomatoes", "rotten-tomatoes", 8530, 2, 0.77),
    Check("newsgroups-sports", "newsgroups-sports", 1197, 4, 0.90),
    Check("imdb", "imdb", 5000, 4, 0.85),
    Check("snli", "snli", 20000, 8, 0.65),
    Check("babi", "babi-1", 10000, 25, 0.95),
]


def measured(check: Check) -> tuple[int, int, float]:
    """Training documents, test documents and test accuracy."""
    settings = load()
    entry = settings.studies["jain-wallace"].entry(MODEL, check.dataset, check.group)
    training = entry.training.model_copy(update={"epochs": check.epochs, "first_epoch": 1})
    corpus = corpora.load(paths.corpus(check.dataset))
    vectors = np.load(paths.vectors(check.dataset) / "vectors.npz")["vectors"]
    torch.manual_seed(settings.seed)
    pair = corpus.task != "classification"
    model = build(entry.model, vectors, len(corpus.labels), pair)
    draw = np.random.default_rng(settings.seed)
    rows = stratified_order(corpus.parts["train"].labels, draw)[: check.documents]
    train, dev, test = (
        Reader(corpus, "train", rows=np.sort(rows)),
        Reader(corpus, "dev"),
        Reader(corpus, "test"),
    )
    fit(check.dataset, [model], train, dev, training, [draw])
    return len(rows), len(test.labels), accuracy(predict(model, test), test.labels)


def main() -> None:
    """One line per data set; all of them, or those named on the command line."""
    torch.set_num_threads(1)
    print("| data set | train | epochs | test | accuracy | bar | |\n|---|---|---|---|---|---|---|")
    names = sys.argv[1:]
    for check in [c for c in CHECKS if not names or c.dataset in names]:
        train, test, reached = measured(check)
        verdict = "reached" if reached >= check.bar else "missed"
        print(
            f"| {check.dataset} | {train} | {check.epochs} | {test} | {reached:.3f} | {check.bar} "
            f"| {verdict} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
