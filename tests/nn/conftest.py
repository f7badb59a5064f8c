"""Small models of every kind, and documents of different lengths for them."""

from functools import partial

import numpy as np
import pytest
import torch

from stages.corpora.batching import Reader, SentenceReader
from stages.corpora.corpus import Part
from stages.corpora.ragged import Ragged
from stages.nn.build import build
from stages.nn.inputs import Inputs
from tests import small
from tests.nn import toy

WIDTH, VOCABULARY, CLASSES = 6, 14, 3
ENCODERS = small.ENCODERS | small.OTHER_ENCODERS
SCORES = small.SCORES | {
    "context": {"kind": "context", "scale": 2.0},
    "context-layer": {"kind": "context", "scale": 2.0, "layer": True},
}


@pytest.fixture(scope="session")
def encoders():
    """The options of all kinds of encoders, by kind."""
    return ENCODERS


@pytest.fixture(params=ENCODERS)
def encoder(request):
    """The options of each kind of encoder."""
    return ENCODERS[request.param]


@pytest.fixture(params=SCORES)
def score(request):
    """The options of each kind of score."""
    return SCORES[request.param]


@pytest.fixture(params=["flat", "pair", "hierarchical"])
def architecture(request):
    """A text, a text with a query, a text in sentences."""
    return request.param


@pytest.fixture(scope="session")
def settings():
    """Settings of a model, with simple defaults."""
    return partial(toy.model, encoder=ENCODERS["none"], score=SCORES["context"])


@pytest.fixture(scope="session")
def model(settings):
    """A model by architecture and settings, in evaluation mode, initialised from a seed."""

    def build_model(architecture="flat", classes=CLASSES, seed=0, **changes):
        torch.manual_seed(seed)
        if architecture == "hierarchical":
            changes["architecture"] = architecture
        vectors = np.random.default_rng(5).normal(size=(VOCABULARY, WIDTH)).astype(np.float32)
        return build(settings(**changes), vectors, classes, architecture == "pair").eval()

    return build_model


def _corpus():
    draw = np.random.default_rng(3)
    lengths, query_lengths = (4, 1, 9, 2, 6), (2, 5, 1, 3, 4)
    part = Part(
        labels=np.array([0, 1, 2, 0, 1]),
        text=Ragged.of([draw.integers(0, VOCABULARY - 4, n).tolist() for n in lengths]),
        query=Ragged.of([draw.integers(0, VOCABULARY - 4, n).tolist() for n in query_lengths]),
        candidates=Ragged.of([[0, 1, 2], [1], [0, 2], [1, 2], [0, 1, 2]]),
        sentences=Ragged.of([[3, 1], [1], [2, 4, 1, 2], [2], [1, 5]]),
    )
    return toy.corpus_of({"train": part}, "abcdefghij", labels=("x", "y", "z"))


@pytest.fixture(scope="session")
def inputs():
    """Some of five documents as one batch, in the form an architecture reads."""
    corpus = _corpus()

    def batch_of(architecture="flat", rows=range(5), add_boundary_tokens=True):
        at = np.array(list(rows))
        if architecture == "hierarchical":
            return Inputs.of(SentenceReader(corpus, "train").batch(at))
        reader = Reader(corpus, "train", add_boundary_tokens=add_boundary_tokens)
        batch = Inputs.of(reader.batch(at))
        if architecture == "pair":
            return batch
        return Inputs(batch.tokens, batch.lengths, batch.mask)

    return batch_of
