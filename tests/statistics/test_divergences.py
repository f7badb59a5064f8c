"""Divergences against SciPy and in corner cases."""

import numpy as np
import pytest
import torch
from scipy.spatial.distance import jensenshannon

from stages.statistics.divergences import jensen_shannon, total_variation


def test_jensen_shannon_equals_scipy_with_zeros_too():
    draw = np.random.default_rng(0)
    p, q = draw.dirichlet(np.full(7, 0.3), size=(2, 50))
    p[0], q[0] = np.eye(7)[0], np.eye(7)[1]
    p[1, 3:] = 0
    p[1] /= p[1].sum()
    divergences = jensen_shannon(torch.from_numpy(p), torch.from_numpy(q))
    np.testing.assert_allclose(divergences, jensenshannon(p, q, axis=1) ** 2, atol=1e-12)
    assert divergences[0].item() == pytest.approx(np.log(2))
    assert jensen_shannon(torch.from_numpy(p), torch.from_numpy(p)).abs().max() < 1e-12


def test_total_variation():
    one, other = torch.tensor([[0.2]]), torch.tensor([[0.7]])
    assert total_variation(one, other).item() == pytest.approx(0.5)
    p, q = torch.tensor([[0.2, 0.3, 0.5]]), torch.tensor([[0.5, 0.3, 0.2]])
    assert total_variation(p, q).item() == pytest.approx(0.3)
    assert total_variation(p, p).item() == 0
