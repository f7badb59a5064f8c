"""Leave-one-out: how far the output moves when a token is deleted (Jain & Wallace 2019, 4.2).

The text is encoded again without the token and attention is computed anew. The encoder determines
what can be reused; `deleted` is the literal procedure and works for every model.
"""

from collections.abc import Callable
from dataclasses import replace

import torch
from torch import Tensor

from stages.importance.leave_one_out_additive import recurrent_additive
from stages.importance.leave_one_out_local import context_free, windows
from stages.importance.leave_one_out_recurrent import recurrent
from stages.importance.removals import Without, removals, rows_of
from stages.nn.attention import AttentionModel
from stages.nn.inputs import Inputs
from stages.nn.scores.additive import Additive

Method = Callable[[AttentionModel, Inputs], Without]
POSITIONS = 50_000  # states held at once: about 50 MB at 256 numbers each
AT_ONCE = 5_000  # positions encoded at once: self-attention over more does not fit into the cache


@torch.no_grad()
def leave_one_out(model: AttentionModel, inputs: Inputs, method: Method | None = None) -> Tensor:
    """L1 change of the output (B, T) for each token; zero in documents of a single token."""
    whole = model.probabilities(model(inputs).logits)  # (B, C)
    method = method or method_for(model)
    without = method(model, inputs)
    change = torch.zeros(inputs.mask.shape)
    for documents, places in removals(inputs.mask, AT_ONCE if method is deleted else POSITIONS):
        left = model.probabilities(without(documents, places))
        change[documents, places] = (left - whole[documents]).abs().sum(-1)
    return change


def method_for(model: AttentionModel) -> Method:
    """The fastest method that is exact for the model's encoder and score."""
    kind = type(model.encoder).__module__.rsplit(".", 1)[-1]
    reread = recurrent_additive if isinstance(model.score, Additive) else recurrent
    methods: dict[str, Method] = {"bilstm": reread, "cnn": windows}
    methods |= dict.fromkeys(("average", "affine", "none"), context_free)
    return methods.get(kind, deleted)


def deleted(model: AttentionModel, inputs: Inputs) -> Without:
    """The literal procedure: the token is taken out and everything is computed again."""

    def without(documents: Tensor, places: Tensor) -> Tensor:
        width = inputs.tokens.shape[1] - 1
        kept = torch.arange(width).expand(len(places), -1)
        kept = kept + (kept >= places.unsqueeze(-1))  # (P, T - 1)
        whole = rows_of(inputs, documents)
        shorter = replace(
            whole,
            tokens=whole.tokens.gather(1, kept),
            lengths=whole.lengths - 1,
            mask=whole.mask.gather(1, kept),
            weights=None,
        )
        return model(shorter).logits

    return without
