"""MLP adversaries on Mock data: distinct words against all positions, and the laptop's budget."""

import time
from pathlib import Path

import numpy as np
import torch

from stages.corpora.batching import Reader
from stages.corpora.corpus import Corpus, Part
from stages.corpora.generated.mock import generate
from stages.corpora.ragged import Ragged
from stages.counterfactual.objectives import Objective
from stages.counterfactual.retrained import SingleAdversary, answers
from stages.counterfactual.retrained_stacked import StackedAdversaries
from stages.nn.build import build
from stages.settings.params import load
from tests.benchmarks.measuring import ratio

SETTINGS = load(Path(__file__).parents[2] / "params.yaml")
WORDS = {label: [f"{label}{i}" for i in range(3500)] for label in ("negative", "positive")}
RUNS, MINUTES, CORES = 9, 3, 2
BOUNDED = Objective("bounded")


def corpus_of(dataset, sizes):
    """Mock documents over a generated lexicon of VADER's size; `sizes` of train, dev and test."""
    source = SETTINGS.datasets[dataset].source.model_copy(update={"train": sum(sizes), "test": 1})
    texts, labels, types = [], [], {source.filler: 0}
    for example in generate(source, WORDS, np.random.default_rng(0)):
        texts.append([types.setdefault(word, len(types)) for word in example.text.split()])
        labels.append(int(example.label == "positive"))
    starts = np.cumsum([0, *sizes])
    parts = {
        split: Part(np.array(labels[a:b], np.int64), Ragged.of(texts[a:b]))
        for split, a, b in zip(("train", "dev", "test"), starts[:-1], starts[1:], strict=True)
    }
    ids = np.arange(len(types), dtype=np.int32) + 4
    return Corpus("mock", "classification", False, ("no", "yes"), tuple(types), ids, parts)


def trainee(dataset, runs=RUNS):
    """Arguments of `runs` adversaries at the laptop's budget, and their epochs."""
    budget = SETTINGS.scales["laptop"].retrain.of(
        "mock", dataset, "mlp", "mock/mlp", f"{dataset}/mlp", "published"
    )
    corpus = corpus_of(dataset, (budget.documents, budget.instances, budget.instances))
    readers = {split: Reader(corpus, split, True) for split in ("train", "dev", "test")}
    study = SETTINGS.studies["amini-kosseim"]
    vectors = np.random.default_rng(1).normal(0, 0.3, (corpus.vocabulary_size, 300))
    models = []
    for run in range(runs + 1):
        torch.manual_seed(run)
        models.append(build(study.models["mlp"], vectors.astype(np.float32), 2, False))
    base = models.pop().requires_grad_(False)
    training = study.training
    training = training.model_copy(update={"batch": budget.batch or training.batch})
    return (models, base, readers, training), budget.epochs


def test_eight_mock_sets_with_nine_seeds_take_three_minutes():
    torch.set_num_threads(1)
    total = 0.0
    for dataset in SETTINGS.families["mock"]:
        (models, base, readers, training), epochs = trainee(dataset)
        stacked = StackedAdversaries(dataset, models, [base] * RUNS, readers, training, BOUNDED)
        draw = np.random.default_rng(0)
        stacked.train_epoch(1, draw)  # compiled and warm
        started = time.process_time()
        stacked.train_epoch(2, draw)
        for split in ("dev", "test"):
            stacked.evaluate(split)
        spent = (time.process_time() - started) * epochs
        print(f"\n{dataset}: {spent:.1f} s of one core for {epochs} epochs of {RUNS} seeds")
        total += spent
    print(f"\nin all {total / CORES:.0f} s on {CORES} cores")
    assert total / CORES <= 60 * MINUTES


def test_distinct_words_beat_all_positions():
    torch.set_num_threads(1)
    (models, base, readers, training), _ = trainee("mock-1")
    stacked = StackedAdversaries("fast", models, [base] * RUNS, readers, training, BOUNDED)
    single = SingleAdversary(
        "slow",
        models[0],
        readers,
        {split: answers(base, reader) for split, reader in readers.items()},
        training,
        BOUNDED,
    )
    ratio(
        "an epoch of an MLP adversary on Mock-1",
        lambda: single.train_epoch(1, np.random.default_rng(0)),
        1,
        lambda: stacked.train_epoch(1, np.random.default_rng(0)),
        RUNS,
        3,
        "epochs",
    )
