"""Gradients of the answer with respect to each token (Jain & Wallace 2019, section 4.1).

`gradient` is gradient x embedding, the derivative along the active one-hot coordinate and the one
they publish; `gradient_vocabulary` is the derivative along the sum of all embeddings,
`gradient_state` the sum of the gradient of the token's state. Attention is held fixed.
"""

import torch
from torch import Tensor

from stages.importance.answers import answer_index, probability
from stages.nn.attention import AttentionModel
from stages.nn.inputs import Inputs


def gradients(model: AttentionModel, inputs: Inputs) -> dict[str, Tensor]:
    """Absolute values (B, T) of the three kinds, zero outside the mask."""
    embedded = model.embedding(inputs.tokens).detach().requires_grad_()  # (B, T, E)
    encoded = model.encode_embedded(embedded, inputs)
    logits = model.decode(encoded, model.answer(encoded).weights.detach())
    chosen = probability(model, logits, answer_index(model, logits))  # (B,)
    of_tokens, of_states = torch.autograd.grad(chosen.sum(), [embedded, encoded.states])
    embedding_sum = model.embedding.weight.detach().sum(0)  # (E,)
    kinds = {
        "gradient": (of_tokens * embedded).sum(-1),
        "gradient_vocabulary": of_tokens @ embedding_sum,
        "gradient_state": of_states.sum(-1),
    }
    return {name: value.abs().detach() * inputs.mask for name, value in kinds.items()}
