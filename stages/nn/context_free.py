"""Outputs of models without context: scores and states once per type of a batch.

Without context the state and the score of a token depend on the token alone, so all copies of a
word in a batch share them, forward and backward, and a document is a weighted sum of shared states.

Dropout of embeddings draws a mask for every token, so copies of a word differ and nothing can be
shared: states are then computed token by token, without padding. Sun & Lu's DP and DP-A need no
layer per token even so: V.(M x + b) = (M^T V).x + V.b, where the last term leaves a softmax as it
is, and the weighted sum of M x + b is M times the weighted sum of x, plus b.
"""

import torch
from torch import Tensor

from stages.nn.attention import AttentionModel
from stages.nn.heads.linear import Linear
from stages.nn.inputs import Inputs
from stages.nn.kernels.pooling import attend, attend_by_vector, distinct, dropped_tokens, pool
from stages.nn.projections.softmax import Softmax
from stages.nn.scores.context import Context


def without_context(model: AttentionModel) -> bool:
    """Whether `project` of the encoder gives the states; not for pairs and hierarchical models."""
    alone = getattr(model.encoder, "without_context", False) and hasattr(model.encoder, "project")
    return alone and type(model) is AttentionModel


def outputs(model: AttentionModel, inputs: Inputs) -> tuple[Tensor, Tensor]:
    """Logits (B, C) and weights (B, T), by types where the model has no context."""
    if not without_context(model):
        output = model(inputs)
        return output.logits, output.weights
    of_batch = distinct(inputs.tokens.numpy(), inputs.mask.numpy(), len(model.embedding.weight))
    types, places = map(torch.from_numpy, of_batch)  # (U,), (B, T)
    rows = model.embedding(types)  # (U, E)
    rate = model.drop_embedded.rate if model.drop_embedded.active else 0.0
    seed = int(torch.randint(2**32, ())) if rate else 0
    if _dot_product(model, inputs.mask):
        vector = model.encoder.transposed(model.score.vector / model.score.scale)  # type: ignore
        pooled, weights = attend_by_vector(rows, vector, places, rate, seed)
        pooled = model.encoder.project(pooled)  # type: ignore[operator]
        return model.head(model.drop_pooled(pooled), None, inputs.candidates), weights
    if rate:
        rows = dropped_tokens(rows, places[inputs.mask], rate, seed)  # one for each token
        places[inputs.mask] = torch.arange(len(rows))
    states = model.encoder.project(rows)  # type: ignore[operator]  # (N, H)
    scores = model.score(states, None)  # (N,)
    summed = _summed_evidence(model)
    values = model.head.evidence(states) if summed else states  # type: ignore[operator]
    if isinstance(model.projection, Softmax):
        pooled, weights = attend(values, scores, places)
    else:
        of_tokens = scores.index_select(0, places.clamp(min=0).flatten()).view(places.shape)
        weights = model.projection(of_tokens, inputs.mask, inputs.weights)
        pooled = pool(weights, values, places)
    if summed:
        return pooled + model.head.bias(), weights  # type: ignore[operator]
    return model.head(model.drop_pooled(pooled), None, inputs.candidates), weights


def _summed_evidence(model: AttentionModel) -> bool:
    """Whether logits are sums of evidence: the head is linear and nothing is dropped there."""
    plain = isinstance(model.head, Linear) and not model.head.dropout.active
    return plain and not model.drop_pooled.active


def _dot_product(model: AttentionModel, mask: Tensor) -> bool:
    """Whether scores are linear in embeddings and weights sum to one."""
    linear = hasattr(model.encoder, "transposed") and isinstance(model.projection, Softmax)
    plain = isinstance(model.score, Context) and model.score.layer is None
    return linear and plain and bool(mask.any(1).all())
