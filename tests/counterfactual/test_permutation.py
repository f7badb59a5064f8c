"""Permuted attention against a literal loop; permuting uniform weights changes nothing."""

import numpy as np
import pytest
import torch

from stages.counterfactual.permutation import permutations, permuted_changes
from tests.small import small_inputs, small_model


@pytest.mark.parametrize("pair", [False, True])
@pytest.mark.parametrize("classes", [2, 3])
def test_equals_the_literal_loop(classes, pair):
    model = small_model("bilstm", classes=classes, pair=pair)
    output = model(small_inputs(pair=pair))
    seeds = np.arange(5)
    changes = permuted_changes(model, output, 30, seeds)
    whole = model.probabilities(output.logits)
    shuffled = permutations(output.weights.numpy(), output.encoded.mask.numpy(), 30, seeds)
    for draw in range(30):
        under = model.decode(output.encoded, torch.from_numpy(shuffled[:, draw]))
        gap = (model.probabilities(under) - whole).abs().sum(-1)
        expected = gap if whole.shape[1] == 1 else gap / 2
        torch.testing.assert_close(changes[:, draw], expected, atol=1e-5, rtol=0)
    assert changes.max() > 0.005


def test_every_order_is_drawn_equally_often():
    weights = np.array([[9.0, 0.1, 0.2, 0.7, 9.0]], np.float32)
    mask = np.array([[False, True, True, True, False]])
    drawn = permutations(weights, mask, 60_000, np.array([7]))[0]
    assert (drawn[:, [0, 4]] == 9).all()
    orders, counts = np.unique(drawn, axis=0, return_counts=True)
    assert len(orders) == 6
    # 10,000 expected each, standard deviation 91
    assert np.abs(counts - 10_000).max() < 450


def test_permutations_of_a_document_do_not_depend_on_the_batch():
    draw = np.random.default_rng(0)
    weights, mask = draw.random((4, 6)).astype(np.float32), np.ones((4, 6), bool)
    batch = permutations(weights, mask, 5, np.array([1, 2, 3, 4]))
    single = permutations(weights[2:3], mask[2:3], 5, np.array([3]))
    np.testing.assert_array_equal(batch[2], single[0])


def test_uniform_weights_and_single_tokens_change_nothing():
    model = small_model(projection={"kind": "uniform"})
    changes = permuted_changes(model, model(small_inputs()), 10, np.arange(5))
    assert changes.abs().max() < 1e-6
    sharp = small_model()
    assert permuted_changes(sharp, sharp(small_inputs((1,))), 10, np.arange(1)).max() < 1e-6
