"""Leave-one-out: how far the output moves when a token is deleted (Jain & Wallace 2019, 4.2).

The text is encoded again without the token and attention is computed anew. The encoder determines
what can be reused; `deleted` is the literal procedure and works for every model.
"""

from collections.abc import Callable

import torch
from torch import Tensor

from stages.importance.leave_one_out_local import local
from stages.importance.leave_one_out_recurrent import recurrent, recurrent_additive
from stages.importance.removals import Without, removals, rows_of, subset
from stages.nn.attention import AttentionModel
from stages.nn.inputs import Encoded, Inputs
from stages.nn.scores.additive import Additive

Method = Callable[[AttentionModel, Inputs], tuple[Encoded, Without]]
POSITIONS = 50_000  # states held at once: about 50 MB at 256 numbers each
AT_ONCE = 5_000  # positions encoded at once: self-attention over more does not fit into the cache


@torch.no_grad()
def leave_one_out(model: AttentionModel, inputs: Inputs, method: Method | None = None) -> Tensor:
    """L1 change of the output (B, T) for each token; zero in documents of a single token."""
    method = method or method_for(model)
    encoded, without = method(model, inputs)
    whole = model.probabilities(model.answer(encoded).logits)  # (B, C)
    change = torch.zeros(inputs.mask.shape)
    for documents, places in removals(inputs.mask, AT_ONCE if method is deleted else POSITIONS):
        left = model.probabilities(without(documents, places))
        change[documents, places] = (left - whole[documents]).abs().sum(-1)
    return change


def method_for(model: AttentionModel) -> Method:
    """The fastest method that is exact for the model's encoder and score."""
    kind = type(model.encoder).__module__.rsplit(".", 1)[-1]
    reread = recurrent_additive if isinstance(model.score, Additive) else recurrent
    methods: dict[str, Method] = dict.fromkeys(("cnn", "average", "affine", "none"), local)
    methods["bilstm"] = reread
    return methods.get(kind, deleted)


def deleted(model: AttentionModel, inputs: Inputs) -> tuple[Encoded, Without]:
    """The literal procedure: the token is taken out and everything is computed again."""

    def without(documents: Tensor, places: Tensor) -> Tensor:
        kept = torch.arange(inputs.tokens.shape[1]) != places.unsqueeze(-1)  # (P, T)
        return model(subset(rows_of(inputs, documents), kept)).logits

    return model.encode(inputs), without
