"""The output under many other weights at once, without another pass of the encoder.

With a linear head a document is reduced to its evidence (T, C), with the pair head to its states'
share of the hidden layer; the states themselves are no longer needed.
"""

from collections.abc import Callable

import torch
from torch import Tensor

from stages.nn.attention import AttentionModel
from stages.nn.heads.pair import Pair as PairHead
from stages.nn.inputs import Encoded

Outputs = Callable[[Tensor], Tensor]  # weights (B, K, T) to probabilities (B, K, C)


def outputs_under(model: AttentionModel, encoded: Encoded) -> Outputs:
    """A function of weights that returns the outputs of the encoded documents."""
    if isinstance(model.head, PairHead):
        return _pair(model, model.head, encoded)
    if not model.head.linear:
        return lambda weights: model.probabilities(model.decode(encoded, weights))
    evidence, bias = model.evidence(encoded)  # (B, T, C), (C,)

    def linear(weights: Tensor) -> Tensor:
        return model.probabilities(torch.baddbmm(bias, weights, evidence))

    return linear


def _pair(model: AttentionModel, head: PairHead, encoded: Encoded) -> Outputs:
    """The pair head is linear in the pooled state up to its tanh: store the states' share of it."""
    assert encoded.query is not None
    share = encoded.states @ head.of_pooled.weight.T  # (B, T, H / 2)
    rest = (head.of_query(encoded.query) + head.of_pooled.bias).unsqueeze(1)  # (B, 1, H / 2)
    allowed = None if encoded.candidates is None else encoded.candidates.unsqueeze(1)

    def pair(weights: Tensor) -> Tensor:
        logits = head.out(torch.tanh(torch.baddbmm(rest, weights, share)))
        if allowed is not None:
            logits = logits.masked_fill(~allowed, -torch.inf)
        return model.probabilities(logits)

    return pair
