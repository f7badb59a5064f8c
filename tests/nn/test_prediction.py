"""Predictions by type against predictions by document."""

import numpy as np
import pytest

from stages.corpora.batching import Reader
from stages.nn.prediction import by_document, predict, without_context
from tests.nn import toy


@pytest.mark.parametrize("add_boundary_tokens", [True, False])
@pytest.mark.parametrize("encoder", ["none", "affine", "average"])
@pytest.mark.parametrize("projection", ["softmax", "sparsemax", "uniform"])
def test_predictions_by_type_equal_those_by_document(
    encoders, encoder, projection, add_boundary_tokens
):
    model = toy.network(toy.model(encoder=encoders[encoder], projection={"kind": projection}))
    reader = Reader(toy.corpus(), "test", add_boundary_tokens=add_boundary_tokens)
    assert without_context(model)
    assert np.allclose(predict(model, reader), by_document(model, reader), atol=1e-6)


def test_models_with_context_are_not_predicted_by_type(encoders):
    assert not without_context(toy.network(toy.model(encoder=encoders["bilstm"])))
