"""Losses of retrained adversaries and AtteFa: numbers by hand, corners, finite slopes."""

import math

import numpy as np
import pytest
import torch

from stages.counterfactual.objectives import Objective, smoothed_jensen_shannon
from stages.statistics.attefa import LARGEST, attefa, of_constant
from stages.statistics.divergences import jensen_shannon, smoothed_relative

SAID, BASE = torch.tensor([[0.9], [0.4]]), torch.tensor([[0.6], [0.4]])
MOVED = torch.tensor([[1.0, 0.0], [0.5, 0.5]])
OWN = torch.tensor([[0.0, 1.0], [0.5, 0.5]])


def test_bounded_loss_by_hand():
    # the first document: outputs 0.3 apart, attention as far as can be
    found = Objective("bounded").of(SAID, BASE, MOVED, OWN)
    torch.testing.assert_close(found, torch.tensor([0.3 - 1.0, 0.0]), atol=1e-6, rtol=0)


def test_swept_loss_by_hand():
    moved, own = torch.tensor([[0.8, 0.2, 0.0]]), torch.tensor([[0.5, 0.5, 0.0]])
    divergence = 0.8 * math.log(0.8 / 0.5) + 0.2 * math.log(0.2 / 0.5)
    found = Objective("swept", 2.0).of(SAID[:1], BASE[:1], moved, own)
    assert found.item() == pytest.approx(0.15 - 2 * divergence, abs=1e-6)


def test_sparse_bases_are_left_by_the_bounded_divergence():
    found = Objective("swept", 2.0, sparse=True).of(SAID[:1], BASE[:1], MOVED[:1], OWN[:1])
    assert found.item() == pytest.approx(0.15 - 2 * LARGEST, abs=1e-5)
    # Kullback-Leibler is only held finite by the smoothing there
    assert smoothed_relative(MOVED[0], OWN[0]).item() == pytest.approx(-math.log(1e-10), rel=1e-3)


def test_smoothed_divergence_is_the_exact_one_with_a_finite_slope():
    draw = np.random.default_rng(0)
    p, q = (torch.from_numpy(draw.dirichlet(np.full(5, 0.3), 20)) for _ in range(2))
    found, exact = smoothed_jensen_shannon(p, q), jensen_shannon(p, q)
    torch.testing.assert_close(found, exact, atol=1e-8, rtol=0)
    free = MOVED.clone().requires_grad_()
    smoothed_jensen_shannon(free, OWN).sum().backward()
    assert torch.isfinite(free.grad).all()


def test_attefa_of_a_constant_output_is_half_over_the_scaled_divergence():
    """AF13: a sure and balanced base, an adversary that always says the same."""
    base = torch.tensor([[0.0], [1.0], [1.0], [0.0]])
    draw = np.random.default_rng(1)
    own, moved = (torch.from_numpy(draw.dirichlet(np.ones(6), 4)) for _ in range(2))
    divergence = float(jensen_shannon(moved, own).mean())
    for constant in (0.0, 0.3, 0.5, 1.0):
        change = float((torch.full_like(base, constant) - base).abs().mean())
        found = attefa(change, divergence)
        assert found == pytest.approx(min(0.5 / (divergence / LARGEST), 1.0))
    assert attefa(0.5, LARGEST) == pytest.approx(0.5)
    assert attefa(0.5, 0.8 * LARGEST) == pytest.approx(0.625)


def test_attefa_is_capped_and_one_where_nothing_moved():
    assert attefa(0.3, 0.1 * LARGEST) == 1.0
    assert attefa(0.0, 0.0) == 1.0
    assert attefa(0.1, LARGEST) == pytest.approx(0.1)


def test_a_collapsed_adversary_looks_more_faithful_the_less_the_base_attends():
    """Printed for the MLP: .815 on Mock-1, about .5 where the base looks at the words alone."""
    values = of_constant(np.array([0.765, 0.992, 0.998]))
    assert values.tolist() == sorted(values.tolist(), reverse=True)
    assert values[1:] == pytest.approx([0.5 / (0.670 / LARGEST), 0.5 / (0.686 / LARGEST)], abs=0.01)
    assert values[0] == pytest.approx(0.5 / (0.393 / LARGEST), abs=0.01)
