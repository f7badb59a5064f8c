"""The output under many other weights at once; the encoder is never asked again.

With a linear head a document is reduced to its evidence (T, C), with the pair head to what its
states send into the hidden layer: either way the states themselves are no longer needed.
"""

from collections.abc import Callable

import torch
from torch import Tensor

from stages.nn.attention import AttentionModel
from stages.nn.inputs import Encoded

Outputs = Callable[[Tensor], Tensor]  # weights (B, K, T) to probabilities (B, K, C)


def outputs_under(model: AttentionModel, encoded: Encoded) -> Outputs:
    """How the encoded documents are answered under given weights."""
    if not model.head.linear:
        return lambda weights: model.probabilities(model.decode(encoded, weights))
    evidence, bias = model.evidence(encoded)  # (B, T, C), (C,)

    def linear(weights: Tensor) -> Tensor:
        return model.probabilities(torch.baddbmm(bias, weights, evidence))

    return linear
