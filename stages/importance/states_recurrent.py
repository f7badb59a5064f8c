"""Influence of inputs on the states of a BiLSTM: all states at once, one pass back through time.

The gates of a document are the same whichever state is asked about, so the forward pass is made
once, and only what comes before a state in reading order is gone through, on average half of it.
"""

import torch
from torch import Tensor, nn

from stages.importance.leave_one_out import rows_of
from stages.importance.without_recurrent import Direction, directions
from stages.nn.attention import AttentionModel
from stages.nn.inputs import Inputs


@torch.no_grad()
def slopes(model: AttentionModel, inputs: Inputs, rows: Tensor, places: Tensor) -> Tensor:
    """Gradients (P, T, E) of |h_p| by embeddings, of documents (P,) at places (P,)."""
    needed, rows = rows.unique(return_inverse=True)
    both = directions(model, rows_of(inputs, needed))
    halves = [
        direction.states[rows, direction.origin[rows, places]] for direction, _ in both
    ]  # (P, H) each
    size = torch.cat(halves, -1).norm(dim=-1, keepdim=True).clamp(min=1e-30)
    found = torch.zeros(len(rows), inputs.tokens.shape[1], model.embedding.embedding_dim)
    for (direction, layer), half in zip(both, halves, strict=True):
        _through_time(direction, layer, rows, places, half / size, found)
    return found


def _through_time(
    read: Direction, layer: nn.LSTM, rows: Tensor, places: Tensor, pull: Tensor, into: Tensor
) -> None:
    """Add what one direction passes back from states (P, H), in its own reading order."""
    start = read.origin[rows, places]
    order = start.argsort(dim=0, descending=True, stable=True)  # the last states first
    documents, start = rows[order], start[order]
    before = torch.nn.functional.pad(read.states, (0, 0, 1, 0))[:, :-1]  # (B, T, H)
    enter, forget, new, out = (read.inward + before @ read.recurrent).chunk(4, -1)
    enter, forget, new, out = enter.sigmoid(), forget.sigmoid(), new.tanh(), out.sigmoid()
    earlier = torch.nn.functional.pad(read.cells, (0, 0, 1, 0))[:, :-1]
    bent = read.cells.tanh()
    of_input, of_state, *_ = layer.parameters()  # (4H, E), (4H, H)
    state, cell = torch.zeros_like(pull), torch.zeros_like(pull)
    pull = pull[order]
    for at in range(int(start.max()), -1, -1):
        n = int((start >= at).sum())
        fresh = start[:n] == at
        state[:n] += pull[:n] * fresh.unsqueeze(-1)
        d = documents[:n]
        i, f, g, o, t = (part[d, at] for part in (enter, forget, new, out, bent))
        inner = cell[:n] + state[:n] * o * (1 - t * t)
        gates = torch.cat(
            [
                inner * g * i * (1 - i),
                inner * earlier[d, at] * f * (1 - f),
                inner * i * (1 - g * g),
                state[:n] * t * o * (1 - o),
            ],
            -1,
        )  # (n, 4H)
        into[order[:n], read.origin[d, at]] += gates @ of_input
        state[:n], cell[:n] = gates @ of_state, inner * f
