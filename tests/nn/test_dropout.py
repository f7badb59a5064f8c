"""Dropout acts where the papers put it, and only in training."""

import pytest
import torch

HALF = 0.5


def seen(module, run):
    """What enters a module while `run` runs."""
    caught = []
    hook = module.register_forward_pre_hook(lambda _, arguments: caught.append(arguments[0]))
    run()
    hook.remove()
    return caught[0].detach()


def is_half_dropped(found, whole):
    """Some numbers zero, the others twice what they were."""
    kept = found != 0
    torch.testing.assert_close(found[kept], 2 * whole[kept], atol=1e-6, rtol=1e-6)
    return 0.2 < float(kept.float().mean() / (whole != 0).float().mean()) < 0.8


def trained(built, seed=3):
    torch.manual_seed(seed)
    return built.train()


@pytest.mark.parametrize("kind", ["flat", "hierarchical"])
def test_logit_dropout_zeroes_logits_in_training(model, inputs, kind):
    head = {"kind": "linear", "bias": True, "xavier": True, "logit_dropout": HALF}
    built, given = model(kind, classes=10, head=head), inputs(kind)
    calm = built(given)
    assert (calm.logits != 0).all()
    shaken = trained(built)(given)
    assert is_half_dropped(shaken.logits.detach(), calm.logits.detach())
    assert torch.equal(shaken.weights, calm.weights)
    assert torch.equal(shaken.encoded.states, calm.encoded.states)
    assert torch.equal(built.eval()(given).logits, calm.logits)


def test_embedded_dropout_zeroes_numbers_of_words_in_training(model, inputs):
    built, given = model(dropout={"embedded": HALF}), inputs()
    calm = built(given)
    shaken = trained(built)(given)
    assert is_half_dropped(shaken.encoded.states.detach(), calm.encoded.states.detach())
    # element by element, not whole words
    partly = (shaken.encoded.states != 0).any(-1) & (shaken.encoded.states == 0).any(-1)
    assert partly[given.tokens != 0].float().mean() > 0.7
    assert torch.equal(built.eval()(given).encoded.states, calm.encoded.states)


def test_embedded_dropout_reaches_text_and_query_of_a_pair(model, inputs):
    built, given = model("pair", dropout={"embedded": HALF}), inputs("pair")
    for encoder in (built.encoder, built.query_encoder):
        calm = seen(encoder, lambda: built.eval()(given))
        assert is_half_dropped(seen(encoder, lambda: trained(built)(given)), calm)


@pytest.mark.parametrize("kind", ["flat", "pair", "hierarchical"])
def test_pooled_dropout_acts_on_what_the_head_reads(model, inputs, kind):
    built, given = model(kind, dropout={"pooled": HALF}), inputs(kind)
    calm = seen(built.head, lambda: built(given))
    assert is_half_dropped(seen(built.head, lambda: trained(built)(given)), calm)
    assert torch.equal(trained(built)(given).encoded.states, built.eval()(given).encoded.states)
    assert torch.equal(seen(built.head, lambda: built.eval()(given)), calm)


@pytest.mark.parametrize("place", ["words", "embedded"])
def test_a_hierarchical_model_drops_words_and_sentences_apart(model, inputs, place):
    built, given = model("hierarchical", dropout={place: HALF}), inputs("hierarchical")
    words, sentences = built.words["encoder"], built.encoder
    calm = [seen(part, lambda: built.eval()(given)) for part in (words, sentences)]
    shaken = [seen(part, lambda: trained(built)(given)) for part in (words, sentences)]
    if place == "words":
        assert is_half_dropped(shaken[0], calm[0])
        assert (shaken[1][given.mask] == 0).float().mean() < 0.5  # they follow, none is dropped
    else:
        assert torch.equal(shaken[0], calm[0])
        assert is_half_dropped(shaken[1], calm[1])
    assert torch.equal(seen(sentences, lambda: built.eval()(given)), calm[1])


def test_without_dropout_training_answers_like_evaluation(model, inputs, architecture):
    built, given = model(architecture), inputs(architecture)
    assert torch.equal(trained(built)(given).logits, built.eval()(given).logits)
