"""Comprehensiveness and sufficiency of rankings, by hand and against deletion by lists."""

import pytest
import torch

from stages.importance.faithfulness import faithfulness, subset
from stages.nn.inputs import Inputs
from tests.small import small_inputs, small_model


def only(model, inputs, row, kept):
    """p of class 1 for one document with the listed positions."""
    tokens = inputs.tokens[row, kept].unsqueeze(0)
    mask = inputs.mask[row, kept].unsqueeze(0)
    return model(Inputs(tokens, torch.tensor([len(kept)]), mask)).logits.sigmoid().item()


@pytest.mark.parametrize("encoder", ["bilstm", "cnn", "average"])
def test_equals_deletion_by_lists(encoder):
    model, inputs = small_model(encoder), small_inputs((2, 5, 9))
    importance = torch.rand(inputs.mask.shape, generator=torch.Generator().manual_seed(3))
    shares = (0.2, 0.5)
    lost, missing = faithfulness(model, inputs, importance, shares)
    for row, length in enumerate((2, 5, 9)):
        words = list(range(1, length + 1))
        ranked = sorted(words, key=lambda at: -importance[row, at].item())
        whole = only(model, inputs, row, [0, *words, length + 1])
        tops = [set(ranked[: -(-length * 2 // 10)]), set(ranked[: -(-length // 2)])]
        without = [
            whole - only(model, inputs, row, [0, *(w for w in words if w not in top), length + 1])
            for top in tops
        ]
        alone = [
            whole - only(model, inputs, row, [0, *(w for w in words if w in top), length + 1])
            for top in tops
        ]
        assert lost[row].item() == pytest.approx(sum(without) / 2, abs=1e-5)
        assert missing[row].item() == pytest.approx(sum(alone) / 2, abs=1e-5)


def test_keeping_everything_changes_nothing():
    model, inputs = small_model(), small_inputs()
    everything = torch.arange(inputs.tokens.shape[1]) < inputs.lengths.unsqueeze(1)
    again = subset(inputs, everything)
    torch.testing.assert_close(model(again).logits, model(inputs).logits)


def test_a_document_left_empty_is_answered_by_the_bias():
    model, inputs = small_model("average"), small_inputs((1,))
    lost, missing = faithfulness(model, inputs, torch.ones(inputs.mask.shape), (0.5,))
    bias = model.head.bias().sigmoid()
    torch.testing.assert_close(lost, model(inputs).logits.sigmoid().squeeze(1) - bias)
    assert missing.abs().max() < 1e-6
