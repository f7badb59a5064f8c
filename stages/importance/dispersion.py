"""Dispersion of influence: of inputs on output and states, and of states on the output.

Meister, Lazov, Augenstein & Cotterell (2021). Gradients are L2 norms, of the logit in place of the
output: normalised they are the same, and they do not underflow. Leave-one-out of a state takes it
out of pooling and projects the remaining scores anew.
"""

import torch
from torch import Tensor

from stages.importance.dispersion_recurrent import state_gradients
from stages.importance.leave_one_out import AT_ONCE
from stages.importance.removals import encoded_without, removals, rows_of
from stages.nn.attention import AttentionModel
from stages.nn.encoders.bilstm import BiLSTM
from stages.nn.inputs import Inputs, Output
from stages.nn.recurrent import Recurrent
from stages.statistics.divergences import jensen_shannon

POSITIONS = 40_000  # padded tokens of all copies in one backward pass


def on_output(model: AttentionModel, inputs: Inputs) -> dict[str, Tensor]:
    """Norms (B, T) of the gradient of the answer's logit by embeddings and by states.

    `_held` ones hold attention fixed, as Jain & Wallace do; with a linear head those of states then
    equal the attention weights up to a factor.
    """
    embedded = model.embedding(inputs.tokens).detach().requires_grad_()  # (B, T, E)
    encoded = model.encode_embedded(embedded, inputs)
    output = model.answer(encoded)
    answers = model.decision(output.logits.detach())
    norms = {}
    for name, weights in (("", output.weights), ("_held", output.weights.detach())):
        logits = model.decode(encoded, weights).gather(-1, answers)
        of_inputs, of_states = torch.autograd.grad(
            logits.sum(), [embedded, encoded.states], retain_graph=name == ""
        )
        norms[f"gradient_input{name}"] = of_inputs.norm(dim=-1) * inputs.mask
        norms[f"gradient_state{name}"] = of_states.norm(dim=-1) * inputs.mask
    return norms


def on_states(model: AttentionModel, inputs: Inputs, rows: Tensor, places: Tensor) -> Tensor:
    """Norms (P, T) of the gradient of |h_p| by embeddings, of documents (P,) at places (P,)."""
    norms = torch.zeros(len(rows), inputs.tokens.shape[1])
    method, positions = by_document, min(POSITIONS, AT_ONCE)
    if isinstance(model.encoder, Recurrent):
        method = by_copies
    if isinstance(model.encoder, BiLSTM):
        method, positions = state_gradients, POSITIONS
    for chunk in torch.arange(len(rows)).split(max(1, positions // norms.shape[1])):
        gradients = method(model, inputs, rows[chunk], places[chunk])  # (P, T, E)
        norms[chunk] = gradients.norm(dim=-1) * inputs.mask[rows[chunk]]
    return norms


def by_document(model: AttentionModel, inputs: Inputs, rows: Tensor, places: Tensor) -> Tensor:
    """Gradients (P, T, E) of |h_p| by embeddings; one batch of backward passes per document."""
    gradients = torch.zeros(len(rows), inputs.tokens.shape[1], model.embedding.embedding_dim)
    for row in rows.unique():
        of_row = (rows == row).nonzero().squeeze(1)  # (p,)
        single = rows_of(inputs, row.view(1))
        embedded = model.embedding(single.tokens).detach().requires_grad_()  # (1, T, E)
        states = model.encode_embedded(embedded, single).states  # (1, T, H)
        norms = states[0, places[of_row]].norm(dim=-1)
        one_hot = torch.eye(len(of_row))
        (slopes,) = torch.autograd.grad(norms, embedded, one_hot, is_grads_batched=True)
        gradients[of_row] = slopes[:, 0]
    return gradients


def by_copies(model: AttentionModel, inputs: Inputs, rows: Tensor, places: Tensor) -> Tensor:
    """Gradients (P, T, E) of |h_p| by embeddings, with a copy of the document for each state.

    For compiled layers, which have no batched backward pass.
    """
    copies = rows_of(inputs, rows)
    embedded = model.embedding(copies.tokens).detach().requires_grad_()  # (P, T, E)
    states = model.encode_embedded(embedded, copies).states  # (P, T, H)
    norms = states[torch.arange(len(rows)), places].norm(dim=-1)
    return torch.autograd.grad(norms.sum(), embedded)[0]


@torch.no_grad()
def without_states(model: AttentionModel, output: Output) -> Tensor:
    """L1 change of the output (B, T) when a state is left out of pooling; 0 for single tokens."""
    whole, encoded = model.probabilities(output.logits), output.encoded  # (B, C)
    change = torch.zeros(encoded.mask.shape)
    for rows, places in removals(encoded.mask, POSITIONS):
        left = encoded_without(encoded, rows, places)
        weights = model.projection(output.scores[rows], left.mask, None)
        probabilities = model.probabilities(model.decode(left, weights))
        change[rows, places] = (probabilities - whole[rows]).abs().sum(-1)
    return change


@torch.no_grad()
def farthest(model: AttentionModel, output: Output) -> tuple[Tensor, Tensor, Tensor]:
    """The attention farthest from the model's own: which tokens (B, T), how far (B,), outputs.

    The divergence is convex in the new weights, so it is largest at a corner of the simplex: all
    weight on a token that has the least. Tokens of equal weight, as under sparse attention, are
    equally far. Outputs (B, T, C) are the probabilities with all weight on each single token.
    """
    weights = output.weights.masked_fill(~output.encoded.mask, torch.inf)
    least, first = weights.min(1)
    corners = torch.eye(weights.shape[1], dtype=weights.dtype)  # (T, T)
    distance = jensen_shannon(corners[first].double(), output.weights.double())
    every = corners.expand(len(weights), -1, -1)
    outputs = model.probabilities(model.decode(output.encoded, every))
    return weights == least.unsqueeze(1), distance, outputs


def normalised_entropy(values: Tensor, mask: Tensor) -> Tensor:
    """Entropy (B,) of values scaled to sum to one, over log n; NaN for one token or all zeros."""
    total = values.double().sum(-1, keepdim=True)
    shares = values.double() / total
    entropy = -torch.special.xlogy(shares, shares).sum(-1)
    n = mask.sum(-1)
    return torch.where((n > 1) & (total.squeeze(-1) > 0), entropy / n.log(), torch.nan)


def projection_gap(scores: Tensor, weights: Tensor, mask: Tensor, rate: float) -> Tensor:
    """How far weights (B, T) are from the projection of rate * scores onto the simplex.

    At the optimum weights - rate * scores is one constant wherever there is weight and at least
    that elsewhere; returns the largest violation of either condition (B,).
    """
    gap = weights.double() - rate * scores.double()
    inside = (weights > 0) & mask
    level = (gap * inside).sum(1, keepdim=True) / inside.sum(1, keepdim=True)
    uneven = ((gap - level).abs() * inside).amax(1)
    below = ((level - gap).clamp(min=0) * (mask & ~inside)).amax(1)
    return torch.maximum(uneven, below)
