"""MLP adversaries on Mock data: distinct words against all positions, and the laptop's budget."""

import time

import numpy as np

from stages.corpora.batching import Reader
from stages.corpora.corpus import Part
from stages.corpora.generated.mock import generate
from stages.corpora.ragged import Ragged
from stages.counterfactual.objectives import Objective
from stages.counterfactual.retrained import SingleAdversary, answers
from stages.counterfactual.retrained_stacked import StackedAdversaries
from stages.settings.sources import Mock
from stages.settings.studies import Training
from tests.benchmarks.measuring import Case, Side, reached
from tests.nn import toy

# rule, training documents, epochs, batch and test documents, as scales.laptop.retrain has them
BUDGETS = {
    "mock-1": ({"informative": 1}, 4000, 8, 32, 400),
    "mock-2": ({"informative": 2}, 2500, 10, 32, 400),
    "mock-5": ({"informative": 5}, 1000, 20, 32, 400),
    "mock-10": ({"informative": 10}, 1000, 20, 32, 400),
    "mock-1q": ({"quarters": 1}, 200, 12, 8, 100),
    "mock-2q": ({"quarters": 2}, 120, 12, 8, 60),
    "mock-3q": ({"quarters": 3}, 120, 12, 8, 60),
    "mock-4q": ({"quarters": 4}, 120, 12, 8, 60),
}
MOCK = {"kind": "generated", "reader": "mock", "test": 1, "shortest": 50, "longest": 100}
MLP = toy.model(encoder={"kind": "average", "hidden": 128, "activation": "tanh"})
TRAINING = {
    "optimizer": "amsgrad",
    "learning_rate": 0.001,
    "weight_decay": {"embedding": 1e-5, "encoder": 1e-5, "head": 1e-5},
    "loss": "sum",
    "class_weights": True,
    "metric": "roc_auc",
}
WORDS = {label: [f"{label}{i}" for i in range(3500)] for label in ("negative", "positive")}
RUNS, MINUTES, CORES = 9, 3, 2
BOUNDED = Objective("bounded")


def corpus_of(dataset, sizes):
    """Mock documents over a generated lexicon of VADER's size; `sizes` of train, dev and test."""
    rule = BUDGETS[dataset][0]
    source = Mock(train=sum(sizes), filler="something", **MOCK, **rule)
    texts, labels, types = [], [], {source.filler: 0}
    for example in generate(source, WORDS, np.random.default_rng(0)):
        texts.append([types.setdefault(word, len(types)) for word in example.text.split()])
        labels.append(int(example.label == "positive"))
    starts = np.cumsum([0, *sizes])
    parts = {
        split: Part(np.array(labels[a:b], np.int64), Ragged.of(texts[a:b]))
        for split, a, b in zip(("train", "dev", "test"), starts[:-1], starts[1:], strict=True)
    }
    return toy.corpus_of(parts, types)


def adversaries(dataset):
    """Models, base, readers and training of the adversaries at the laptop's budget."""
    _, documents, epochs, batch, held_out = BUDGETS[dataset]
    corpus = corpus_of(dataset, (documents, held_out, held_out))
    readers = {split: Reader(corpus, split, True) for split in ("train", "dev", "test")}
    vectors = np.random.default_rng(1).normal(0, 0.3, (corpus.vocabulary_size, 300))
    models = [toy.network(MLP, run, vectors.astype(np.float32)) for run in range(RUNS)]
    base = toy.network(MLP, RUNS, vectors.astype(np.float32)).requires_grad_(False)
    training = Training.model_validate(TRAINING | {"batch": batch, "epochs": epochs})
    return models, base, readers, training


def test_eight_mock_sets_with_nine_seeds_take_three_minutes():
    total = 0.0
    for dataset in BUDGETS:
        models, base, readers, training = adversaries(dataset)
        stacked = StackedAdversaries(dataset, models, [base] * RUNS, readers, training, BOUNDED)
        draws = [np.random.default_rng(seed) for seed in range(RUNS)]
        stacked.train_epoch(1, draws)  # compiled and warm
        started = time.process_time()
        stacked.train_epoch(2, draws)
        for split in ("dev", "test"):
            stacked.evaluate(split)
        spent = (time.process_time() - started) * training.epochs
        print(
            f"\n{dataset}: {spent:.1f} s of one core for {training.epochs} epochs of {RUNS} seeds"
        )
        total += spent
    print(f"\nin all {total / CORES:.0f} s on {CORES} cores")
    assert total / CORES <= 60 * MINUTES


def test_distinct_words_beat_all_positions():
    models, base, readers, training = adversaries("mock-1")
    stacked = StackedAdversaries("fast", models, [base] * RUNS, readers, training, BOUNDED)
    of_base = {split: answers(base, reader) for split, reader in readers.items()}
    single = SingleAdversary("slow", models[0], readers, of_base, training, BOUNDED)
    draws = [np.random.default_rng(seed) for seed in range(RUNS)]
    case = Case(
        "an epoch of an MLP adversary on Mock-1",
        Side("ours", lambda: stacked.train_epoch(1, draws), RUNS),
        Side("literal", lambda: single.train_epoch(1, draws[:1]), 1),
        3,
        unit="epochs",
    )
    reached(case)
