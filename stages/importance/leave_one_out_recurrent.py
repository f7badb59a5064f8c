"""Leave-one-out through a BiLSTM: only what comes after the deleted token is computed again.

The forward layer keeps its states before the token, the backward layer those behind it; each
continues from there. That is half the steps of a full pass, and all removals of a chunk take a step
at the same time. Under additive attention states are scored as they are computed, while they are in
cache: each has one new half, and the share of old halves in v . tanh(W h + b) is computed once.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from stages.importance.removals import (
    Without,
    decode_pooled,
    encoded_without,
    mask_without,
    pool,
)
from stages.nn.attention import AttentionModel
from stages.nn.inputs import Inputs
from stages.nn.kernels.recurrence import lstm_step, read_lstm, tanh

Numbers = NDArray[np.float32]
Longs = NDArray[np.int64]


@dataclass(frozen=True)
class Direction:
    """One layer over a batch, in its own reading order."""

    layer: nn.LSTM
    inputs: Tensor  # (B, T, 4H) the tokens' share of the gates, before the activation
    recurrent: Tensor  # (H, 4H)
    lengths: Tensor  # (B,)
    order: Tensor  # (B, T) place in the text of each place of the reading order, and vice versa
    gates: Tensor  # (B, T, 4H)
    states: Tensor  # (B, T, H)
    cells: Tensor  # (B, T, H)

    def in_text(self) -> Tensor:
        """States (B, T, H) in the order of the text."""
        return self.states.gather(1, self.order.unsqueeze(-1).expand_as(self.states))

    def reread(
        self, documents: Tensor, places: Tensor, out: Tensor
    ) -> Iterator[tuple[Tensor, Tensor, Tensor, Tensor]]:
        """Overwrite the states in `out` (P, T, H) that come after the deleted places.

        Yields at each step new states (n, H), their documents, places in the text and removals.
        """
        start = self.order[documents, places]  # in reading order
        steps = self.lengths[documents] - 1 - start
        by_steps = steps.argsort(dim=0, descending=True, stable=True)  # (P,) most steps first
        documents, start, steps = documents[by_steps], start[by_steps], steps[by_steps]
        has_previous = (start > 0).unsqueeze(-1)
        previous = (start - 1).clamp(min=0)
        h = self.states[documents, previous] * has_previous  # (P, H)
        c = self.cells[documents, previous] * has_previous
        gates = h.new_empty(len(h), self.recurrent.shape[1])
        at = torch.empty_like(start)
        read = arrays(self.inputs, self.order, documents, start, by_steps, gates, h, c, at, out)
        active = (steps.unsqueeze(-1) > torch.arange(int(steps.max()))).sum(0).tolist()
        for step, n in enumerate(active):
            torch.mm(h[:n], self.recurrent, out=gates[:n])
            _next_step(*read, step, n)  # type: ignore[call-arg]
            yield h[:n], documents[:n], at[:n], by_steps[:n]


def arrays(*tensors: Tensor) -> Any:
    """Arguments of a compiled function."""
    return [tensor.detach().numpy() for tensor in tensors]


@numba.njit(cache=True, nogil=True, fastmath=True, error_model="numpy")
def _next_step(
    inputs: Numbers,
    order: Longs,
    documents: Longs,
    start: Longs,
    removals: Longs,
    gates: Numbers,
    states: Numbers,
    cells: Numbers,
    at: Longs,
    out: Numbers,
    step: int,
    count: int,
) -> None:
    """One LSTM step of the first `count` removals; `gates` hold the recurrent share."""
    for p in range(count):
        d, now = documents[p], start[p] + 1 + step
        row, add, c, h = gates[p], inputs[d, now], cells[p], states[p]
        for j in range(len(row)):
            row[j] += add[j]
        lstm_step(row, c, c, h)
        at[p] = order[d, now]
        out[removals[p], at[p]] = h


def directions(model: AttentionModel, inputs: Inputs) -> list[Direction]:
    """Both layers of a BiLSTM encoder over a batch, forward and backward."""
    embedded = model.embedding(inputs.tokens)
    ends = inputs.lengths.unsqueeze(-1)
    ahead = torch.arange(embedded.shape[1]).expand(len(embedded), -1)
    behind = torch.where(ahead < ends, ends - 1 - ahead, ahead)
    layers: list[tuple[nn.LSTM, Tensor]]
    layers = [(model.encoder.forwards, ahead), (model.encoder.backwards, behind)]  # type: ignore[list-item]
    shares = torch.stack([_input_share(layer, embedded, order) for layer, order in layers])
    weight = torch.stack([layer.weight_hh_l0 for layer, _ in layers])  # type: ignore[misc]
    gates_states_cells = [
        part.transpose(1, 2).contiguous() for part in read_lstm(shares.transpose(1, 2), weight)
    ]
    return [
        Direction(layer, share, layer.weight_hh_l0.T.contiguous(), inputs.lengths, order, *parts)
        for (layer, order), share, *parts in zip(layers, shares, *gates_states_cells, strict=True)
    ]


def _input_share(layer: nn.LSTM, embedded: Tensor, order: Tensor) -> Tensor:
    """The tokens' share of the gates (B, T, 4H), in reading order."""
    of_input, _, *biases = layer.parameters()
    share = embedded @ of_input.T + biases[0] + biases[1]
    return share.gather(1, order.unsqueeze(-1).expand_as(share))


def recurrent(model: AttentionModel, inputs: Inputs) -> Without:
    """For models with a BiLSTM encoder."""
    encoded = model.encode(inputs)
    both = directions(model, inputs)

    def without(documents: Tensor, places: Tensor) -> Tensor:
        left = encoded_without(encoded, documents, places)
        for direction, half in zip(both, left.states.chunk(2, -1), strict=True):
            for _ in direction.reread(documents, places, half):
                pass
        return model.answer(left).logits

    return without


def recurrent_additive(model: AttentionModel, inputs: Inputs) -> Without:
    """For models with a BiLSTM encoder and additive attention."""
    both = directions(model, inputs)
    halves = [direction.in_text() for direction in both]  # (B, T, H) each
    encoded = model.encoded(torch.cat(halves, -1), inputs)
    score: Any = model.score
    base = score.of_state.bias  # (A,), for pairs (B, 1, A)
    if score.of_query is not None:
        base = base + score.of_query(encoded.query).unsqueeze(1)
    of_halves = [part.T.contiguous() for part in score.of_state.weight.chunk(2, -1)]  # (H, A)
    shares = [base + half @ weight for half, weight in zip(halves, of_halves, strict=True)]

    def without(documents: Tensor, places: Tensor) -> Tensor:
        mask = mask_without(encoded.mask, documents, places)  # (P, T)
        scores = torch.zeros(mask.shape)
        new = torch.zeros(*mask.shape, halves[0].shape[-1])  # (P, T, H) the new half of each state
        for direction, weight, old in zip(both, of_halves, reversed(shares), strict=True):
            for states, *where in direction.reread(documents, places, new):
                _score(*arrays(states @ weight, old, score.vector.weight[0], *where, scores))
        weights = model.projection(scores, mask, None)  # (P, T), 0 at the deleted place
        before = torch.arange(mask.shape[1]) < places.unsqueeze(-1)
        sides = [weights * ~before, weights * before]  # forward is new behind, backward before
        of_new = torch.stack(sides, 1) @ new  # (P, 2, H)
        of_old = [
            pool(side, half, documents)  # (P, H)
            for side, half in zip(reversed(sides), halves, strict=True)
        ]
        return decode_pooled(model, encoded, documents, of_new.flatten(1) + torch.cat(of_old, -1))

    return without


@numba.njit(cache=True, nogil=True, fastmath=True, error_model="numpy")
def _score(
    new: Numbers,  # (n, A) share of the new halves
    old: Numbers,  # (B, T, A) of the old halves, the bias and the query
    vector: Numbers,  # (A,)
    documents: Longs,
    at: Longs,
    removals: Longs,
    scores: Numbers,  # (P, T)
) -> None:
    """v . tanh(new + old)."""
    for p in range(len(new)):
        one, other = new[p], old[documents[p], at[p]]
        total = np.float32(0)
        for j in range(len(vector)):
            total += vector[j] * tanh(one[j] + other[j])
        scores[removals[p], at[p]] = total
