"""Scores and heads on three tokens with two dimensions, by hand.

tanh(ln 2) = (4 - 1) / (4 + 1) = 0.6, tanh(ln 3) = (9 - 1) / (9 + 1) = 0.8, tanh(ln 4) = 15 / 17.
"""

from math import log

import pytest
import torch
from torch import Tensor

from stages.nn.attention import AttentionModel
from stages.nn.encoders.none import NoEncoder
from stages.nn.heads.linear import Linear
from stages.nn.heads.pair import Pair
from stages.nn.inputs import Inputs
from stages.nn.projections.softmax import Softmax
from stages.nn.scores.additive import Additive
from stages.nn.scores.context import Context
from stages.nn.scores.dot import Dot

LN2, LN3 = log(2), log(3)
STATES = torch.tensor([[[1.0, 0.0], [0.0, 1.0], [-1.0, 1.0]]])  # (1, 3, 2)


W, B = [[LN2, 0.0], [0.0, LN3]], [LN2, 0.0]


def load(module: torch.nn.Module, values: dict) -> None:
    """Set parameters by name; all of them must be named."""
    shapes = {name: parameter.shape for name, parameter in module.named_parameters()}
    tensors = {name: torch.tensor(value) for name, value in values.items()}
    assert {name: tensor.shape for name, tensor in tensors.items()} == shapes
    module.load_state_dict(tensors, strict=False)  # buffers keep their values


def close(values: Tensor, expected: list) -> None:
    torch.testing.assert_close(values.detach(), torch.tensor(expected), atol=1e-6, rtol=1e-6)


@pytest.mark.parametrize(
    ("score", "parameters", "query", "expected"),
    [
        # W h + b: (2 ln 2, 0), (ln 2, ln 3), (0, ln 3); tanh: (15/17, 0), (.6, .8), (0, .8)
        # 17 * 15/17 = 15;  17 * .6 + 10 * .8 = 18.2;  10 * .8 = 8
        (
            Additive(size=2, pair=False, divisor=1),
            {"of_state.weight": W, "of_state.bias": B, "vector.weight": [[17.0, 10.0]]},
            None,
            [15.0, 18.2, 8.0],
        ),
        # U q + c = (-ln 2, -ln 3); added to the rows above:
        # (ln 2, -ln 3), (0, 0), (-ln 2, 0); tanh: (.6, -.8), (0, 0), (-.6, 0)
        # 10 * .6 - 5 * .8 = 2;  0;  10 * -.6 = -6
        (
            Additive(size=2, pair=True, divisor=1),
            {"of_state.weight": W, "of_state.bias": B, "vector.weight": [[10.0, 5.0]]}
            | {"of_query.weight": [[-LN2, 0.0], [0.0, 0.0]], "of_query.bias": [0.0, -LN3]},
            [1.0, 7.0],
            [2.0, 0.0, -6.0],
        ),
        # w . h = 3, -1, -3 - 1 = -4, each over the root of two: 1 / 1.41421356 = .70710678
        (
            Dot(size=2, pair=False),
            {"vector.weight": [[3.0, -1.0]]},
            None,
            [2.12132034, -0.70710678, -2.82842712],
        ),
        # q . h = 2, 4, -2 + 4 = 2, over the root of two; no parameters
        (Dot(size=2, pair=True), {}, [2.0, 4.0], [1.41421356, 2.82842712, 1.41421356]),
        # V . h = 2, -3, -2 - 3 = -5, over 10
        (Context(size=2, scale=10.0), {"vector": [2.0, -3.0]}, None, [0.2, -0.3, -0.5]),
        # tanh(M h + b) as in the first case; 15;  17 * .6 - 10 * .8 = 2.2;  -8;  over 10
        (
            Context(size=2, scale=10.0, layer=True),
            {"vector": [17.0, -10.0], "layer.weight": W, "layer.bias": B},
            None,
            [1.5, 0.22, -0.8],
        ),
    ],
    ids=["additive", "additive query", "dot", "dot query", "context", "context layer"],
)
def test_scores_by_hand(score, parameters, query, expected):
    load(score, parameters)
    close(score(STATES, None if query is None else torch.tensor([query])), [expected])


@pytest.mark.parametrize(("size", "divisor", "inner"), [(6, 2, 3), (6, 1, 6), (5, 2, 2)])
def test_additive_score_has_the_inner_size_of_its_divisor(size, divisor, inner):
    score = Additive(size=size, pair=True, divisor=divisor)
    assert score.of_state.weight.shape == score.of_query.weight.shape == (inner, size)
    assert score.vector.bias is None


def test_the_context_vector_is_standard_normal():
    torch.manual_seed(0)
    vector = Context(size=10_000, scale=1.0).vector
    assert abs(float(vector.detach().mean())) < 0.05
    assert abs(float(vector.detach().std()) - 1) < 0.05


def linear(outputs: int, bias: bool = True) -> Linear:
    return Linear(size=2, outputs=outputs, bias=bias, xavier=False, logit_dropout=0.0)


def flat(head: torch.nn.Module) -> AttentionModel:
    """Three tokens through no encoder and softmax(V . h)."""
    embedding = torch.nn.Embedding.from_pretrained(STATES[0])
    return AttentionModel(embedding, NoEncoder(2), Context(2, 1.0), Softmax(), head)


@pytest.mark.parametrize(
    ("weight", "bias", "logits", "probabilities"),
    [
        # sigmoid: 2 ln 3 - ln 3 + ln 3 = ln 9; 9 / (1 + 9) = .9
        ([[LN3, -LN3]], [LN3], [2 * LN3], [0.9]),
        # softmax: 0, ln 3, ln 2 + ln 3 = ln 6; 1 : 3 : 6
        (
            [[0.0, 0.0], [LN3, -LN3], [0.0, LN2]],
            [0.0, 0.0, LN3],
            [0.0, LN3, LN2 + LN3],
            [0.1, 0.3, 0.6],
        ),
    ],
    ids=["one logit", "several logits"],
)
def test_logits_become_probabilities(weight, bias, logits, probabilities):
    head = linear(len(weight))
    load(head, {"layer.weight": weight, "layer.bias": bias})
    outputs = head(torch.tensor([[2.0, 1.0]]), None, None)
    close(outputs, [logits])
    close(flat(head).probabilities(outputs), [probabilities])


def test_a_whole_model_of_three_tokens():
    model = flat(linear(1))
    load(model.score, {"vector": [LN2, LN2]})
    load(model.head, {"layer.weight": [[5 * LN3, 0.0]], "layer.bias": [LN3]})
    tokens = torch.tensor([[0, 1, 2]])
    output = model(Inputs(tokens, torch.tensor([3]), torch.ones(1, 3, dtype=torch.bool)))
    # V . h = ln 2, ln 2, 0; weights 2 : 2 : 1; pooled = .4 (1, 0) + .4 (0, 1) + .2 (-1, 1)
    # = (.2, .6); logit = 5 ln 3 * .2 + ln 3 = ln 9
    close(output.scores, [[LN2, LN2, 0.0]])
    close(output.weights, [[0.4, 0.4, 0.2]])
    close(output.logits, [[2 * LN3]])
    close(model.probabilities(output.logits), [[0.9]])
    evidence, bias = model.evidence(output.encoded)
    # W h of each token: 5 ln 3, 0, -5 ln 3
    close(evidence, [[[5 * LN3], [0.0], [-5 * LN3]]])
    close(bias, [LN3])


def test_a_head_without_bias_has_zero_logits_for_a_zero_vector():
    assert linear(3, bias=False).bias().tolist() == [0.0, 0.0, 0.0]
    assert linear(3, bias=False)(torch.zeros(1, 2), None, None).tolist() == [[0.0, 0.0, 0.0]]


def test_xavier_starts_with_zero_bias_and_the_bound_of_glorot():
    torch.manual_seed(0)
    head = Linear(size=300, outputs=60, bias=True, xavier=True, logit_dropout=0.0)
    bound = (6 / (300 + 60)) ** 0.5  # torch's default bound would be 1 / sqrt(300) = .058
    assert not head.layer.bias.any()
    assert 0.99 * bound < float(head.layer.weight.detach().abs().max()) <= bound
    Linear(size=3, outputs=2, bias=False, xavier=True, logit_dropout=0.0)


def pair_head() -> Pair:
    head = Pair(size=2, outputs=3)
    weights = {
        "of_pooled.weight": [[LN2, 0.0]],
        "of_pooled.bias": [LN3],
        "of_query.weight": [[0.0, -LN3]],
        "of_query.bias": [0.0],
        "out.weight": [[5.0], [10.0], [-5.0]],
        "out.bias": [0.0, 1.0, 2.0],
    }
    load(head, weights)
    return head


def test_pair_head_with_candidates():
    pooled, query = torch.tensor([[1.0, 5.0]]), torch.tensor([[7.0, 1.0]])
    # ln 2 + ln 3 - ln 3 = ln 2; tanh = .6; 5 * .6 = 3, 10 * .6 + 1 = 7, -5 * .6 + 2 = -1
    close(pair_head()(pooled, query, None), [[3.0, 7.0, -1.0]])
    logits = pair_head()(pooled, query, torch.tensor([[True, False, True]]))
    close(logits, [[3.0, -torch.inf, -1.0]])
    # e^3 : e^-1 is 1 : e^-4 = 1 : .01831564
    close(flat(pair_head()).probabilities(logits), [[0.98201379, 0.0, 0.01798621]])


def test_spread_is_the_range_of_the_initial_weights():
    torch.manual_seed(0)
    options = {"bias": True, "xavier": False, "logit_dropout": 0.0}
    wide = Linear(size=100, outputs=50, spread=1.0, **options).layer.weight.detach()
    default = Linear(size=100, outputs=50, **options).layer.weight.detach()
    assert 0.99 < wide.abs().max() <= 1
    assert default.abs().max() <= 0.1  # 1 / sqrt(100), torch's default
