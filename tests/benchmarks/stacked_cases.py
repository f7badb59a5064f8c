"""All values of lambda and seeds of Sun & Lu's models, stacked against one after the other.

Three epochs, so that the set-up counts little, as in the ten to forty epochs of a study.
"""

import numpy as np
import torch

from stages.corpora.batching import Reader
from stages.corpora.corpus import Corpus, Part
from stages.corpora.ragged import Ragged
from stages.nn.build import build
from stages.nn.training import fit
from tests.benchmarks.measuring import Case, Side
from tests.nn import toy

SCALES, SEEDS = (0.001, 1.0, 10.0, 20.0, 50.0, 100.0, 10000.0), 5
WORDS, DOCUMENTS, LENGTH = 16000, 3000, 20  # vocabulary and lengths of Rotten Tomatoes
HEAD = {"kind": "linear", "bias": False, "xavier": False, "logit_dropout": 0.0}
DP, DP_A = {"kind": "none"}, {"kind": "affine", "bias": False}


def readers(documents=DOCUMENTS):
    """Train and dev documents whose words follow Zipf's law."""
    draw = np.random.default_rng(0)
    share = 1 / np.arange(1, WORDS + 1)
    parts = {}
    for split, n in (("train", documents), ("dev", 200)):
        texts = [
            draw.choice(WORDS, draw.integers(5, 2 * LENGTH - 5), p=share / share.sum()).tolist()
            for _ in range(n)
        ]
        parts[split] = Part(draw.integers(0, 2, n), Ragged.of(texts))
    ids = np.arange(WORDS, dtype=np.int32) + 4
    types = tuple(f"word{i}x" for i in range(WORDS))
    corpus = Corpus("zipf", "classification", False, ("no", "yes"), types, ids, parts)
    return [Reader(corpus, split, add_boundary_tokens=False) for split in ("train", "dev")]


def models(encoder=DP, scales=SCALES, seeds=SEEDS):
    """One model for each lambda and seed."""
    table = np.random.default_rng(1).uniform(-0.1, 0.1, (WORDS + 4, 100)).astype(np.float32)
    built = []
    for scale in scales:
        settings = toy.model(
            encoder=encoder,
            score={"kind": "context", "scale": scale},
            head=HEAD,
            dropout={"embedded": 0.5, "pooled": 0.5},
        )
        for seed in range(seeds):
            torch.manual_seed(seed)
            built.append(build(settings, table, 2, False))
    return built


def stacked(name, encoder, documents, bar):
    """All runs in one pass against two of them one after the other."""
    train, dev = readers(documents)
    rule = toy.training(
        optimizer="adagrad", learning_rate=0.02, rate_decay=0.001, batch=100, epochs=3
    )
    runs, few = models(encoder), models(encoder)[:2]

    def one_by_one():
        for model in few:
            fit("run", [model], train, dev, rule, np.random.default_rng(3))

    return Case(
        name,
        Side("ours", lambda: fit("runs", runs, train, dev, rule, np.random.default_rng(3)), 35),
        Side("one after the other", one_by_one, len(few)),
        bar,
        unit="runs",
        tokens=rule.epochs * train.tokens,
    )


CASES = {
    "stacked-dp": lambda: stacked("35 runs of DP, stacked", DP, DOCUMENTS, 5),
    "stacked-dp-a": lambda: stacked("35 runs of DP-A, stacked", DP_A, 600, 0),
}
