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
from stages.nn.inputs import Inputs
from stages.nn.kernels.pooling import attend, attend_by_vector, distinct, dropped_tokens, pool
from stages.nn.projections.softmax import Softmax
from stages.nn.scores.context import Context


def without_context(model: AttentionModel) -> bool:
    """Whether states depend on single tokens; pairs and hierarchical models are not meant."""
    return getattr(model.encoder, "without_context", False) and type(model) is AttentionModel


def outputs(
    model: AttentionModel, inputs: Inputs, log_counts: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """Logits (B, C) and weights (B, T), by types where the model has no context.

    A word that stands for several copies has the logarithm of their number in `log_counts` (B, T),
    which is added to its score: its softmax weight is then that of all copies.
    """
    if not without_context(model):
        output = model(inputs)
        return output.logits, output.weights
    of_batch = distinct(inputs.tokens.numpy(), inputs.mask.numpy(), len(model.embedding.weight))
    types, places = map(torch.from_numpy, of_batch)  # (U,), (B, T)
    rows = model.embedding(types)  # (U, E)
    rate = model.drop_embedded.rate if model.drop_embedded.active else 0.0
    seed = int(torch.randint(2**32, ())) if rate else 0
    if log_counts is None and _dot_product(model, inputs.mask):
        vector = model.encoder.transposed(model.score.vector / model.score.scale)  # type: ignore
        pooled, weights = attend_by_vector(rows, vector, places, rate, seed)
        pooled = model.encoder.project(pooled)  # type: ignore[operator]
        return model.head(model.drop_pooled(pooled), None, None), weights
    if rate:
        rows = dropped_tokens(rows, places[inputs.mask], rate, seed)  # one for each token
        places[inputs.mask] = torch.arange(len(rows))
    states = model.encoder.project(rows)  # type: ignore[operator]  # (N, H)
    scores = model.score(states, None)  # (N,)
    if isinstance(model.projection, Softmax):
        pooled, weights = attend(states, scores, places, log_counts)
    else:
        of_tokens = scores.index_select(0, places.clamp(min=0).flatten()).view(places.shape)
        weights = model.projection(of_tokens, inputs.mask, inputs.weights)
        pooled = pool(weights, states, places)
    return model.head(model.drop_pooled(pooled), None, None), weights


def _dot_product(model: AttentionModel, mask: Tensor) -> bool:
    """Whether scores are linear in embeddings and weights sum to one."""
    linear = hasattr(model.encoder, "transposed") and isinstance(model.projection, Softmax)
    plain = isinstance(model.score, Context) and model.score.layer is None
    return linear and plain and bool(mask.any(1).all())
