"""Leave-one-out: every fast method equals deleting the token and computing everything again."""

import pytest
import torch

from stages.importance import leave_one_out as module
from stages.importance import leave_one_out_local
from stages.importance.leave_one_out import deleted, leave_one_out, method_for
from stages.importance.leave_one_out_local import softmax_sums
from stages.importance.leave_one_out_recurrent import recurrent, recurrent_additive
from stages.importance.removals import rows_of
from stages.nn.inputs import Inputs
from tests.small import ENCODERS, SCORES, small_inputs, small_model


def one_by_one(model, inputs: Inputs) -> torch.Tensor:
    """The published procedure on one document and one token at a time, without padding."""
    change = torch.zeros(inputs.mask.shape)
    for row in range(len(inputs.tokens)):
        single = rows_of(inputs, torch.tensor([row]))
        length = int(single.lengths)
        tokens, mask = single.tokens[:, :length], single.mask[:, :length]
        query = (single.query, single.query_lengths)
        whole = model.probabilities(model(Inputs(tokens, single.lengths, mask, *query)).logits)
        if mask.sum() < 2:
            continue
        for place in mask[0].nonzero().flatten().tolist():
            kept = [at for at in range(length) if at != place]
            shorter = Inputs(tokens[:, kept], single.lengths - 1, mask[:, kept], *query)
            left = model.probabilities(model(shorter).logits)
            change[row, place] = (left - whole).abs().sum()
    return change


def assert_equals_deletion(model, inputs, at_least=0.0):
    expected = one_by_one(model, inputs)
    torch.testing.assert_close(leave_one_out(model, inputs), expected, atol=1e-5, rtol=0)
    assert expected.max() > at_least  # the comparison is not of zeros


@pytest.mark.parametrize("add_boundary_tokens", [True, False])
@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("encoder", [*ENCODERS, "bigru", "conv"])
def test_every_method_equals_deletion(encoder, score, add_boundary_tokens):
    model = small_model(encoder, score, classes=3)
    assert_equals_deletion(model, small_inputs(add_boundary_tokens=add_boundary_tokens), 0.05)


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("encoder", ["bilstm", "cnn", "average"])
def test_pairs_keep_their_query(encoder, score):
    model = small_model(encoder, score, classes=3, pair=True)
    assert_equals_deletion(model, small_inputs(pair=True))


@pytest.mark.parametrize("encoder", ["bilstm", "cnn", "average"])
def test_sparse_attention_is_projected_anew(encoder):
    assert_equals_deletion(small_model(encoder, projection={"kind": "sparsemax"}), small_inputs())


@pytest.mark.parametrize("encoder", ["bilstm", "cnn", "average", "bigru"])
def test_small_chunks_give_the_same_values(encoder, monkeypatch):
    model, inputs = small_model(encoder), small_inputs()
    at_once = leave_one_out(model, inputs)
    monkeypatch.setattr(module, "POSITIONS", 30)
    torch.testing.assert_close(leave_one_out(model, inputs), at_once, atol=1e-6, rtol=0)


def test_a_token_with_all_attention_can_be_left_out():
    model, inputs = small_model("average", sharpness=200.0), small_inputs()
    assert model(inputs).weights.max() > 1 - 1e-6
    assert_equals_deletion(model, inputs)


def test_single_tokens_padding_and_boundary_tokens_get_zero():
    inputs = small_inputs((1, 4))
    change = leave_one_out(small_model(), inputs)
    assert change[0].eq(0).all()
    assert change[~inputs.mask].eq(0).all()
    assert change[1][inputs.mask[1]].gt(0).all()


def test_encoder_and_score_choose_the_method():
    assert method_for(small_model("bigru")) is deleted
    assert all(method_for(small_model(kind)) is not deleted for kind in ENCODERS)
    assert method_for(small_model("bilstm", "additive")) is recurrent_additive
    assert method_for(small_model("bilstm", "dot")) is recurrent


@pytest.mark.parametrize("pair", [False, True])
@pytest.mark.parametrize("add_boundary_tokens", [True, False])
@pytest.mark.parametrize("lengths", [(5, 1, 9, 2, 3), (2, 1), (2,)])
@pytest.mark.parametrize("projection", ["softmax", "sparsemax", "uniform"])
@pytest.mark.parametrize("divisor", [1, 2])
def test_scoring_states_as_they_are_computed_equals_deletion(
    divisor, projection, lengths, add_boundary_tokens, pair, monkeypatch
):
    monkeypatch.setitem(SCORES, "additive", {"kind": "additive", "divisor": divisor})
    model = small_model(classes=3, pair=pair, projection={"kind": projection})
    inputs = small_inputs(lengths, add_boundary_tokens, pair)
    change = leave_one_out(model, inputs, recurrent_additive)
    for expected in (
        one_by_one(model, inputs),
        leave_one_out(model, inputs, deleted),
        leave_one_out(model, inputs, recurrent),
    ):
        torch.testing.assert_close(change, expected, atol=1e-5, rtol=0)
    several = inputs.mask.sum(1) > 1
    assert change[several][inputs.mask[several]].gt(0).all()  # first and last words too


def test_parameters_may_require_gradients():
    model, inputs = small_model(), small_inputs()
    expected = leave_one_out(model, inputs)
    torch.testing.assert_close(leave_one_out(model.requires_grad_(True), inputs), expected)


@pytest.mark.parametrize("reach", [0, 1, 3])
@pytest.mark.parametrize("spread", [0.0, 3.0, 100.0])
def test_running_sums_equal_softmax_over_far_and_new_states(reach, spread):
    draw = torch.Generator().manual_seed(reach)

    def normal(*shape):
        return torch.randn(*shape, generator=draw, dtype=torch.float64)

    scores, states = spread * normal(2, 9), normal(2, 9, 4)
    mask = torch.ones(2, 9, dtype=torch.bool)
    mask[1, 6:] = False
    new_scores, new_states = spread * normal(15, 2), normal(15, 2, 4)
    documents, places = mask.nonzero().T
    pooled = softmax_sums(scores, states, mask, reach)(documents, places, new_scores, new_states)
    for n, (row, place) in enumerate(zip(documents.tolist(), places.tolist(), strict=True)):
        far = mask[row] & ((torch.arange(9) - place).abs() > reach)
        weights = torch.cat([scores[row, far], new_scores[n]]).softmax(0)
        expected = weights @ torch.cat([states[row, far], new_states[n]])
        torch.testing.assert_close(pooled[n], expected, atol=1e-9, rtol=1e-9)


def test_a_remainder_that_underflows_gives_none():
    scores, states = torch.tensor([[0.0, 700.0, 1.0]]), torch.ones(1, 3, 2)
    pooled = softmax_sums(scores, states, torch.ones(1, 3, dtype=torch.bool), 0)
    nothing_new = (torch.zeros(1, 0), torch.zeros(1, 0, 2))
    first, peak = torch.tensor([0]), torch.tensor([1])
    assert pooled(torch.tensor([0]), first, *nothing_new) is not None
    assert pooled(torch.tensor([0]), peak, *nothing_new) is None


@pytest.mark.parametrize("encoder", ["average", "cnn"])
@pytest.mark.parametrize("least", [0.0, 1e300])
def test_with_sums_and_without_the_change_equals_deletion(encoder, least, monkeypatch):
    # with 0 no remainder underflows, with 1e300 all do
    monkeypatch.setattr(leave_one_out_local, "LEAST", least)
    monkeypatch.setattr(leave_one_out_local, "SHORT", 0)
    calls = []
    monkeypatch.setattr(
        leave_one_out_local, "softmax_sums", lambda *args: calls.append(1) or softmax_sums(*args)
    )
    model, inputs = small_model(encoder), small_inputs()
    change = leave_one_out(model, inputs)
    assert calls
    torch.testing.assert_close(change, leave_one_out(model, inputs, deleted), atol=1e-5, rtol=0)
