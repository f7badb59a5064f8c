"""Predictions by type against predictions by document."""

import numpy as np
import pytest
import torch

from stages.corpora.batching import Reader
from stages.nn.inputs import Inputs
from stages.nn.prediction import predict
from tests.nn import toy


@torch.no_grad()
def by_document(model, reader):
    """Each document as a batch of its own."""
    logits = [model(Inputs.of(reader.batch(reader.rows[[i]]))).logits for i in range(40)]
    return model.probabilities(torch.cat(logits)).numpy()


@pytest.mark.parametrize("add_boundary_tokens", [True, False])
@pytest.mark.parametrize("encoder", ["none", "affine", "average", "bilstm"])
@pytest.mark.parametrize("projection", ["softmax", "sparsemax", "uniform"])
def test_predictions_equal_those_of_single_documents(
    encoders, encoder, projection, add_boundary_tokens
):
    model = toy.network(toy.model(encoder=encoders[encoder], projection={"kind": projection}))
    reader = Reader(toy.corpus(), "test", add_boundary_tokens=add_boundary_tokens)
    assert np.allclose(predict(model, reader), by_document(model, reader), atol=1e-6)
