"""Compiled attention and look-ups against autograd with the same dropout masks."""

import numpy as np
import pytest
import torch

from stages.nn.kernels.pooling import (
    attend,
    attend_by_vector,
    distinct,
    dropout_mask,
    dropped_tokens,
    pool,
)

B, T, N, E = 5, 6, 9, 8
LENGTHS = torch.tensor([1, 6, 3, 2, 6])
MASK = torch.arange(T) < LENGTHS.unsqueeze(1)


def masks(seed, count, rate, width=E):
    """Dropout masks of `count` consecutive vectors."""
    out = np.empty((count, width))
    for place in range(count):
        dropout_mask(np.uint32(seed), place * width, rate, out[place])
    return torch.from_numpy(out)


def drawn(*shape, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, dtype=torch.float64, generator=generator).requires_grad_()


def places():
    """Which state each position has, -1 at padding; several positions share one."""
    drawn_places = torch.randint(0, N, (B, T), generator=torch.Generator().manual_seed(2))
    return torch.where(MASK, drawn_places, -1)


def agree(ours, literal, leaves):
    """The same outputs, and the same gradients of a function of them."""
    gradients = []
    for some in (ours, literal):
        loss = sum((output * (output + 0.3)).sum() for output in some)
        gradients.append(torch.autograd.grad(loss, leaves))
    for one, other in zip((*ours, *gradients[0]), (*literal, *gradients[1]), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-6, atol=1e-9)


def literal_attention(tokens, scores):
    weights = scores.masked_fill(~MASK, -torch.inf).softmax(1)
    return (weights.unsqueeze(-1) * tokens).sum(1), weights


@pytest.mark.parametrize("rate", [0.0, 0.2, 0.5])
@pytest.mark.parametrize("scale", [0.01, 1.0, 1000.0])
def test_attention_by_a_vector(scale, rate):
    rows, vector = drawn(N, E), drawn(E, seed=1)
    ours = attend_by_vector(rows, vector / scale, places(), rate, seed=7)
    tokens = rows[places().clamp(min=0)] * masks(7, B * T, rate).view(B, T, E)
    agree(ours, literal_attention(tokens, tokens @ vector / scale), (rows, vector))


@pytest.mark.parametrize("counted", [False, True])
def test_attention_by_scores(counted):
    states, scores = drawn(N, E), drawn(N, seed=1)
    log_counts = torch.arange(1.0, B * T + 1, dtype=torch.float64).view(B, T).log()
    ours = attend(states, scores, places(), log_counts if counted else None)
    at = places().clamp(min=0)
    added = log_counts if counted else 0.0
    agree(ours, literal_attention(states[at], scores[at] + added), (states, scores))


def test_sums_by_weights():
    weights, states = drawn(B, T), drawn(N, E, seed=1)
    literal = ((weights * MASK).unsqueeze(-1) * states[places().clamp(min=0)]).sum(1)
    agree([pool(weights, states, places())], [literal], (weights, states))


@pytest.mark.parametrize("rate", [0.2, 0.5])
def test_tokens_looked_up_with_dropout(rate):
    rows, at = drawn(N, E), places()[MASK]
    literal = rows[at] * masks(7, len(at), rate)
    agree([dropped_tokens(rows, at, rate, seed=7)], [literal], (rows,))


def test_types_inside_the_mask_and_the_place_of_each_token():
    tokens = np.array([[7, 2, 2, 5], [9, 5, 0, 0]])
    mask = np.array([[True, True, True, False], [True, True, False, False]])
    types, at = distinct(tokens, mask, 12)
    assert types.tolist() == [2, 5, 7, 9]
    assert at.tolist() == [[2, 0, 0, -1], [3, 1, -1, -1]]


@pytest.mark.parametrize("rate", [0.0, 0.3, 0.5])
def test_dropout_drops_its_share_and_keeps_the_mean(rate):
    values = masks(3, 500, rate, width=100)
    assert abs((values == 0).double().mean() - rate) < 0.01
    assert abs(values.mean() - 1) < 0.02
    assert not rate or not (values[0] == values[1]).all()
    assert (masks(3, 5, rate, width=100) == values[:5]).all()
