"""Padding and company in a batch change nothing, for every encoder, score and architecture."""

from dataclasses import replace

import pytest
import torch
from torch.nn.functional import pad

CLOSE = {"atol": 1e-6, "rtol": 0}


def padded(inputs, more):
    """The same documents in a wider rectangle; sentences get more of them and longer ones."""
    if inputs.tokens.ndim == 3:
        return replace(
            inputs,
            tokens=pad(inputs.tokens, (0, more, 0, more)),
            lengths=pad(inputs.lengths, (0, more)),
            mask=pad(inputs.mask, (0, more)),
        )
    wider = replace(inputs, tokens=pad(inputs.tokens, (0, more)), mask=pad(inputs.mask, (0, more)))
    return wider if inputs.query is None else replace(wider, query=pad(inputs.query, (0, more)))


def places(inputs, row):
    """How many states of a document are real."""
    return int(inputs.mask[row].sum() if inputs.tokens.ndim == 3 else inputs.lengths[row])


@torch.no_grad()
def answers(model, inputs):
    """Of each document the logits, and its real states, weights and scores."""
    output = model(inputs)
    return [
        (
            output.logits[i],
            output.encoded.states[i, :n],
            output.weights[i, :n],
            output.scores[i, :n],
        )
        for i, n in enumerate(places(inputs, row) for row in range(len(inputs.tokens)))
    ]


def same(found, expected):
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        for mine, theirs in zip(one, other, strict=True):
            torch.testing.assert_close(mine, theirs, **CLOSE)


def test_a_document_is_read_alike_in_any_batch(model, inputs, architecture, encoder, score):
    built = model(architecture, encoder=encoder, score=score)
    together = answers(built, inputs(architecture))
    same([answers(built, inputs(architecture, [row]))[0] for row in range(5)], together)
    same(answers(built, padded(inputs(architecture), 4)), together)
    mixed = answers(built, inputs(architecture, [2, 0])) + answers(
        built, inputs(architecture, [4, 1, 3])
    )
    same([mixed[at] for at in (1, 3, 0, 4, 2)], together)
    assert all(row[1].isfinite().all() and row[1].any() for row in together)


def test_attention_rests_on_words_only(model, inputs, architecture, encoder):
    given = padded(inputs(architecture), 3)
    weights = model(architecture, encoder=encoder)(given).weights.detach()
    assert not weights[~given.mask].any()  # start, end, padding; sentences that are not there
    assert (weights[given.mask] > 0).all()
    torch.testing.assert_close(weights.sum(1), torch.ones(5), atol=1e-5, rtol=0)


def test_start_end_and_padding_are_outside_the_mask(inputs):
    given = inputs("flat")
    inside = given.tokens >= 4  # 0 padding, 1 unknown (there is none), 2 start, 3 end
    assert torch.equal(given.mask, inside)
    assert {2, 3, 0} == set(given.tokens[~given.mask].tolist())


@pytest.mark.parametrize("kind", ["softmax", "sparsemax", "uniform", "sparsegen"])
def test_every_projection_ignores_padding(model, inputs, architecture, kind):
    projection = {"kind": kind} | ({"strength": 0.5} if kind == "sparsegen" else {})
    built = model(architecture, projection=projection)
    same(answers(built, padded(inputs(architecture), 4)), answers(built, inputs(architecture)))


@pytest.mark.parametrize("kind", ["flat", "pair"])
def test_without_ends_documents_are_read_alike_too(model, inputs, kind, encoder):
    built = model(kind, encoder=encoder)
    together = answers(built, inputs(kind, add_boundary_tokens=False))
    same(
        [answers(built, inputs(kind, [row], add_boundary_tokens=False))[0] for row in range(5)],
        together,
    )
    same(answers(built, padded(inputs(kind, add_boundary_tokens=False), 4)), together)


@pytest.mark.parametrize("add_boundary_tokens", [True, False])
def test_the_words_of_a_query_and_only_they_are_its_summary(model, inputs, add_boundary_tokens):
    built = model("pair")
    given = inputs("pair", add_boundary_tokens=add_boundary_tokens)
    found = built.encode(given).query
    for row, query in enumerate(given.query):
        words = built.query_embedding(query[query >= 4])
        torch.testing.assert_close(found[row], words.mean(0), **CLOSE)


def test_the_query_has_an_encoder_and_vectors_of_its_own(model, inputs):
    built = model("pair", encoder={"kind": "bilstm", "hidden": 3})
    assert torch.equal(built.embedding.weight, built.query_embedding.weight)
    before = built.encode(inputs("pair"))
    with torch.no_grad():
        built.query_embedding.weight[4:] += 1
    after = built.encode(inputs("pair"))
    assert torch.equal(before.states, after.states)
    assert not torch.allclose(before.query, after.query)


def test_gradients_are_finite_and_leave_the_padding_row_alone(model, inputs, architecture, encoder):
    built = model(architecture, encoder=encoder)
    given = padded(inputs(architecture), 2)
    logits = built(given).logits
    logits[logits.isfinite()].square().sum().backward()
    slopes = {name: parameter.grad for name, parameter in built.named_parameters()}
    assert all(slope is not None and slope.isfinite().all() for slope in slopes.values())
    slope = slopes["embedding.weight"]
    read = given.tokens.unique()
    assert slope[read[read >= 4]].any(-1).float().mean() > 0.5
    assert not slope[0].any()
    assert not built.embedding.weight[0].any()


def test_tracking_gradients_does_not_change_states(model, inputs, architecture, encoder):
    built = model(architecture, encoder=encoder)
    tracked = built(inputs(architecture)).logits.detach()
    with torch.no_grad():
        torch.testing.assert_close(built(inputs(architecture)).logits, tracked, **CLOSE)
