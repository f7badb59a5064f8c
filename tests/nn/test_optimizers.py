"""Losses by hand, weight decay by part, fused optimisers against plain ones."""

from functools import partial
from math import log

import pytest
import torch

from stages.nn.optimizers import groups, losses, optimizer
from tests.nn import toy

DECAY = {"embedding": 0.1, "encoder": 0.2, "attention": 0.3, "head": 0.4}
PLAIN = {
    "adam": torch.optim.Adam,
    "amsgrad": partial(torch.optim.Adam, amsgrad=True),
    "adagrad": partial(torch.optim.Adagrad, lr_decay=0.1),
    "sgd": torch.optim.SGD,
}  # as documented by torch


def training(kind="adam", **changes):
    rule = {"optimizer": kind, "learning_rate": 0.05, "weight_decay": DECAY}
    return toy.training(**(rule | changes))


def test_loss_of_one_logit_by_hand():
    # sigmoid(ln 3) = 3/4: -ln(3/4) for class 1, -ln(1/4) for class 0; class 1 weighs double
    logits = torch.tensor([[log(3)], [log(3)], [0.0]])
    values = losses(logits, torch.tensor([1, 0, 1]), torch.tensor([1.0, 2.0]))
    expected = [-2 * log(3 / 4), -log(1 / 4), 2 * log(2)]
    torch.testing.assert_close(values, torch.tensor(expected))


def test_loss_of_several_logits_by_hand():
    # softmax of ln 1, ln 3, ln 6 is .1, .3, .6; the classes weigh 1, 2, 5
    logits = torch.tensor([[0.0, log(3), log(6)]]).expand(3, 3)
    values = losses(logits, torch.tensor([2, 0, 1]), torch.tensor([1.0, 2.0, 5.0]))
    torch.testing.assert_close(values, torch.tensor([-5 * log(0.6), -log(0.1), -2 * log(0.3)]))


def test_loss_of_candidates_is_finite_with_finite_gradients():
    logits = torch.tensor([[0.0, log(3), 9.0]], requires_grad=True)
    barred = logits.masked_fill(torch.tensor([[False, False, True]]), -torch.inf)
    values = losses(barred, torch.tensor([1]), torch.ones(3))
    values.sum().backward()
    torch.testing.assert_close(values.detach(), torch.tensor([-log(3 / 4)]))
    torch.testing.assert_close(logits.grad, torch.tensor([[0.25, -0.25, 0.0]]))


def test_a_confident_wrong_prediction_has_a_large_and_finite_loss():
    values = losses(torch.tensor([[200.0], [-200.0]]), torch.tensor([0, 1]), torch.ones(2))
    assert values.tolist() == [200.0, 200.0]


def expected_decay(name):
    """Decay by the first word of a parameter's name, the prefix `words.` aside."""
    if "score.layer" in name:
        return DECAY["encoder"]  # the layer that Sun & Lu's AD adds
    first = name.removeprefix("words.").split(".")[0].removeprefix("query_")
    return DECAY["attention" if first == "score" else first]


@pytest.mark.parametrize("kind", ["bilstm", "transformer", "cnn", "affine"])
def test_decay_of_each_parameter_is_that_of_its_part(model, encoders, architecture, kind, score):
    built = model(architecture, encoder=encoders[kind], score=score)
    parameter_groups = groups(built.named_parameters(), training())
    decays = {id(p): group["weight_decay"] for group in parameter_groups for p in group["params"]}
    assert sum(len(group["params"]) for group in parameter_groups) == len(list(built.parameters()))
    for name, parameter in built.named_parameters():
        assert decays[id(parameter)] == expected_decay(name), name
    assert {DECAY["embedding"], DECAY["head"]} <= set(decays.values())


def test_groups_of_equal_decay_are_one(model):
    decay = {"embedding": 0.1, "encoder": 0.1, "head": 0.1}  # attention: none, as Jain & Wallace
    encoder, score = {"kind": "bilstm", "hidden": 3}, {"kind": "additive", "divisor": 2}
    built = model(encoder=encoder, score=score)
    parameter_groups = groups(built.named_parameters(), training(weight_decay=decay))
    assert sorted(group["weight_decay"] for group in parameter_groups) == [0.0, 0.1]
    (free,) = (group["params"] for group in parameter_groups if group["weight_decay"] == 0)
    assert {id(p) for p in free} == {id(p) for p in built.score.parameters()}


def stepped(built, batch, used, steps):
    """Parameters after some steps of an optimiser."""
    for _ in range(steps):
        used.zero_grad()
        losses(built(batch).logits, torch.tensor([0, 1, 2, 0, 1]), torch.ones(3)).mean().backward()
        used.step()
    return built.state_dict()


@pytest.mark.parametrize("steps", [1, 5])
@pytest.mark.parametrize("kind", PLAIN)
def test_fused_steps_equal_plain_steps(model, inputs, kind, steps):
    options = {"encoder": {"kind": "bilstm", "hidden": 3}, "score": {"kind": "dot"}}
    start, one, other = model(**options).state_dict(), model(**options), model(**options)
    decayed = [
        {"params": [parameter], "weight_decay": expected_decay(name)}
        for name, parameter in one.named_parameters()
    ]
    plain = PLAIN[kind](decayed, 0.05, fused=False, foreach=False)
    expected = stepped(one, inputs(), plain, steps)
    ours = optimizer(other.named_parameters(), training(kind, rate_decay=0.1))
    fused = stepped(other, inputs(), ours, steps)
    for name, value in expected.items():
        torch.testing.assert_close(fused[name], value, atol=1e-6, rtol=1e-5)
        assert not torch.equal(value, start[name]), name
    assert not fused["embedding.weight"][0].any()
