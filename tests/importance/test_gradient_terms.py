"""Sun & Lu's terms against automatic differentiation, sums over pairs and real training steps."""

import numpy as np
import pytest
import torch

from stages.corpora.batching import Reader
from stages.corpora.corpus import Corpus, Part
from stages.corpora.ragged import Ragged
from stages.importance.gradient_terms import pull, softmax_within, terms
from stages.importance.token_scores import alone, flow
from stages.importance.trace import weights_of
from stages.nn.build import build
from stages.nn.inputs import Inputs
from stages.nn.optimizers import losses
from tests.nn import toy

HEAD = {"kind": "linear", "bias": False, "xavier": False, "logit_dropout": 0.0, "spread": 1.0}
ENCODERS = {
    "dp": {"kind": "none"},
    "dp-a": {"kind": "affine", "bias": True},
    "dp-a without bias": {"kind": "affine", "bias": False},
}
VOCABULARY = 12


def reader_of(classes=2):
    """Thirty documents of one to six words."""
    draw = np.random.default_rng(3)
    labels = np.arange(30) % classes
    texts = [draw.integers(0, 8, draw.integers(1, 7)).tolist() for _ in labels]
    part = Part(labels.astype(np.int64), Ragged.of(texts))
    types = tuple(f"word{i}x" for i in range(8))
    names = ("no", "yes", "maybe")[:classes]
    ids = np.arange(8, dtype=np.int32) + 4
    corpus = Corpus("toy", "classification", False, names, types, ids, {"train": part})
    return Reader(corpus, "train", add_boundary_tokens=False)


def drawn_model(encoder="dp", scale=3.0, classes=2):
    torch.manual_seed(0)
    settings = toy.model(
        encoder=ENCODERS[encoder],
        score={"kind": "context", "scale": scale},
        head=HEAD,
        dropout={"embedded": 0.5, "pooled": 0.5},  # no effect: the terms are of eval mode
    )
    return build(settings, toy.vectors(VOCABULARY), classes, False)


def terms_of(model, reader):
    weights = weights_of(model.state_dict())
    sums = pull(weights, reader.text, reader.labels)
    return weights, sums, terms(weights, sums)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("scale", [0.5, 3.0, 100.0])
@pytest.mark.parametrize("encoder", ENCODERS)
def test_terms_add_up_to_the_gradient_flow(encoder, scale, classes):
    model, reader = drawn_model(encoder, scale, classes), reader_of(classes)
    ids = np.arange(4, VOCABULARY)
    exact = flow(model, reader, ids)
    split = terms_of(model, reader)[-1]
    assert np.abs(split.polarity[ids] - exact.polarity).max() < 1e-12
    assert np.abs(split.attention[ids] - exact.attention).max() < 1e-12
    assert np.abs(exact.polarity).max() > 1e-4  # the comparison is not of zeros


@pytest.mark.parametrize("encoder", ["dp", "dp-a"])
@pytest.mark.parametrize("classes", [2, 3])
def test_rho_sums_to_zero_and_pi_to_the_errors(encoder, classes):
    reader = reader_of(classes)
    text = reader.text
    weights, sums, _ = terms_of(drawn_model(encoder, classes=classes), reader)
    assert abs(sums.rho.sum()) < 1e-12
    alpha = softmax_within(weights.attention[text.values], text)
    logits = np.add.reduceat(alpha[:, None] * weights.polarity[text.values], text.offsets[:-1])
    if classes == 2:
        y = np.where(reader.labels == 1, 1, -1)
        errors = (y / (1 + np.exp(y * logits[:, 0]))).sum()[None]
    else:
        shares = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
        errors = (np.eye(classes)[reader.labels] - shares).sum(0)
    assert np.allclose(sums.pi.sum(0), errors, atol=1e-12)


def test_vector_code_equals_the_sums_of_the_paper_over_all_pairs():
    reader = reader_of()
    weights, _, split = terms_of(drawn_model(scale=2.0), reader)
    m, scale = len(reader.labels), 2.0
    e, w, v = weights.embedding, weights.output[0], weights.context
    c, f, b, a = (np.zeros(VOCABULARY) for _ in range(4))
    for place, label in enumerate(reader.labels):
        ids = reader.text[place]
        scores = e[ids] @ v / scale
        alpha = np.exp(scores) / np.exp(scores).sum()
        s = e[ids] @ w
        y = 1 if label == 1 else -1
        force = y / (1 + np.exp(y * (alpha @ s)))
        for token, share, score in zip(ids, alpha, s, strict=True):
            b[token] += force * share * (w @ w) / m
            a[token] += force * share * (score - alpha @ s) * (v @ w) / scale / m
            for other in range(VOCABULARY):
                pull_on = force * share * (e[other] @ e[token]) / m
                c[other] += pull_on
                f[other] += pull_on * (score - alpha @ s) / scale**2
    for name, literal in (("a", a), ("b", b), ("c", c)):
        assert np.allclose(getattr(split, name)[:, 0], literal, atol=1e-12), name
    assert np.allclose(split.f, f, atol=1e-12)


def test_a_real_step_moves_scores_by_the_terms_and_a_second_order_rest():
    reader, model, rate = reader_of(), drawn_model().double(), 0.1
    split = terms_of(model, reader)[-1]
    ids = np.arange(4, VOCABULARY)
    before = alone(model, ids)
    model.eval()
    batch = reader.batch(reader.rows)
    logits, labels = model(Inputs.of(batch)).logits, torch.from_numpy(batch.labels)
    losses(logits, labels, torch.ones(2).double()).mean().backward()
    slope = {name: p.grad.clone() for name, p in model.named_parameters()}
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter -= rate * slope[name]
    after = alone(model, ids)
    rows = slope["embedding.weight"][ids]
    rest = rate**2 * (rows @ slope["head.layer.weight"].T).numpy()
    moved = after.polarity - before.polarity
    assert np.allclose(moved, rate * split.polarity[ids] + rest, atol=1e-13)
    rest = rate**2 * (rows @ slope["score.vector"]).numpy() / 3.0
    moved = after.attention - before.attention
    assert np.allclose(moved, rate * split.attention[ids] + rest, atol=1e-13)


def test_one_hot_attention_still_has_finite_terms():
    _, sums, split = terms_of(drawn_model(scale=1e-3), reader_of())
    assert np.isfinite(split.polarity).all()
    assert np.isfinite(split.attention).all()
    assert abs(sums.rho.sum()) < 1e-12
