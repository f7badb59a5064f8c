"""Projections against entmax, their definition, finite differences and values by hand."""

import entmax
import numpy as np
import pytest
import torch
from scipy.optimize import minimize

from stages.nn.projections.frozen import Frozen
from stages.nn.projections.softmax import Softmax
from stages.nn.projections.sparsegen import Sparsegen
from stages.nn.projections.sparsemax import Sparsemax
from stages.nn.projections.uniform import Uniform

STRENGTHS = (-9.0, -1.0, 0.0, 0.5, 0.9)
LEARNED = {"softmax": Softmax(), "sparsemax": Sparsemax()} | {
    f"sparsegen {strength}": Sparsegen(strength) for strength in STRENGTHS
}
ALL = LEARNED | {"uniform": Uniform()}
SHAPES = [(1, 1), (6, 1), (1, 2), (5, 3), (4, 17), (3, 200)]
SCORES = {
    "normal": lambda *shape: torch.randn(*shape),
    "close": lambda *shape: torch.randn(*shape) / 50,
    "ties": lambda *shape: torch.randint(0, 3, shape) / 2,
    "equal": lambda *shape: torch.full(shape, -7.5),
    "large": lambda *shape: (torch.rand(*shape) * 2 - 1) * 1e4,
    "extreme": lambda *shape: torch.randint(0, 2, shape) * 2e4 - 1e4,
}


@pytest.fixture(autouse=True)
def seeded():
    torch.manual_seed(1)


def drawn_mask(*shape):
    mask = torch.rand(shape) < 0.6
    mask[..., 0] |= ~mask.any(-1)
    return mask


def with_gradient(project, scores, grad_out):
    """Weights, and the gradient of their product with `grad_out`."""
    leaf = scores.clone().requires_grad_()
    weights = project(leaf)
    (gradient,) = torch.autograd.grad(weights, leaf, grad_out)
    return weights.detach(), gradient


def ours(part, scores, mask, grad_out):
    return with_gradient(lambda leaf: part(leaf, mask, None), scores, grad_out)


def theirs(scores, grad_out):
    return with_gradient(lambda leaf: entmax.sparsemax(leaf, dim=-1), scores, grad_out)


@pytest.mark.parametrize("masked", [True, False])
@pytest.mark.parametrize("kind", SCORES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_sparsemax_equals_entmax_of_the_unmasked_scores(shape, kind, masked):
    scores, grad_out = SCORES[kind](*shape), torch.randn(shape)
    mask = drawn_mask(*shape) if masked else torch.ones(shape, dtype=torch.bool)
    weights, gradient = ours(Sparsemax(), scores, mask, grad_out)
    assert not weights[~mask].any()
    assert not gradient[~mask].any()
    for row, kept in enumerate(mask):
        expected, expected_gradient = theirs(scores[row, kept], grad_out[row, kept])
        torch.testing.assert_close(weights[row, kept], expected, atol=1e-6, rtol=0)
        torch.testing.assert_close(gradient[row, kept], expected_gradient, atol=1e-6, rtol=0)


def test_sparsemax_by_hand():
    # sorted 1, .5, -1; 1 + 2 * .5 > 1.5 but 1 + 3 * -1 < .5, so two are in: tau = (1.5 - 1) / 2
    scores = torch.tensor([[-1.0, 1.0, 0.5]])
    grad_out = torch.tensor([[9.0, 3.0, 1.0]])  # on the support less its mean there, 2
    weights, gradient = ours(Sparsemax(), scores, torch.ones(1, 3, dtype=torch.bool), grad_out)
    torch.testing.assert_close(weights, torch.tensor([[0.0, 0.75, 0.25]]))
    torch.testing.assert_close(gradient, torch.tensor([[0.0, 1.0, -1.0]]))


def test_softmax_by_hand():
    scores = torch.tensor([[1.0, 3.0, 9.0, 6.0]]).log()
    weights = Softmax()(scores, torch.tensor([[True, True, False, True]]), None)
    torch.testing.assert_close(weights, torch.tensor([[0.1, 0.3, 0.0, 0.6]]))


@pytest.mark.parametrize("name", LEARNED)
@pytest.mark.parametrize("shape", [(1, 1), (3, 2), (4, 7)], ids=str)
def test_gradients_are_those_of_finite_differences(shape, name):
    scores = torch.randn(shape, dtype=torch.float64, requires_grad=True)
    mask = drawn_mask(*shape)
    mask[-1] = shape[0] == 1  # the mask of the last of several rows is empty
    part = LEARNED[name]
    assert torch.autograd.gradcheck(lambda z: part(z, mask, None), (scores,))


@pytest.mark.parametrize("strength", STRENGTHS)
@pytest.mark.parametrize("seed", range(4))
def test_sparsegen_minimises_its_objective(strength, seed):
    draw = np.random.default_rng(seed)
    scores = draw.normal(size=5)
    mask = torch.ones(1, 5, dtype=torch.bool)
    weights = Sparsegen(strength)(torch.from_numpy(scores)[None], mask, None)[0].numpy()

    def objective(point):
        return ((point - scores) ** 2).sum(-1) - strength * (point**2).sum(-1)

    others = np.vstack([draw.dirichlet(np.full(5, a), 1000) for a in (0.1, 1, 10)])
    near = (1 - 1e-3) * weights + 1e-3 * others
    assert objective(weights) <= min(objective(others).min(), objective(near).min()) + 1e-12
    minimum = minimize(
        objective,
        np.full(5, 0.2),
        method="SLSQP",
        bounds=[(0, 1)] * 5,
        constraints={"type": "eq", "fun": lambda point: point.sum() - 1},
        options={"ftol": 1e-15, "maxiter": 500},
    )
    np.testing.assert_allclose(weights, minimum.x, atol=1e-5)


def test_sparsegen_goes_from_uniform_to_one_hot():
    scores, mask = torch.randn(6, 8), drawn_mask(6, 8)
    uniform = Sparsegen(-1e9)(scores, mask, None)
    torch.testing.assert_close(uniform, Uniform()(scores, mask, None), atol=1e-6, rtol=0)
    one_hot = Sparsegen(1 - 1e-6)(scores, mask, None)
    best = scores.masked_fill(~mask, -torch.inf).argmax(-1)
    assert torch.equal(one_hot, torch.nn.functional.one_hot(best, 8).float())
    supports = [int((Sparsegen(s)(scores, mask, None) > 0).sum()) for s in STRENGTHS]
    assert supports == sorted(supports, reverse=True)
    assert supports[0] > supports[-1]


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("kind", SCORES)
def test_weights_lie_on_the_simplex_of_the_mask(kind, name):
    scores, mask = SCORES[kind](7, 30), drawn_mask(7, 30)
    weights = ALL[name](scores, mask, None)
    assert (weights >= 0).all()
    assert not weights[~mask].any()
    torch.testing.assert_close(weights.sum(-1), torch.ones(7), atol=1e-5, rtol=0)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("garbage", [1e30, -1e30, torch.inf, torch.nan])
def test_scores_outside_the_mask_have_no_effect(garbage, name):
    scores, mask = torch.randn(5, 12), drawn_mask(5, 12)
    changed = scores.masked_fill(~mask, garbage)
    assert torch.equal(ALL[name](changed, mask, None), ALL[name](scores, mask, None))


@pytest.mark.parametrize("name", LEARNED)
def test_a_row_with_an_empty_mask_is_zero(name):
    scores, grad_out = torch.randn(3, 4), torch.randn(3, 4)
    mask = torch.tensor([[True] * 4, [False] * 4, [False, True, True, False]])
    weights, gradient = ours(LEARNED[name], scores, mask, grad_out)
    assert weights[1].tolist() == gradient[1].tolist() == [0.0] * 4
    assert weights.isfinite().all()
    assert gradient.isfinite().all()
    assert weights[[0, 2]].any(-1).all()


def test_uniform_weights_ignore_the_scores():
    mask = torch.tensor([[True, True, False, True], [False, True, False, False], [False] * 4])
    weights = Uniform()(torch.randn(3, 4), mask, None)
    third = 1 / 3
    expected = [[third, third, 0, third], [0, 1, 0, 0], [0, 0, 0, 0]]
    torch.testing.assert_close(weights, torch.tensor(expected, dtype=torch.float32))


def test_frozen_weights_are_those_of_the_inputs():
    weights = torch.tensor([[0.25, 0.75]])
    assert torch.equal(Frozen()(torch.randn(1, 2), torch.ones(1, 2).bool(), weights), weights)
    with pytest.raises(ValueError, match="needs inputs that carry weights"):
        Frozen()(torch.randn(1, 2), torch.ones(1, 2).bool(), None)
