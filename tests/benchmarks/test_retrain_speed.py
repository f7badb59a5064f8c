"""MLP adversaries on Mock-1: by types against all positions."""

from unittest.mock import patch

import numpy as np

from stages.corpora.batching import Reader
from stages.corpora.corpus import Part
from stages.corpora.generated.mock import generate
from stages.corpora.ragged import Ragged
from stages.counterfactual.objectives import Objective
from stages.counterfactual.retrained import Adversary
from stages.settings.sources import Mock
from stages.settings.studies import Training
from tests.benchmarks.measuring import Case, Side, reached
from tests.nn import toy

MOCK = {"kind": "generated", "reader": "mock", "test": 1, "shortest": 50, "longest": 100}
SIZES = (4000, 400, 400)  # documents of train, dev and test
MLP = toy.model(encoder={"kind": "average", "hidden": 128, "activation": "tanh"})
TRAINING = {
    "optimizer": "amsgrad",
    "learning_rate": 0.001,
    "weight_decay": {"embedding": 1e-5, "encoder": 1e-5, "head": 1e-5},
    "loss": "sum",
    "class_weights": True,
    "metric": "roc_auc",
    "batch": 32,
    "epochs": 8,
}
WORDS = {label: [f"{label}{i}" for i in range(3500)] for label in ("negative", "positive")}
BOUNDED = Objective("bounded")


def corpus():
    """Mock documents over a generated lexicon of VADER's size."""
    source = Mock(train=sum(SIZES), filler="something", informative=1, **MOCK)
    texts, labels, types = [], [], {source.filler: 0}
    for example in generate(source, WORDS, np.random.default_rng(0)):
        texts.append([types.setdefault(word, len(types)) for word in example.text.split()])
        labels.append(int(example.label == "positive"))
    starts = np.cumsum([0, *SIZES])
    parts = {
        split: Part(np.array(labels[a:b], np.int64), Ragged.of(texts[a:b]))
        for split, a, b in zip(("train", "dev", "test"), starts[:-1], starts[1:], strict=True)
    }
    return toy.corpus_of(parts, types)


def adversaries():
    """Models, base, readers and training of the adversaries."""
    mock = corpus()
    readers = {split: Reader(mock, split, True) for split in ("train", "dev", "test")}
    vectors = np.random.default_rng(1).normal(0, 0.3, (mock.vocabulary_size, 300))
    models = [toy.network(MLP, run, vectors.astype(np.float32)) for run in range(2)]
    base = toy.network(MLP, 2, vectors.astype(np.float32)).requires_grad_(False)
    return models, base, readers, Training.model_validate(TRAINING)


def by_position(model, inputs):
    """Outputs of a model without context as of any other."""
    output = model(inputs)
    return output.logits, output.weights


def test_types_beat_positions():
    models, base, readers, training = adversaries()
    ours, other = (Adversary("mock", m, readers, base, training, BOUNDED) for m in models)
    draw = np.random.default_rng(0)

    def positions():
        with patch("stages.counterfactual.retrained.outputs", by_position):
            other.train_epoch(1, draw)

    case = Case(
        "an epoch of an MLP adversary on Mock-1",
        Side("ours", lambda: ours.train_epoch(1, draw), 1),
        Side("position by position", positions, 1),
        1.5,
        unit="epochs",
    )
    reached(case)
