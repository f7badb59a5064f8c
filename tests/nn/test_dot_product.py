"""The compiled step of DP equals torch's, with dropout decided alike."""

import numpy as np
import pytest
import torch

from stages.corpora.batching import Reader
from stages.nn import by_type, dot_product
from stages.nn.build import build
from stages.nn.ensemble import Runs
from stages.nn.training import collect, predict
from tests.nn import toy

B, T, U, E = 5, 6, 9, 8


def masks(seed, width, count, share):
    """Dropout of `count` consecutive vectors, as the kernel decides it."""
    out = np.empty((count, width), np.float32)
    for place in range(count):
        dot_product.kept(np.uint32(seed), place * width, share, out[place])
    return out


@pytest.mark.parametrize("classes", [1, 3])
@pytest.mark.parametrize("dropout", [(0.0, 0.0), (0.5, 0.5), (0.2, 0.7)])
@pytest.mark.parametrize("scale", [0.001, 2.0, 10000.0])
def test_losses_and_gradients(scale, dropout, classes):
    draw = np.random.default_rng(0)
    rows, vector = draw.normal(size=(U, E)), draw.normal(size=E)
    output = draw.normal(size=(classes, E))
    rows, vector, output = (v.astype(np.float32) for v in (rows, vector, output))
    places, lengths = draw.integers(0, U, (B, T)), np.array([1, 6, 3, 2, 6])
    labels = draw.integers(0, max(classes, 2), B)
    weights = np.linspace(0.5, 1.5, max(classes, 2)).astype(np.float32)
    present = np.arange(U) * 2 + 1
    table = np.zeros((2 * U + 1, E), np.float32)
    table[present] = rows
    found = dot_product.gradients(
        table,
        present,
        places,
        lengths,
        labels,
        weights,
        vector,
        output,
        scale,
        dropout,
        np.uint32(7),
    )
    embedded = masks(7, E, B * (T + 1), dropout[0]).reshape(B, T + 1, E)[:, :T]
    pooled = masks(7, E, B * (T + 1), dropout[1]).reshape(B, T + 1, E)[:, T]
    given = [
        torch.tensor(v, dtype=torch.float64, requires_grad=True) for v in (rows, vector, output)
    ]
    x = given[0][torch.from_numpy(places)] * torch.from_numpy(embedded)
    real = torch.arange(T) < torch.from_numpy(lengths).unsqueeze(1)
    alpha = (x @ given[1] / scale).masked_fill(~real, -torch.inf).softmax(1)
    logits = ((alpha.unsqueeze(-1) * x).sum(1) * torch.from_numpy(pooled)) @ given[2].T
    target = torch.from_numpy(labels)
    if classes == 1:
        lost = torch.nn.functional.binary_cross_entropy_with_logits(
            logits[:, 0], target.double(), reduction="none"
        )
    else:
        lost = torch.nn.functional.cross_entropy(logits, target, reduction="none")
    (lost * torch.from_numpy(weights)[target]).sum().backward()
    assert np.allclose(found[0], lost.detach(), atol=1e-4)
    for ours, theirs in zip(found[1:], given, strict=True):
        size = max(1.0, float(theirs.grad.abs().max()))
        assert np.allclose(ours / size, theirs.grad / size, atol=2e-4)


@pytest.mark.parametrize("share", [0.0, 0.3, 0.5])
def test_dropout_drops_its_share_and_keeps_the_mean(share):
    found = masks(3, 100, 500, share)
    assert abs((found == 0).mean() - share) < 0.01
    assert abs(found.mean() - 1) < 0.02
    assert not share or not (found[0] == found[1]).all()
    assert (masks(3, 100, 5, share) == found[:5]).all()


def test_only_plain_dot_products_take_the_compiled_way():
    def compiled(encoder="none", bias=False, layer=False, optimizer="adagrad"):
        kind = {"kind": encoder} | ({"bias": True} if encoder == "affine" else {})
        head = {"kind": "linear", "bias": bias, "xavier": False, "logit_dropout": 0.0}
        score = {"kind": "context", "scale": 2.0, "layer": layer}
        model = build(toy.model(encoder=kind, score=score, head=head), toy.vectors(), 2, False)
        return Runs([model, model], toy.training(optimizer=optimizer)).compiled

    assert compiled()
    assert compiled(optimizer="adam")
    assert not compiled(encoder="affine")
    assert not compiled(bias=True)
    assert not compiled(layer=True)


@pytest.mark.parametrize("add_boundary_tokens", [True, False])
@pytest.mark.parametrize("encoder", ["none", "affine", "average"])
@pytest.mark.parametrize("projection", ["softmax", "sparsemax", "uniform"])
def test_predictions_by_type_are_those_of_whole_documents(encoder, projection, add_boundary_tokens):
    options = {"affine": {"bias": True}, "average": {"hidden": 6, "activation": "tanh"}}
    torch.manual_seed(0)
    model = build(
        toy.model(
            encoder={"kind": encoder} | options.get(encoder, {}), projection={"kind": projection}
        ),
        toy.vectors(),
        2,
        False,
    )
    reader = Reader(toy.corpus(), "test", add_boundary_tokens=add_boundary_tokens)
    assert by_type.applies(model)
    whole = collect(model, reader, lambda output: model.probabilities(output.logits))
    assert np.allclose(predict(model, reader), whole, atol=1e-6)


def test_models_with_context_are_predicted_whole():
    model = build(toy.model(encoder={"kind": "bilstm", "hidden": 4}), toy.vectors(), 2, False)
    assert not by_type.applies(model)
