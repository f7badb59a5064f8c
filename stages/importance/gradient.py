"""Gradients of the answer with respect to each token (Jain & Wallace 2019, section 4.1).

`gradient` is gradient x embedding, the derivative along the active one-hot coordinate and the one
they publish; `gradient_vocabulary` is the derivative along the sum of all embeddings,
`gradient_state` the sum of the gradient of the token's state. Attention is held fixed.

Where the first layer is an affine map W e + b of each token alone, the rest is differentiated by
its values, and W e is computed once per type.
"""

import torch
from torch import Tensor

from stages.nn.attention import AttentionModel
from stages.nn.inputs import Inputs
from stages.nn.typed import Typed


def gradients(model: AttentionModel, inputs: Inputs) -> dict[str, Tensor]:
    """Absolute values (B, T) of the three kinds, zero outside the mask."""
    embedding_sum = model.embedding.weight.detach().sum(0)  # (E,)
    flat = inputs.tokens.ndim == 2
    if flat and isinstance(model.encoder, Typed) and model.encoder.affine:
        types, rows = inputs.tokens.unique(return_inverse=True)
        offset, of_sum = model.encoder.project(torch.stack([0 * embedding_sum, embedding_sum]))
        along = of_sum - offset  # (P,)
        tokens = model.encoder.project(model.embedding(types))[rows].detach()  # (B, T, P)
        tokens.requires_grad_()
        places = torch.arange(rows.numel()).view_as(rows)
        states, _ = model.encoder.combine(tokens.flatten(0, 1), places, inputs.lengths, inputs.mask)
        encoded = model.encoded(states, inputs)
    else:
        tokens = model.embedding(inputs.tokens).detach().requires_grad_()  # (B, T, E)
        offset, along = torch.zeros_like(embedding_sum), embedding_sum
        encoded = model.encode_embedded(tokens, inputs)
    logits = model.decode(encoded, model.answer(encoded).weights.detach())
    chosen = model.probability(logits, model.decision(logits))  # (B,)
    of_tokens, of_states = torch.autograd.grad(chosen.sum(), [tokens, encoded.states])
    of_offset, of_sum = (of_tokens @ torch.stack([offset, along], 1)).unbind(-1)  # (B, T) each
    kinds = {
        "gradient": torch.linalg.vecdot(of_tokens, tokens) - of_offset,
        "gradient_vocabulary": of_sum,
        "gradient_state": of_states.sum(-1),
    }
    return {name: value.abs().detach() * inputs.mask for name, value in kinds.items()}
