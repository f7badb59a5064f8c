"""The model interface: decode, evidence, outputs."""

import numpy as np
import pytest
import torch

from stages.nn.build import build
from stages.settings.errors import UserError


def random_weights(mask, *several):
    """Random weights (B, T) or (B, K, T) inside the mask."""
    torch.manual_seed(9)
    shape = (mask.shape[0], *several, mask.shape[1])
    allowed = mask.view(mask.shape[0], *[1] * len(several), -1).expand(shape)
    drawn = torch.rand(shape) * allowed
    return drawn / drawn.sum(-1, keepdim=True)


def test_decoding_own_weights_gives_the_logits(model, inputs, architecture, encoder):
    built = model(architecture, encoder=encoder)
    output = built(inputs(architecture))
    logits = built.decode(output.encoded, output.weights)
    torch.testing.assert_close(logits, output.logits, atol=1e-6, rtol=0)
    again = built.answer(built.encode(inputs(architecture)))
    torch.testing.assert_close(again.logits, output.logits, atol=1e-6, rtol=0)
    other = built.decode(output.encoded, random_weights(output.encoded.mask))
    assert (other - output.logits).abs().nan_to_num().max() > 1e-4


def test_several_weightings_are_decoded_at_once(model, inputs, architecture):
    built = model(architecture)
    encoded = built.encode(inputs(architecture))
    weights = random_weights(encoded.mask, 4)
    logits = built.decode(encoded, weights)
    assert logits.shape == (5, 4, 3)
    for k in range(4):
        expected = built.decode(encoded, weights[:, k])
        torch.testing.assert_close(logits[:, k], expected, atol=1e-6, rtol=0)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("kind", ["flat", "hierarchical"])
def test_evidence_equals_decode(model, inputs, kind, encoder, bias):
    head = {"kind": "linear", "bias": bias, "xavier": False, "logit_dropout": 0.0}
    built = model(kind, encoder=encoder, head=head)
    encoded = built.encode(inputs(kind))
    evidence, offset = built.evidence(encoded)
    assert evidence.shape == (*encoded.mask.shape, 3)
    one, many = random_weights(encoded.mask), random_weights(encoded.mask, 6)
    short = torch.einsum("bt,btc->bc", one, evidence) + offset
    torch.testing.assert_close(short, built.decode(encoded, one), atol=1e-5, rtol=0)
    short = torch.einsum("bkt,btc->bkc", many, evidence) + offset
    torch.testing.assert_close(short, built.decode(encoded, many), atol=1e-5, rtol=0)


def test_zero_weights_give_the_bias(model, inputs):
    built = model()
    encoded = built.encode(inputs())
    logits = built.decode(encoded, torch.zeros(encoded.mask.shape))
    torch.testing.assert_close(logits, built.head.bias().expand(5, 3))


def test_a_pair_model_has_no_evidence(model, inputs):
    built = model("pair")
    with pytest.raises(ValueError, match="not linear has no evidence; use decode"):
        built.evidence(built.encode(inputs("pair")))


@pytest.mark.parametrize(
    ("kind", "classes", "two_classes", "logits"),
    [
        ("flat", 2, "sigmoid", 1),
        ("flat", 2, "softmax", 2),
        ("flat", 3, "sigmoid", 3),
        ("hierarchical", 2, "sigmoid", 1),
        ("pair", 3, "sigmoid", 3),
    ],
)
def test_two_classes_have_one_logit_or_two(model, inputs, kind, classes, two_classes, logits):
    built = model(kind, classes=classes, two_classes=two_classes)
    output = built(inputs(kind))
    assert output.logits.shape == (5, logits)
    probabilities = built.probabilities(output.logits)
    assert ((probabilities >= 0) & (probabilities <= 1)).all()
    if logits > 1:
        torch.testing.assert_close(probabilities.sum(1), torch.ones(5))


def test_a_pair_of_two_classes_has_two_logits(model):
    assert model("pair", classes=2).head.out.out_features == 2


def test_answers_that_are_no_candidates_have_probability_zero(model, inputs):
    batch = inputs("pair")
    built = model("pair")
    probabilities = built.probabilities(built(batch).logits)
    assert not batch.candidates.all()
    assert torch.equal(probabilities > 0, batch.candidates)


def test_a_hierarchical_model_refuses_pairs(settings):
    with pytest.raises(UserError, match="reads one text, not a pair"):
        build(settings(architecture="hierarchical"), np.zeros((9, 6), np.float32), 3, True)


def test_frozen_attention_equals_the_weights_of_the_inputs(model, inputs):
    batch = inputs()
    weights = random_weights(batch.mask)
    carrying = type(batch)(batch.tokens, batch.lengths, batch.mask, weights=weights)
    built = model(projection={"kind": "frozen"})
    output = built(carrying)
    assert torch.equal(output.weights, weights)
    torch.testing.assert_close(output.logits, built.decode(output.encoded, weights))


def test_a_hierarchical_model_is_attention_over_attended_sentences(model, inputs):
    """Against a loop over documents and sentences."""
    built, batch = model("hierarchical"), inputs("hierarchical")
    output = built(batch)
    for row, document in enumerate(batch.tokens):
        vectors = []
        for sentence, length in zip(document, batch.lengths[row].tolist(), strict=True):
            words = built.embedding.weight[sentence[:length]]
            if length:
                shares = (words @ built.words["score"].vector / 2).softmax(0)  # scale 2
                vectors.append(shares @ words)
        sentences = torch.stack(vectors)
        shares = (sentences @ built.score.vector / 2).softmax(0)
        n = len(sentences)
        torch.testing.assert_close(output.encoded.states[row, :n], sentences, atol=1e-6, rtol=0)
        torch.testing.assert_close(output.weights[row, :n], shares, atol=1e-6, rtol=0)
        assert not output.weights[row, n:].any()  # padding sentences
        assert not output.encoded.states[row, n:].any()
        logits = built.head.layer(shares @ sentences)
        torch.testing.assert_close(output.logits[row], logits, atol=1e-6, rtol=0)


def test_words_and_sentences_have_separate_parameters(model, encoder):
    built = model("hierarchical", encoder=encoder)
    names = [name for name, _ in built.named_parameters()]
    assert len({id(p) for p in built.parameters()}) == len(names)
    upper = {n for n in names if n.startswith(("encoder.", "score."))}
    assert {n.removeprefix("words.") for n in names if n.startswith("words.")} == upper


def test_the_vectors_are_copied_and_the_padding_row_zeroed(settings):
    vectors = np.ones((9, 6), np.float32)
    built = build(settings(), vectors, 3, False)
    assert not built.embedding.weight[0].any()
    assert (built.embedding.weight[1:] == 1).all()
    assert built.embedding.weight.requires_grad
    with torch.no_grad():
        built.embedding.weight += 1
    assert (vectors == 1).all()
