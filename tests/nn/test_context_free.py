"""Outputs by types against whole documents, with and without dropout of tokens."""

import numpy as np
import pytest
import torch

from stages.corpora.batching import Reader
from stages.nn.context_free import outputs, without_context
from stages.nn.inputs import Inputs
from stages.nn.kernels import pooling
from tests.nn import toy

SCORES = {
    "additive": {"kind": "additive", "divisor": 2},
    "dot": {"kind": "dot"},
    "dp": {"kind": "context", "scale": 3.0},
    "ad": {"kind": "context", "scale": 3.0, "layer": True},
}
PROJECTIONS = {
    "softmax": {"kind": "softmax"},
    "sparsemax": {"kind": "sparsemax"},
    "sparsegen": {"kind": "sparsegen", "strength": 0.5},
    "uniform": {"kind": "uniform"},
    "frozen": {"kind": "frozen"},
}


def batch(add_boundary_tokens=True):
    reader = Reader(toy.corpus(), "train", add_boundary_tokens)
    reader.weights = np.linspace(0, 1, len(reader.text.values), dtype=np.float32)
    return Inputs.of(reader.batch(reader.rows[:9]))


def network(encoders, encoder, score="additive", projection="softmax", **options):
    parts = (encoders[encoder], SCORES[score], PROJECTIONS[projection])
    return toy.network(toy.model(*parts, **options)).double()


def agree(model, ours, literal):
    """Logits, weights, and the gradients of all parameters by a function of both."""
    gradients = []
    for logits, weights in (ours, literal):
        model.zero_grad()
        (logits.square().sum() + weights.pow(3).sum()).backward()
        named = {name: p.grad for name, p in model.named_parameters() if p.grad is not None}
        gradients.append(named)
    for one, other in zip(ours, literal, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-6, atol=1e-9)
    for name, expected in gradients[1].items():
        # without a gradient: nothing but rounding
        gradient = gradients[0].get(name, torch.zeros_like(expected))
        torch.testing.assert_close(gradient, expected, rtol=1e-6, atol=1e-9, msg=name)


def whole(model, inputs):
    output = model(inputs)
    return output.logits, output.weights


@pytest.mark.parametrize("add_boundary_tokens", [True, False])
@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("encoder", ["none", "affine", "average"])
def test_outputs_by_type_equal_those_of_whole_documents(
    encoders, encoder, score, add_boundary_tokens
):
    model, inputs = network(encoders, encoder, score), batch(add_boundary_tokens)
    agree(model, outputs(model, inputs), whole(model, inputs))


@pytest.mark.parametrize("projection", PROJECTIONS)
@pytest.mark.parametrize("encoder", ["none", "average"])
def test_every_projection(encoders, encoder, projection):
    model, inputs = network(encoders, encoder, projection=projection), batch()
    if projection == "frozen":
        model.score.requires_grad_(False)
    # as another model's attention, zero outside the mask
    object.__setattr__(inputs, "weights", inputs.weights.double() * inputs.mask)
    agree(model, outputs(model, inputs), whole(model, inputs))


class SameMasks(torch.nn.Module):
    """Drops embedded tokens (B, T, E) by the masks of the kernel; `ragged` numbers words only."""

    active = True

    def __init__(self, seed, rate, ragged, mask):
        super().__init__()
        self.seed, self.rate, self.ragged, self.mask = seed, rate, ragged, mask

    def forward(self, embedded):
        number = self.mask.flatten().cumsum(0) - 1 if self.ragged else torch.arange(10**4)
        factors = torch.ones_like(embedded).flatten(0, 1)  # (B * T, E)
        for place in self.mask.flatten().nonzero().flatten():
            start = int(number[place]) * embedded.shape[-1]
            pooling.dropout_mask(self.seed, start, self.rate, factors[place].numpy())
        return embedded * factors.view(embedded.shape)


@pytest.mark.parametrize("score", ["additive", "dp", "ad"])
@pytest.mark.parametrize("encoder", ["none", "affine", "average"])
def test_dropped_tokens_equal_whole_documents_with_the_same_masks(encoders, encoder, score):
    dropout = {"embedded": 0.5}
    model, inputs = network(encoders, encoder, score, dropout=dropout).train(), batch()
    torch.manual_seed(5)
    ours = outputs(model, inputs)
    torch.manual_seed(5)
    seed = np.uint32(int(torch.randint(2**32, ())))
    ragged = score != "dp" or encoder == "average"
    model.drop_embedded = SameMasks(seed, 0.5, ragged, inputs.mask)
    agree(model, ours, whole(model, inputs))


def test_counts_stand_for_copies(encoders):
    """A word with the logarithm of its count has the weight of all copies."""
    model = network(encoders, "average")
    tokens = torch.tensor([[5, 6, 5, 5, 7]])
    copies = Inputs(tokens, torch.tensor([5]), torch.ones_like(tokens).bool())
    logits, weights = outputs(model, copies)
    words = torch.tensor([[5, 6, 7]])
    once = Inputs(words, torch.tensor([3]), torch.ones_like(words).bool())
    log_counts = torch.tensor([[3.0, 1.0, 1.0]], dtype=torch.float64).log()
    by_word, of_words = outputs(model, once, log_counts)
    torch.testing.assert_close(by_word, logits)
    total = [weights[0, [0, 2, 3]].sum(), weights[0, 1], weights[0, 4]]
    torch.testing.assert_close(of_words[0], torch.stack(total))


def test_a_document_without_words_has_the_bias_as_its_logits(encoders):
    for score in ("dp", "additive"):
        model, inputs = network(encoders, "affine", score), batch()
        inputs.mask[2] = False
        agree(model, outputs(model, inputs), whole(model, inputs))


def test_models_with_context_are_computed_as_a_whole(encoders):
    model, inputs = network(encoders, "bilstm").float(), batch()
    assert not without_context(model)
    for one, other in zip(outputs(model, inputs), whole(model, inputs), strict=True):
        assert torch.equal(one, other)
