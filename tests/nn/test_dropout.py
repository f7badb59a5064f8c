"""Dropout acts where the papers put it, and only in training."""

import pytest
import torch

HALF = 0.5


def input_of(module, run):
    """The input of a module during `run()`."""
    caught = []
    hook = module.register_forward_pre_hook(lambda _, arguments: caught.append(arguments[0]))
    run()
    hook.remove()
    return caught[0].detach()


def is_half_dropped(dropped, whole):
    """Whether some values are zero and the others doubled."""
    kept = dropped != 0
    torch.testing.assert_close(dropped[kept], 2 * whole[kept], atol=1e-6, rtol=1e-6)
    return 0.2 < float(kept.float().mean() / (whole != 0).float().mean()) < 0.8


def trained(built, seed=3):
    torch.manual_seed(seed)
    return built.train()


@pytest.mark.parametrize("kind", ["flat", "hierarchical"])
def test_logit_dropout_zeroes_logits_in_training(model, inputs, kind):
    head = {"kind": "linear", "bias": True, "xavier": True, "logit_dropout": HALF}
    built, batch = model(kind, classes=10, head=head), inputs(kind)
    whole = built(batch)
    assert (whole.logits != 0).all()
    dropped = trained(built)(batch)
    assert is_half_dropped(dropped.logits.detach(), whole.logits.detach())
    assert torch.equal(dropped.weights, whole.weights)
    assert torch.equal(dropped.encoded.states, whole.encoded.states)
    assert torch.equal(built.eval()(batch).logits, whole.logits)


def test_embedded_dropout_zeroes_single_dimensions_in_training(model, inputs):
    built, batch = model(dropout={"embedded": HALF}), inputs()
    whole = built(batch)
    dropped = trained(built)(batch)
    assert is_half_dropped(dropped.encoded.states.detach(), whole.encoded.states.detach())
    # element by element, not whole words
    partly = (dropped.encoded.states != 0).any(-1) & (dropped.encoded.states == 0).any(-1)
    assert partly[batch.tokens != 0].float().mean() > 0.7
    assert torch.equal(built.eval()(batch).encoded.states, whole.encoded.states)


def test_embedded_dropout_reaches_text_and_query_of_a_pair(model, inputs):
    built, batch = model("pair", dropout={"embedded": HALF}), inputs("pair")
    for encoder in (built.encoder, built.query_encoder):
        whole = input_of(encoder, lambda: built.eval()(batch))
        assert is_half_dropped(input_of(encoder, lambda: trained(built)(batch)), whole)


@pytest.mark.parametrize("kind", ["flat", "pair", "hierarchical"])
def test_pooled_dropout_acts_on_the_input_of_the_head(model, inputs, kind):
    built, batch = model(kind, dropout={"pooled": HALF}), inputs(kind)
    whole = input_of(built.head, lambda: built(batch))
    assert is_half_dropped(input_of(built.head, lambda: trained(built)(batch)), whole)
    assert torch.equal(trained(built)(batch).encoded.states, built.eval()(batch).encoded.states)
    assert torch.equal(input_of(built.head, lambda: built.eval()(batch)), whole)


@pytest.mark.parametrize("place", ["words", "embedded"])
def test_a_hierarchical_model_drops_words_and_sentences_separately(model, inputs, place):
    built, batch = model("hierarchical", dropout={place: HALF}), inputs("hierarchical")
    words, sentences = built.words["encoder"], built.encoder
    whole = [input_of(part, lambda: built.eval()(batch)) for part in (words, sentences)]
    dropped = [input_of(part, lambda: trained(built)(batch)) for part in (words, sentences)]
    if place == "words":
        assert is_half_dropped(dropped[0], whole[0])
        assert (dropped[1][batch.mask] == 0).float().mean() < 0.5  # no sentence is dropped
    else:
        assert torch.equal(dropped[0], whole[0])
        assert is_half_dropped(dropped[1], whole[1])
    assert torch.equal(input_of(sentences, lambda: built.eval()(batch)), whole[1])


def test_without_dropout_training_mode_equals_evaluation_mode(model, inputs, architecture):
    built, batch = model(architecture), inputs(architecture)
    assert torch.equal(trained(built)(batch).logits, built.eval()(batch).logits)
