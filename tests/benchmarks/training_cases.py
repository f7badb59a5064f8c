"""Training and prediction against torch's own layers and against the plain way of each fast path.

Random and Zipf-distributed words, the encoders of Jain & Wallace, the models of Sun & Lu. The
arithmetic of both sides of a case is the same, only the speed differs.
"""

import numpy as np
import torch

from stages.corpora.batching import Reader
from stages.corpora.corpus import Part
from stages.corpora.ragged import Ragged
from stages.nn.context_free import outputs
from stages.nn.dropout import Dropout
from stages.nn.inputs import Inputs
from stages.nn.optimizers import Steps, losses, optimizer
from stages.nn.prediction import predict
from stages.nn.training import fit
from tests.benchmarks.analysis_cases import ENCODERS
from tests.benchmarks.measuring import Case, Side
from tests.benchmarks.plain_context_free import (
    plain_average,
    plain_dot_product,
    plain_epoch,
    plain_predictions,
)
from tests.nn import toy

WORDS, DOCUMENTS = 5000, 400
ZIPF_WORDS, ZIPF_LENGTH = 16000, 20  # vocabulary and lengths of Rotten Tomatoes
SCALES, SEEDS = (0.001, 1.0, 10.0, 20.0, 50.0, 100.0, 10000.0), 5  # lambda of Sun & Lu
HEAD = {"kind": "linear", "bias": False, "xavier": False, "logit_dropout": 0.0}


def random_reader():
    draw = np.random.default_rng(0)
    texts = [draw.integers(0, WORDS, n).tolist() for n in draw.integers(10, 200, DOCUMENTS)]
    part = Part(np.arange(DOCUMENTS) % 2, Ragged.of(texts))
    return Reader(toy.corpus_of({"train": part}, [str(i) for i in range(WORDS)]), "train")


def zipf_readers(documents, words=ZIPF_WORDS, length=ZIPF_LENGTH):
    """Train and dev documents whose words follow Zipf's law."""
    draw = np.random.default_rng(0)
    share = 1 / np.arange(1, words + 1)
    share, longest = share / share.sum(), 2 * length - 5
    parts = {}
    for split, n in (("train", documents), ("dev", 200)):
        texts = [draw.choice(words, draw.integers(5, longest), p=share) for _ in range(n)]
        parts[split] = Part(draw.integers(0, 2, n), Ragged.of([text.tolist() for text in texts]))
    corpus = toy.corpus_of(parts, [f"word{i}x" for i in range(words)])
    return [Reader(corpus, split, add_boundary_tokens=False) for split in parts]


def zipf_reader(documents, shortest, longest):
    """Documents of `shortest` to `longest` words that follow Zipf's law, with boundary tokens."""
    draw = np.random.default_rng(0)
    share = 1 / np.arange(1, ZIPF_WORDS + 1)
    lengths = draw.integers(shortest, longest, documents)
    texts = [draw.choice(ZIPF_WORDS, n, p=share / share.sum()).tolist() for n in lengths]
    part = Part(draw.integers(0, 2, documents), Ragged.of(texts))
    return Reader(toy.corpus_of({"train": part}, [str(i) for i in range(ZIPF_WORDS)]), "train")


def network_of(kind, words):
    """A model of Jain & Wallace over a vocabulary of `words`."""
    return toy.network(toy.model(encoder=ENCODERS[kind]), table=toy.vectors(words + 4, 300))


class DenseSteps:
    """Steps of a dense optimiser, with the interface of Steps."""

    def __init__(self, dense):
        self.dense = dense

    def step(self, loss):
        self.dense.zero_grad()
        loss.backward()
        self.dense.step()

    def finish(self):
        """Every row is up to date after every step."""


def dense_adam(model, **options):
    return DenseSteps(torch.optim.Adam(model.parameters(), 0.01, amsgrad=True, **options))


def step_through(model, steps, batches):
    """One epoch over the batches."""
    for batch in batches:
        logits = model(Inputs.of(batch)).logits
        steps.step(losses(logits, torch.from_numpy(batch.labels), torch.ones(2)).sum())
    steps.finish()


def bilstm(words=WORDS):
    """A BiLSTM 300 -> 128 over a vocabulary of `words`, and its optimiser steps."""
    model = network_of("bilstm", words)
    return model, Steps(model, toy.training(optimizer="amsgrad"))


def dot_products():
    """35 runs of Sun & Lu's DP against two of them the batched plain way.

    Three epochs, so that the set-up counts little, as in the ten to forty epochs of a study.
    """
    train, dev = zipf_readers(3000)
    rule = toy.training(
        optimizer="adagrad", learning_rate=0.02, rate_decay=0.001, batch=100, epochs=3
    )
    table = np.random.default_rng(1).uniform(-0.1, 0.1, (ZIPF_WORDS + 4, 100)).astype(np.float32)
    dropped = {"embedded": 0.5, "pooled": 0.5}
    scores = [{"kind": "context", "scale": scale} for scale in SCALES]
    settings = [toy.model({"kind": "none"}, score, head=HEAD, dropout=dropped) for score in scores]
    runs = [toy.network(each, seed, table) for each in settings for seed in range(SEEDS)]
    draws = [np.random.default_rng(seed) for seed in range(len(runs))]

    def ours():
        for model, draw in zip(runs, draws, strict=True):
            fit("runs", model, train, dev, rule, draw)

    def plain():
        model = plain_dot_product(torch.from_numpy(table), 10.0)
        steps = torch.optim.Adagrad(model.parameters(), 0.02, lr_decay=0.001)
        for _ in range(rule.epochs):
            plain_epoch(model, steps, train.batches(100, draws[0], None))
            plain_predictions(model, dev.batches(128))

    return Case(
        "35 runs of DP",
        Side("ours", ours, len(runs)),
        Side("batched plain way: padded, dense Adagrad", lambda: [plain(), plain()], 2),
        8,
        unit="runs",
        tokens=rule.epochs * train.tokens,
    )


def average_epoch():
    """Jain & Wallace's Average on text of IMDB's length, against the batched plain way."""
    words, documents = 15000, 640
    train, _ = zipf_readers(documents, words, 200)
    rule = toy.training(
        optimizer="amsgrad",
        learning_rate=0.001,
        weight_decay={"embedding": 1e-5, "encoder": 1e-5, "head": 1e-5},
    )
    model = network_of("average", words)
    steps = Steps(model, rule)
    plain = plain_average(torch.from_numpy(toy.vectors(words + 4, 300)), 128)
    dense = torch.optim.Adam(plain.parameters(), 0.001, amsgrad=True, weight_decay=1e-5)
    draw = np.random.default_rng(2)

    def ours():
        for batch in train.batches(32, draw):
            logits, _ = outputs(model, Inputs.of(batch))
            steps.step(losses(logits, torch.from_numpy(batch.labels), torch.ones(2)).mean())
        steps.finish()

    return Case(
        "training epoch, average, 200 tokens",
        Side("ours", ours, documents),
        Side(
            "batched plain way: padded, dense AMSGrad",
            lambda: plain_epoch(plain, dense, train.batches(32, draw)),
            documents,
        ),
        5,
        tokens=train.tokens // documents,
    )


def embedding_rows(kind):
    """AMSGrad on the rows that a batch touches against a fused step of the whole table."""
    train, _ = zipf_readers(640)
    batches = list(train.batches(32))
    rule = toy.training(optimizer="amsgrad", weight_decay={"embedding": 1e-5})
    lazy, dense = network_of(kind, ZIPF_WORDS), network_of(kind, ZIPF_WORDS)
    by_rows, whole = Steps(lazy, rule), DenseSteps(optimizer(dense.named_parameters(), rule))
    return Case(
        f"training epoch by rows, {kind}",
        Side("ours", lambda: step_through(lazy, by_rows, batches), 640),
        Side("fused step of the whole table", lambda: step_through(dense, whole, batches), 640),
        tokens=ZIPF_LENGTH,
    )


def encoding(kind):
    """The first layer once per type of a batch against once per token."""
    train, _ = zipf_readers(640)
    batches = [Inputs.of(batch) for batch in train.batches(128)]
    model = network_of(kind, ZIPF_WORDS).eval().requires_grad_(False)

    def per_token():
        for batch in batches:
            model.encode_embedded(model.embedding(batch.tokens), batch)

    return Case(
        f"encoding by type, {kind}",
        Side("ours", lambda: [model.encode(batch) for batch in batches], 640),
        Side("token by token", per_token, 640),
        tokens=ZIPF_LENGTH,
    )


def predictions():
    """States once per type of a batch against whole documents."""
    train, _ = zipf_readers(3000)
    model = network_of("average", ZIPF_WORDS).eval()

    @torch.no_grad()
    def by_document():
        return [model(Inputs.of(batch)).logits for batch in train.batches(128)]

    return Case(
        "predictions by type, average",
        Side("ours", lambda: predict(model, train), 3000),
        Side("whole documents in batches of 128", by_document, 3000),
        tokens=ZIPF_LENGTH,
    )


def dropout():
    """A mask from uniform draws against torch's Bernoulli draws."""
    values = torch.randn(32, 100, 300)
    ours, library = Dropout(0.5).train(), torch.nn.Dropout(0.5).train()
    return Case(
        "dropout of 32 x 100 x 300 values",
        Side("ours", lambda: ours(values), 32),
        Side("torch's nn.Dropout", lambda: library(values), 32),
        tokens=100,
    )


CASES = {
    "training-dp": dot_products,
    "training-average": average_epoch,
    "rows-average": lambda: embedding_rows("average"),
    "rows-bilstm": lambda: embedding_rows("bilstm"),
    "types-bilstm": lambda: encoding("bilstm"),
    "types-cnn": lambda: encoding("cnn"),
    "types-average": lambda: encoding("average"),
    "predictions-by-type": predictions,
    "dropout": dropout,
}
