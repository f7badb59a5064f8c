"""Outputs do not depend on padding or on the other documents of a batch, for every part."""

from dataclasses import replace
from functools import partial

import pytest
import torch
from torch.nn.functional import pad

assert_close = partial(torch.testing.assert_close, atol=1e-6, rtol=0)


def padded(inputs, more):
    """The same documents with more padding; hierarchical ones also with padding sentences."""
    if inputs.tokens.ndim == 3:
        return replace(
            inputs,
            tokens=pad(inputs.tokens, (0, more, 0, more)),
            lengths=pad(inputs.lengths, (0, more)),
            mask=pad(inputs.mask, (0, more)),
        )
    wider = replace(inputs, tokens=pad(inputs.tokens, (0, more)), mask=pad(inputs.mask, (0, more)))
    return wider if inputs.query is None else replace(wider, query=pad(inputs.query, (0, more)))


@torch.no_grad()
def answers(model, inputs):
    """Logits, states, weights and scores of each document, padding removed."""
    output = model(inputs)
    by_token = (output.encoded.states, output.weights, output.scores)
    counts = (inputs.mask.sum(1) if inputs.tokens.ndim == 3 else inputs.lengths).tolist()
    return [
        (output.logits[row], *(values[row, :n] for values in by_token))
        for row, n in enumerate(counts)
    ]


def assert_independent_of_the_batch(built, batch_of):
    """Documents of a batch equal single ones, padded ones and ones in other batches."""
    whole_batch = answers(built, batch_of())
    assert_close([answers(built, batch_of(rows=[row]))[0] for row in range(5)], whole_batch)
    assert_close(answers(built, padded(batch_of(), 4)), whole_batch)
    mixed = answers(built, batch_of(rows=[2, 0])) + answers(built, batch_of(rows=[4, 1, 3]))
    assert_close([mixed[at] for at in (1, 3, 0, 4, 2)], whole_batch)
    assert all(states.isfinite().all() and states.any() for _, states, *_ in whole_batch)


def test_outputs_do_not_depend_on_the_batch(model, inputs, architecture, encoder, score):
    built = model(architecture, encoder=encoder, score=score)
    assert_independent_of_the_batch(built, partial(inputs, architecture))


def test_start_end_and_padding_are_outside_the_mask(inputs):
    batch = inputs("flat")
    inside = batch.tokens >= 4  # 0 padding, 1 unknown (there is none), 2 start, 3 end
    assert torch.equal(batch.mask, inside)
    assert {2, 3, 0} == set(batch.tokens[~batch.mask].tolist())


@pytest.mark.parametrize("kind", ["flat", "pair"])
def test_outputs_do_not_depend_on_the_batch_without_boundary_tokens(model, inputs, kind, encoder):
    batch_of = partial(inputs, kind, add_boundary_tokens=False)
    assert_independent_of_the_batch(model(kind, encoder=encoder), batch_of)


@pytest.mark.parametrize("add_boundary_tokens", [True, False])
def test_the_summary_of_a_query_is_that_of_its_words(model, inputs, add_boundary_tokens):
    built = model("pair")
    batch = inputs("pair", add_boundary_tokens=add_boundary_tokens)
    summary = built.encode(batch).query
    for row, query in enumerate(batch.query):
        words = built.query_embedding(query[query >= 4])
        assert_close(summary[row], words.mean(0))


def test_the_query_has_its_own_encoder_and_vectors(model, inputs):
    built = model("pair", encoder={"kind": "bilstm", "hidden": 3})
    assert torch.equal(built.embedding.weight, built.query_embedding.weight)
    before = built.encode(inputs("pair"))
    with torch.no_grad():
        built.query_embedding.weight[4:] += 1
    after = built.encode(inputs("pair"))
    assert torch.equal(before.states, after.states)
    assert not torch.allclose(before.query, after.query)


def test_gradients_are_finite_and_zero_for_the_padding_row(model, inputs, architecture, encoder):
    built = model(architecture, encoder=encoder)
    batch = padded(inputs(architecture), 2)
    logits = built(batch).logits
    logits[logits.isfinite()].square().sum().backward()
    gradients = {name: parameter.grad for name, parameter in built.named_parameters()}
    assert all(grad is not None and grad.isfinite().all() for grad in gradients.values())
    gradient = gradients["embedding.weight"]
    read = batch.tokens.unique()
    assert gradient[read[read >= 4]].any(-1).float().mean() > 0.5
    assert not gradient[0].any()
    assert not built.embedding.weight[0].any()


def test_tracking_gradients_does_not_change_states(model, inputs, architecture, encoder):
    built = model(architecture, encoder=encoder)
    tracked = built(inputs(architecture)).logits.detach()
    with torch.no_grad():
        assert_close(built(inputs(architecture)).logits, tracked)
