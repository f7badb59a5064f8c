"""Fast paths of models against the plain way: rows of embeddings, types instead of tokens, dropout.

Vocabulary and lengths are those of Rotten Tomatoes, words follow Zipf's law, the encoders have the
sizes of Jain & Wallace.
"""

import numpy as np
import torch

from stages.nn.build import build
from stages.nn.dropout import Dropout
from stages.nn.inputs import Inputs
from stages.nn.optimizers import Steps, losses, optimizer
from stages.nn.prediction import by_document, by_type
from tests.benchmarks.analysis_cases import ENCODERS
from tests.benchmarks.measuring import Case, Side
from tests.benchmarks.stacked_cases import LENGTH, WORDS, readers
from tests.nn import toy


def model_of(kind):
    """A model of one encoder over the vocabulary of `readers`."""
    table = np.random.default_rng(1).normal(size=(WORDS + 4, 300)).astype(np.float32)
    return build(toy.model(encoder=ENCODERS[kind]), table, 2, False)


def embedding_rows(kind, bar):
    """AMSGrad on the rows that a batch touches against a fused step of the whole table."""
    train, _ = readers(640)
    batches = list(train.batches(32))
    rule = toy.training(optimizer="amsgrad", weight_decay={"embedding": 1e-5})
    lazy_model, dense_model = model_of(kind), model_of(kind)
    lazy = Steps(lazy_model, rule)
    dense = optimizer(dense_model.named_parameters(), rule)

    def loss_of(model, batch):
        logits = model(Inputs.of(batch)).logits
        return losses(logits, torch.from_numpy(batch.labels), torch.ones(2)).mean()

    def by_rows():
        for batch in batches:
            lazy.step(loss_of(lazy_model, batch))
        lazy.finish()

    def whole_table():
        for batch in batches:
            dense.zero_grad()
            loss_of(dense_model, batch).backward()
            dense.step()

    return Case(
        f"training epoch by rows, {kind}",
        Side("ours", by_rows, len(train.labels)),
        Side("fused step of the whole table", whole_table, len(train.labels)),
        bar,
        tokens=LENGTH,
    )


def encoding(kind, bar):
    """The first layer once per type of a batch against once per token."""
    train, _ = readers(640)
    batches = [Inputs.of(batch) for batch in train.batches(128)]
    model = model_of(kind).eval()

    @torch.no_grad()
    def per_type():
        for batch in batches:
            model.encode(batch)

    @torch.no_grad()
    def per_token():
        for batch in batches:
            model.encode_embedded(model.embedding(batch.tokens), batch)

    return Case(
        f"encoding by type, {kind}",
        Side("ours", per_type, len(train.labels)),
        Side("token by token", per_token, len(train.labels)),
        bar,
        tokens=LENGTH,
    )


def predictions(bar):
    """Scores and evidence once per type of a split against once per token."""
    train, _ = readers()
    model = model_of("average")

    return Case(
        "predictions by type, average",
        Side("ours", lambda: by_type(model, train), len(train.labels)),
        Side("document by document", lambda: by_document(model, train), len(train.labels)),
        bar,
        tokens=LENGTH,
    )


def dropout(bar):
    """A mask from uniform draws against torch's Bernoulli draws."""
    values = torch.randn(32, 100, 300)
    ours, library = Dropout(0.5).train(), torch.nn.Dropout(0.5).train()
    return Case(
        "dropout of 32 x 100 x 300 values",
        Side("ours", lambda: ours(values), 32),
        Side("torch", lambda: library(values), 32),
        bar,
        tokens=100,
    )


CASES = {
    "rows-average": lambda: embedding_rows("average", 0),
    "rows-bilstm": lambda: embedding_rows("bilstm", 0),
    "types-bilstm": lambda: encoding("bilstm", 0),
    "types-cnn": lambda: encoding("cnn", 0),
    "types-average": lambda: encoding("average", 0),
    "predictions-by-type": lambda: predictions(0),
    "dropout": lambda: dropout(0),
}
