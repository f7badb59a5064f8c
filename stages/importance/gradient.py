"""Gradients of the answer with respect to each token (Jain & Wallace 2019, section 4.1).

`gradient` is gradient x embedding, the derivative along the active one-hot coordinate and the one
they publish; `gradient_vocabulary` goes along the sum of all embeddings, `gradient_state` sums the
gradient of the token's state. Attention is held fixed unless `attached`.
"""

import torch
from torch import Tensor

from stages.importance.answers import answered, probability
from stages.nn.attention import AttentionModel
from stages.nn.inputs import Inputs


def gradients(model: AttentionModel, inputs: Inputs, attached: bool = False) -> dict[str, Tensor]:
    """Absolute values (B, T) of the three kinds, zero where attention may not rest."""
    embedded = model.embedding(inputs.tokens).detach().requires_grad_()  # (B, T, E)
    encoded = model.encode_embedded(embedded, inputs)
    weights = model.answer(encoded).weights
    logits = model.decode(encoded, weights if attached else weights.detach())
    chosen = probability(model, logits, answered(model, logits))  # (B,)
    of_tokens, of_states = torch.autograd.grad(chosen.sum(), [embedded, encoded.states])
    everything = model.embedding.weight.detach().sum(0)  # (E,)
    kinds = {
        "gradient": (of_tokens * embedded).sum(-1),
        "gradient_vocabulary": of_tokens @ everything,
        "gradient_state": of_states.sum(-1),
    }
    return {name: found.abs().detach() * inputs.mask for name, found in kinds.items()}
