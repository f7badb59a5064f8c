"""Small models with random weights and documents of one to nine tokens, for tests of analyses."""

import numpy as np
import torch

from stages.nn.attention import AttentionModel
from stages.nn.build import build
from stages.nn.inputs import Inputs
from tests.nn import toy

torch.set_num_threads(1)

WIDTH, VOCABULARY = 6, 14
ENCODERS = {
    "bilstm": {"kind": "bilstm", "hidden": 4},
    "cnn": {"kind": "cnn", "filters": 3, "kernels": (1, 3, 5, 7)},
    "average": {"kind": "average", "hidden": 6, "activation": "tanh"},
    "none": {"kind": "none"},
    "affine": {"kind": "affine", "bias": True},
}
SIZES = {"size": 8, "layers": 2, "heads": 2, "feedforward": 8, "dropout": 0.1}
OTHER_ENCODERS = {
    "bigru": {"kind": "bigru", "hidden": 3},
    "conv": {"kind": "conv", "filters": 3, "dropout": 0.3},
    "transformer": {"kind": "transformer", **SIZES},
}
SCORES = {"additive": {"kind": "additive", "divisor": 2}, "dot": {"kind": "dot"}}


def small_model(
    encoder: str = "bilstm",
    score: str = "additive",
    classes: int = 2,
    pair: bool = False,
    projection: dict | None = None,
    sharpness: float = 3.0,
    seed: int = 0,
) -> AttentionModel:
    """A model that is far from linear: sharp attention and dispersed outputs."""
    torch.manual_seed(seed)
    settings = toy.model((ENCODERS | OTHER_ENCODERS)[encoder], SCORES[score], projection)
    vectors = np.random.default_rng(seed).normal(size=(VOCABULARY, WIDTH)).astype(np.float32)
    model = build(settings, vectors, classes, pair)
    with torch.no_grad():
        for parameter in (*model.score.parameters(), *model.head.parameters()):
            parameter *= sharpness
    return model.eval().requires_grad_(False)


def small_inputs(
    lengths=(1, 2, 3, 5, 9), add_boundary_tokens: bool = True, pair: bool = False, seed: int = 0
) -> Inputs:
    """Documents with `lengths` words each, by default between <start> and <end>."""
    draw = np.random.default_rng(seed)
    edge = 1 if add_boundary_tokens else 0
    width = max(lengths) + 2 * edge
    tokens = np.zeros((len(lengths), width), np.int64)
    mask = np.zeros((len(lengths), width), bool)
    for row, length in enumerate(lengths):
        tokens[row, edge : edge + length] = draw.integers(4, VOCABULARY, length)
        mask[row, edge : edge + length] = True
        if add_boundary_tokens:
            tokens[row, 0], tokens[row, length + 1] = 2, 3
    query = query_lengths = None
    if pair:
        query = torch.from_numpy(draw.integers(4, VOCABULARY, (len(lengths), 4)))
        query_lengths = torch.full((len(lengths),), 4)
    whole = torch.tensor(lengths) + 2 * edge
    return Inputs(torch.from_numpy(tokens), whole, torch.from_numpy(mask), query, query_lengths)


def literal_flip(weights, evidence, bias, order, empty=None):
    """The published loop on one document: zero, renormalise, classify, until the decision flips.

    `empty` are the logits where nothing is left, by default the bias.
    """
    empty = bias if empty is None else empty
    decision = np.argmax(weights @ evidence + bias)
    left = weights.copy()
    for count, place in enumerate(order, 1):
        left[place] = 0
        total = left.sum()
        logits = (left / total) @ evidence + bias if total > 0 else empty
        if np.argmax(logits) != decision:
            return count
    return 0
