"""Predictions by type against predictions by document."""

import numpy as np
import pytest
import torch

from stages.corpora.batching import Reader
from stages.nn import by_type
from stages.nn.build import build
from stages.nn.prediction import collect, predict
from tests.nn import toy


@pytest.mark.parametrize("add_boundary_tokens", [True, False])
@pytest.mark.parametrize("encoder", ["none", "affine", "average"])
@pytest.mark.parametrize("projection", ["softmax", "sparsemax", "uniform"])
def test_predictions_by_type_equal_those_by_document(encoder, projection, add_boundary_tokens):
    options = {"affine": {"bias": True}, "average": {"hidden": 6, "activation": "tanh"}}
    torch.manual_seed(0)
    model = build(
        toy.model(
            encoder={"kind": encoder} | options.get(encoder, {}), projection={"kind": projection}
        ),
        toy.vectors(),
        2,
        False,
    )
    reader = Reader(toy.corpus(), "test", add_boundary_tokens=add_boundary_tokens)
    assert by_type.applies(model)
    whole = collect(model, reader, lambda output: model.probabilities(output.logits))
    assert np.allclose(predict(model, reader), whole, atol=1e-6)


def test_models_with_context_are_not_predicted_by_type():
    model = build(toy.model(encoder={"kind": "bilstm", "hidden": 4}), toy.vectors(), 2, False)
    assert not by_type.applies(model)
