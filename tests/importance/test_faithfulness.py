"""Comprehensiveness and sufficiency of rankings, by hand and against deletion by lists."""

import pytest
import torch

from stages.importance.faithfulness import faithfulness
from stages.importance.removals import subset
from stages.nn.inputs import Inputs
from tests.small import small_inputs, small_model


def only(model, inputs, row, words):
    """p of class 1 for one document reduced to the words at `words` and its boundary tokens."""
    kept = [0, *words, int(inputs.lengths[row]) - 1]
    tokens = inputs.tokens[row, kept].unsqueeze(0)
    mask = inputs.mask[row, kept].unsqueeze(0)
    return model(Inputs(tokens, torch.tensor([len(kept)]), mask)).logits.sigmoid().item()


@pytest.mark.parametrize("encoder", ["bilstm", "cnn", "average"])
def test_equals_deletion_by_lists(encoder):
    model, inputs = small_model(encoder), small_inputs((2, 5, 9))
    importance = torch.rand(inputs.mask.shape, generator=torch.Generator().manual_seed(3))
    shares = (0.2, 0.5)
    comprehensiveness, sufficiency = faithfulness(model, inputs, importance, shares)
    for row, length in enumerate((2, 5, 9)):
        words = list(range(1, length + 1))
        ranked = sorted(words, key=lambda at: -importance[row, at].item())
        whole = only(model, inputs, row, words)
        without = alone = 0
        for top in (ranked[: -(-length * 2 // 10)], ranked[: -(-length // 2)]):
            without += whole - only(model, inputs, row, sorted(set(words) - set(top)))
            alone += whole - only(model, inputs, row, sorted(top))
        assert comprehensiveness[row].item() == pytest.approx(without / 2, abs=1e-5)
        assert sufficiency[row].item() == pytest.approx(alone / 2, abs=1e-5)


def test_keeping_everything_changes_nothing():
    model, inputs = small_model(), small_inputs()
    everything = torch.arange(inputs.tokens.shape[1]) < inputs.lengths.unsqueeze(1)
    again = subset(inputs, everything)
    torch.testing.assert_close(model(again).logits, model(inputs).logits)


def test_the_output_of_an_empty_document_is_that_of_the_bias():
    model, inputs = small_model("average"), small_inputs((1,))
    importance = torch.ones(inputs.mask.shape)
    comprehensiveness, sufficiency = faithfulness(model, inputs, importance, (0.5,))
    bias = model.head.bias().sigmoid()
    torch.testing.assert_close(comprehensiveness, model(inputs).logits.sigmoid().squeeze(1) - bias)
    assert sufficiency.abs().max() < 1e-6
