"""The compiled step of DP against autograd with the same dropout masks."""

import numpy as np
import pytest
import torch

from stages.nn import optimizers
from stages.nn.kernels import dot_product
from stages.nn.stacked import is_dot_product
from tests.nn import toy

B, T, U, E = 5, 6, 9, 8


def masks(seed, width, count, share):
    """Dropout masks of `count` consecutive vectors, as the kernel computes them."""
    out = np.empty((count, width), np.float32)
    for place in range(count):
        dot_product.dropout_mask(np.uint32(seed), place * width, share, out[place])
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
    batch = (present, places, lengths, labels, weights)
    parameters = (vector, output, scale, dropout, np.uint32(7))
    losses, *gradients = dot_product.gradients(table, *batch, *parameters)
    embedded = masks(7, E, B * (T + 1), dropout[0]).reshape(B, T + 1, E)[:, :T]
    pooled = masks(7, E, B * (T + 1), dropout[1]).reshape(B, T + 1, E)[:, T]
    leaves = [
        torch.tensor(v, dtype=torch.float64, requires_grad=True) for v in (rows, vector, output)
    ]
    x = leaves[0][torch.from_numpy(places)] * torch.from_numpy(embedded)
    real = torch.arange(T) < torch.from_numpy(lengths).unsqueeze(1)
    alpha = (x @ leaves[1] / scale).masked_fill(~real, -torch.inf).softmax(1)
    logits = ((alpha.unsqueeze(-1) * x).sum(1) * torch.from_numpy(pooled)) @ leaves[2].T
    target = torch.from_numpy(labels)
    expected = optimizers.losses(logits, target, torch.ones(max(classes, 2)))
    (expected * torch.from_numpy(weights)[target]).sum().backward()
    assert np.allclose(losses, expected.detach(), atol=1e-4)
    for ours, theirs in zip(gradients, leaves, strict=True):
        size = max(1.0, float(theirs.grad.abs().max()))
        assert np.allclose(ours / size, theirs.grad / size, atol=2e-4)


@pytest.mark.parametrize("share", [0.0, 0.3, 0.5])
def test_dropout_drops_its_share_and_keeps_the_mean(share):
    values = masks(3, 100, 500, share)
    assert abs((values == 0).mean() - share) < 0.01
    assert abs(values.mean() - 1) < 0.02
    assert not share or not (values[0] == values[1]).all()
    assert (masks(3, 100, 5, share) == values[:5]).all()


def test_the_compiled_path_is_for_plain_dp_only():
    def compiled(encoder="none", bias=False, layer=False):
        kind = {"kind": encoder} | ({"bias": True} if encoder == "affine" else {})
        head = {"kind": "linear", "bias": bias, "xavier": False, "logit_dropout": 0.0}
        score = {"kind": "context", "scale": 2.0, "layer": layer}
        return is_dot_product(toy.network(toy.model(encoder=kind, score=score, head=head)))

    assert compiled()
    assert not compiled(encoder="affine")
    assert not compiled(bias=True)
    assert not compiled(layer=True)
