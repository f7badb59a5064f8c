"""Leave-one-out: every fast method equals deleting the token and computing everything again."""

import pytest
import torch

from stages.importance import leave_one_out as module
from stages.importance.leave_one_out import deleted, leave_one_out, method_for
from stages.importance.leave_one_out_additive import recurrent_additive
from stages.importance.leave_one_out_recurrent import recurrent
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


@pytest.mark.parametrize("add_boundary_tokens", [True, False])
@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("encoder", [*ENCODERS, "bigru", "conv"])
def test_every_method_equals_deletion(encoder, score, add_boundary_tokens):
    model = small_model(encoder, score, classes=3)
    inputs = small_inputs(add_boundary_tokens=add_boundary_tokens)
    expected = one_by_one(model, inputs)
    torch.testing.assert_close(leave_one_out(model, inputs), expected, atol=1e-5, rtol=0)
    assert expected.max() > 0.05  # the comparison is not of zeros


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("encoder", ["bilstm", "cnn", "average"])
def test_pairs_keep_their_query(encoder, score):
    model = small_model(encoder, score, classes=3, pair=True)
    inputs = small_inputs(pair=True)
    torch.testing.assert_close(
        leave_one_out(model, inputs), one_by_one(model, inputs), atol=1e-5, rtol=0
    )


@pytest.mark.parametrize("encoder", ["bilstm", "cnn", "average"])
def test_sparse_attention_is_projected_anew(encoder):
    model = small_model(encoder, projection={"kind": "sparsemax"})
    inputs = small_inputs()
    torch.testing.assert_close(
        leave_one_out(model, inputs), one_by_one(model, inputs), atol=1e-5, rtol=0
    )


@pytest.mark.parametrize("encoder", ["bilstm", "cnn", "average", "bigru"])
def test_small_chunks_give_the_same_values(encoder, monkeypatch):
    model, inputs = small_model(encoder), small_inputs()
    at_once = leave_one_out(model, inputs)
    monkeypatch.setattr(module, "POSITIONS", 30)
    torch.testing.assert_close(leave_one_out(model, inputs), at_once, atol=1e-6, rtol=0)


def test_a_token_with_all_attention_can_be_left_out():
    model, inputs = small_model("average", sharpness=200.0), small_inputs()
    assert model(inputs).weights.max() > 1 - 1e-6
    torch.testing.assert_close(
        leave_one_out(model, inputs), one_by_one(model, inputs), atol=1e-5, rtol=0
    )


def test_single_tokens_padding_and_boundary_tokens_get_zero():
    inputs = small_inputs((1, 4))
    change = leave_one_out(small_model(), inputs)
    assert change[0].eq(0).all()
    assert change[~inputs.mask].eq(0).all()
    assert change[1][inputs.mask[1]].gt(0).all()


def test_only_encoders_without_a_fast_method_use_deletion():
    assert method_for(small_model("bigru")) is deleted
    assert all(method_for(small_model(kind)) is not deleted for kind in ENCODERS)


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


def test_the_score_chooses_the_method_for_a_bilstm():
    assert method_for(small_model(score="additive")) is recurrent_additive
    assert method_for(small_model(score="dot")) is recurrent


def test_parameters_may_require_gradients():
    model, inputs = small_model(), small_inputs()
    expected = leave_one_out(model, inputs)
    torch.testing.assert_close(leave_one_out(model.requires_grad_(True), inputs), expected)
