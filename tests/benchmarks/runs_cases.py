"""All lambdas and seeds of DP trained along one axis against one after the other.

Three epochs, so that setting the runs up weighs little, as in a study's ten to forty.
"""

import numpy as np
import torch

from stages.corpora.batching import Reader
from stages.corpora.corpus import Corpus, Part
from stages.corpora.ragged import Ragged
from stages.nn.build import build
from stages.nn.ensemble import fit_together
from stages.nn.training import fit
from tests.benchmarks.measuring import Case, Side
from tests.nn import toy

SCALES, SEEDS = (0.001, 1.0, 10.0, 20.0, 50.0, 100.0, 10000.0), 5
WORDS, DOCUMENTS, LENGTH = 16000, 3000, 20  # as Rotten Tomatoes: its vocabulary and lengths
HEAD = {"kind": "linear", "bias": False, "xavier": False, "logit_dropout": 0.0}


def readers():
    draw = np.random.default_rng(0)
    share = 1 / np.arange(1, WORDS + 1)
    parts = {}
    for split, n in (("train", DOCUMENTS), ("dev", 200)):
        texts = [
            draw.choice(WORDS, draw.integers(5, 2 * LENGTH - 5), p=share / share.sum()).tolist()
            for _ in range(n)
        ]
        parts[split] = Part(draw.integers(0, 2, n), Ragged.of(texts))
    ids = np.arange(WORDS, dtype=np.int32) + 4
    types = tuple(f"word{i}x" for i in range(WORDS))
    corpus = Corpus("made", "classification", False, ("no", "yes"), types, ids, parts)
    return [Reader(corpus, split, add_boundary_tokens=False) for split in ("train", "dev")]


def models():
    table = np.random.default_rng(1).uniform(-0.1, 0.1, (WORDS + 4, 100)).astype(np.float32)
    made = []
    for scale in SCALES:
        settings = toy.model(
            encoder={"kind": "none"},
            score={"kind": "context", "scale": scale},
            head=HEAD,
            dropout={"embedded": 0.5, "pooled": 0.5},
        )
        for seed in range(SEEDS):
            torch.manual_seed(seed)
            made.append(build(settings, table, 2, False))
    return made


def together():
    train, dev = readers()
    rule = toy.training(
        optimizer="adagrad", learning_rate=0.02, rate_decay=0.001, batch=100, epochs=3
    )
    alone, joint = models()[:2], models()

    def one_by_one():
        for model in alone:
            fit("run", model, train, dev, rule, np.random.default_rng(3))

    def at_once():
        fit_together("runs", joint, train, dev, rule, np.random.default_rng(3))

    return Case(
        "35 runs of DP together",
        Side("ours", at_once, len(joint)),
        Side("one after the other", one_by_one, len(alone)),
        5,
        unit="runs",
        tokens=rule.epochs * train.tokens,
    )


CASES = {"runs-together": together}
