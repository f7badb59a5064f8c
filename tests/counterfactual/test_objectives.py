"""Losses of retrained adversaries and AtteFa: values by hand, corner cases, finite slopes."""

import math

import numpy as np
import pytest
import torch

from stages.counterfactual.objectives import Objective, smoothed_jensen_shannon
from stages.statistics.attefa import LARGEST, attefa, of_constant
from stages.statistics.divergences import jensen_shannon, smoothed_relative

OUTPUTS, BASE = torch.tensor([[0.9], [0.4]]), torch.tensor([[0.6], [0.4]])
MOVED = torch.tensor([[1.0, 0.0], [0.5, 0.5]])
OWN = torch.tensor([[0.0, 1.0], [0.5, 0.5]])


def test_bounded_loss_by_hand():
    # the first document: outputs differ by 0.3, attention is as far as possible
    losses = Objective("bounded").of(OUTPUTS, BASE, MOVED, OWN)
    torch.testing.assert_close(losses, torch.tensor([0.3 - 1.0, 0.0]), atol=1e-6, rtol=0)


def test_swept_loss_by_hand():
    moved, own = torch.tensor([[0.8, 0.2, 0.0]]), torch.tensor([[0.5, 0.5, 0.0]])
    divergence = 0.8 * math.log(0.8 / 0.5) + 0.2 * math.log(0.2 / 0.5)
    loss = Objective("swept", 2.0).of(OUTPUTS[:1], BASE[:1], moved, own)
    assert loss.item() == pytest.approx(0.15 - 2 * divergence, abs=1e-6)


def test_with_sparse_bases_the_divergence_is_bounded():
    loss = Objective("swept", 2.0, sparse=True).of(OUTPUTS[:1], BASE[:1], MOVED[:1], OWN[:1])
    assert loss.item() == pytest.approx(0.15 - 2 * LARGEST, abs=1e-5)
    # there only the smoothing keeps the Kullback-Leibler divergence finite
    assert smoothed_relative(MOVED[0], OWN[0]).item() == pytest.approx(-math.log(1e-10), rel=1e-3)


def test_smoothed_divergence_is_the_exact_one_with_a_finite_slope():
    draw = np.random.default_rng(0)
    p, q = (torch.from_numpy(draw.dirichlet(np.full(5, 0.3), 20)) for _ in range(2))
    smoothed, exact = smoothed_jensen_shannon(p, q), jensen_shannon(p, q)
    torch.testing.assert_close(smoothed, exact, atol=1e-8, rtol=0)
    free = MOVED.clone().requires_grad_()
    smoothed_jensen_shannon(free, OWN).sum().backward()
    assert torch.isfinite(free.grad).all()


def test_attefa_of_a_constant_output_is_half_over_the_scaled_divergence():
    """AF13: a confident and balanced base, an adversary with a constant output."""
    base = torch.tensor([[0.0], [1.0], [1.0], [0.0]])
    draw = np.random.default_rng(1)
    own, moved = (torch.from_numpy(draw.dirichlet(np.ones(6), 4)) for _ in range(2))
    divergence = float(jensen_shannon(moved, own).mean())
    for constant in (0.0, 0.3, 0.5, 1.0):
        change = float((torch.full_like(base, constant) - base).abs().mean())
        expected = min(0.5 / (divergence / LARGEST), 1.0)
        assert attefa(change, divergence) == pytest.approx(expected)
    assert attefa(0.5, LARGEST) == pytest.approx(0.5)
    assert attefa(0.5, 0.8 * LARGEST) == pytest.approx(0.625)


def test_attefa_is_capped_at_one_and_one_without_divergence():
    assert attefa(0.3, 0.1 * LARGEST) == 1.0
    assert attefa(0.0, 0.0) == 1.0
    assert attefa(0.1, LARGEST) == pytest.approx(0.1)


def test_attefa_of_a_collapsed_adversary_is_higher_for_less_peaked_bases():
    """Published for the MLP: .815 on Mock-1, about .5 where only informative words have weight."""
    values = of_constant(np.array([0.765, 0.992, 0.998]))
    assert values.tolist() == sorted(values.tolist(), reverse=True)
    assert values[1:] == pytest.approx([0.5 / (0.670 / LARGEST), 0.5 / (0.686 / LARGEST)], abs=0.01)
    assert values[0] == pytest.approx(0.5 / (0.393 / LARGEST), abs=0.01)
