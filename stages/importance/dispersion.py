"""How spread influence is: of inputs on output and states, and of states on the output.

Meister, Lazov, Augenstein & Cotterell (2021). Gradients are L2 norms; the logit stands for the
output, whose normalised gradients are the same and do not underflow. Leave-one-out of a state takes
it out of pooling and projects the remaining scores anew.
"""

from collections.abc import Iterator

import torch
from torch import Tensor

from stages.importance import states_recurrent
from stages.importance.answers import answered
from stages.importance.leave_one_out import AT_ONCE, rows_of
from stages.nn.attention import AttentionModel
from stages.nn.encoders.bilstm import BiLSTM
from stages.nn.inputs import Inputs, Output

POSITIONS = 40_000  # padded tokens of all copies that one backward pass goes through


def on_output(model: AttentionModel, inputs: Inputs) -> dict[str, Tensor]:
    """Norms (B, T) of the gradient of the answer's logit by embeddings and by states.

    `_held` ones hold attention fixed, as Jain & Wallace do; for a linear head those of states are
    then the attention weights themselves, up to a factor.
    """
    embedded = model.embedding(inputs.tokens).detach().requires_grad_()  # (B, T, E)
    encoded = model.encode_embedded(embedded, inputs)
    output = model.answer(encoded)
    answers = answered(model, output.logits.detach())
    found = {}
    for name, weights in (("", output.weights), ("_held", output.weights.detach())):
        logits = model.decode(encoded, weights).gather(-1, answers)
        of_inputs, of_states = torch.autograd.grad(
            logits.sum(), [embedded, encoded.states], retain_graph=name == ""
        )
        found[f"gradient_input{name}"] = of_inputs.norm(dim=-1) * inputs.mask
        found[f"gradient_state{name}"] = of_states.norm(dim=-1) * inputs.mask
    return found


def on_states(model: AttentionModel, inputs: Inputs, rows: Tensor, places: Tensor) -> Tensor:
    """Norms (P, T) of the gradient of |h_p| by embeddings, of documents (P,) at places (P,).

    A BiLSTM goes back through time for all of them at once. Through any other encoder a document is
    read once and all places asked for go backward together.
    """
    found = torch.zeros(len(rows), inputs.tokens.shape[1])
    way, positions = by_document, min(POSITIONS, AT_ONCE)
    if isinstance(model.encoder, BiLSTM):
        way, positions = states_recurrent.slopes, POSITIONS
    for chunk in _chunks(len(rows), inputs.tokens.shape[1], positions):
        slope = way(model, inputs, rows[chunk], places[chunk])  # (P, T, E)
        found[chunk] = slope.norm(dim=-1) * inputs.mask[rows[chunk]]
    return found


def by_document(model: AttentionModel, inputs: Inputs, rows: Tensor, places: Tensor) -> Tensor:
    """Gradients (P, T, E) of |h_p| by embeddings, by one batch of backward passes a document."""
    found = torch.zeros(len(rows), inputs.tokens.shape[1], model.embedding.embedding_dim)
    for row in rows.unique():
        asked = (rows == row).nonzero().squeeze(1)  # (p,)
        single = rows_of(inputs, row.view(1))
        embedded = model.embedding(single.tokens).detach().requires_grad_()  # (1, T, E)
        states = model.encode_embedded(embedded, single).states  # (1, T, H)
        sizes = states[0, places[asked]].norm(dim=-1)
        each = torch.eye(len(asked))
        (slopes,) = torch.autograd.grad(sizes, embedded, each, is_grads_batched=True)
        found[asked] = slopes[:, 0]
    return found


def _chunks(count: int, width: int, positions: int) -> Iterator[slice]:
    size = max(1, positions // width)
    for start in range(0, count, size):
        yield slice(start, start + size)


@torch.no_grad()
def without_states(model: AttentionModel, output: Output) -> Tensor:
    """L1 change of the output (B, T) when a state is left out of pooling; 0 for single tokens."""
    whole = model.probabilities(output.logits)  # (B, C)
    mask = output.encoded.mask
    moved = torch.zeros(mask.shape)
    removable = (mask & (mask.sum(1, keepdim=True) > 1)).nonzero()  # (P, 2)
    for chunk in _chunks(len(removable), mask.shape[1], POSITIONS):
        rows, places = removable[chunk].T
        kept = mask[rows].clone()
        kept[torch.arange(len(rows)), places] = False
        weights = model.projection(output.scores[rows], kept, None)
        encoded = type(output.encoded)(output.encoded.states[rows], kept)
        left = model.probabilities(model.decode(encoded, weights))
        moved[rows, places] = (left - whole[rows]).abs().sum(-1)
    return moved


@torch.no_grad()
def farthest(model: AttentionModel, output: Output) -> tuple[Tensor, Tensor]:
    """Probabilities (B, C) under the attention farthest from the model's own, and that attention.

    The divergence is convex in the moved weights, so it is largest at a corner of the simplex: all
    weight on the token that has the least (the first of equals).
    """
    weights = output.weights.masked_fill(~output.encoded.mask, torch.inf)
    moved = torch.nn.functional.one_hot(weights.argmin(1), weights.shape[1]).to(weights.dtype)
    return model.probabilities(model.decode(output.encoded, moved)), moved


def normalised_entropy(values: Tensor, mask: Tensor) -> Tensor:
    """Entropy (B,) of values made to sum to one, over log n; NaN for one token or all zeros."""
    total = values.double().sum(-1, keepdim=True)
    shares = values.double() / total
    entropy = -torch.special.xlogy(shares, shares).sum(-1)
    n = mask.sum(-1)
    return torch.where((n > 1) & (total.squeeze(-1) > 0), entropy / n.log(), torch.nan)


def projection_gap(scores: Tensor, weights: Tensor, mask: Tensor, rate: float) -> Tensor:
    """How far weights (B, T) are from the projection of rate * scores onto the simplex.

    At the optimum weights - rate * scores is the same number wherever there is weight, and nowhere
    smaller elsewhere: the largest violation of either (B,).
    """
    gap = weights.double() - rate * scores.double()
    inside = (weights > 0) & mask
    level = (gap * inside).sum(1, keepdim=True) / inside.sum(1, keepdim=True)
    uneven = ((gap - level).abs() * inside).amax(1)
    below = ((level - gap).clamp(min=0) * (mask & ~inside)).amax(1)
    return torch.maximum(uneven, below)
