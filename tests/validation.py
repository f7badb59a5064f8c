"""How good the models are on real text: `python -m tests.validation` after `dvc repro`.

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
    """A data set, how much of it, for how long, and the accuracy to reach."""

    family: str
    dataset: str
    kind: str
    documents: int
    epochs: int
    bar: float


CHECKS = [
    Check("rotten-tomatoes", "rotten-tomatoes", "glove", 8530, 2, 0.77),
    Check("newsgroups-sports", "newsgroups-sports", "glove", 1197, 4, 0.90),
    Check("imdb", "imdb", "glove", 5000, 4, 0.85),
    Check("snli", "snli", "glove", 20000, 8, 0.65),
    Check("babi", "babi-1", "normal", 10000, 25, 0.95),
]


def measured(check: Check) -> tuple[int, int, float]:
    """Training documents, test documents and test accuracy."""
    settings = load()
    study = settings.studies["jain-wallace"].at(check.family)
    training = study.training.model_copy(update={"epochs": check.epochs, "first_epoch": 1})
    corpus = corpora.load(paths.corpus(check.family, check.dataset))
    place = paths.vectors(check.family, check.dataset, check.kind)
    vectors = np.load(place / "vectors.npz")["vectors"]
    torch.manual_seed(settings.seed)
    pair = corpus.task != "classification"
    model = build(study.models[MODEL], vectors, len(corpus.labels), pair)
    draw = np.random.default_rng(settings.seed)
    rows = stratified_order(corpus.parts["train"].labels, draw)[: check.documents]
    train, dev, test = (
        Reader(corpus, "train", rows=np.sort(rows)),
        Reader(corpus, "dev"),
        Reader(corpus, "test"),
    )
    fit(check.dataset, [model], train, dev, training, draw)
    return len(rows), len(test.labels), accuracy(predict(model, test), test.labels)


def main() -> None:
    """One line per data set; all of them, or those named on the command line."""
    torch.set_num_threads(1)
    print("| data set | train | epochs | test | accuracy | bar | |\n|---|---|---|---|---|---|---|")
    asked = sys.argv[1:]
    for check in [c for c in CHECKS if not asked or c.dataset in asked]:
        train, test, found = measured(check)
        verdict = "reached" if found >= check.bar else "missed"
        print(
            f"| {check.dataset} | {train} | {check.epochs} | {test} | {found:.3f} | {check.bar} "
            f"| {verdict} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
