"""Leave-one-out: how far the output moves when a token is deleted (Jain & Wallace 2019, 4.2).

The text is encoded again without the token and attention is computed anew. What an encoder lets us
reuse decides the way; `deleted` is the literal one and works for every model.
"""

from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from stages.importance.without_additive import recurrent_additive
from stages.importance.without_local import alone, windows
from stages.importance.without_recurrent import recurrent
from stages.nn.attention import AttentionModel
from stages.nn.inputs import Inputs
from stages.nn.scores.additive import Additive

# of a model and a batch: the logits (P, C) of documents (P,) without the tokens at places (P,)
Without = Callable[[Tensor, Tensor], Tensor]
Way = Callable[[AttentionModel, Inputs], Without]
POSITIONS = 50_000  # states held at once: about 50 MB at 256 numbers each
AT_ONCE = 5_000  # positions read anew at once: self-attention of more falls out of the cache


@torch.no_grad()
def leave_one_out(model: AttentionModel, inputs: Inputs, way: Way | None = None) -> Tensor:
    """L1 change of the output (B, T) for each token; zero in documents of a single token."""
    whole = model.probabilities(model(inputs).logits)  # (B, C)
    chosen = way or way_for(model)
    without = chosen(model, inputs)
    moved = torch.zeros(inputs.mask.shape)
    removable = inputs.mask & (inputs.mask.sum(1, keepdim=True) > 1)
    for documents, places in _chunks(removable, AT_ONCE if chosen is deleted else POSITIONS):
        left = model.probabilities(without(documents, places))
        moved[documents, places] = (left - whole[documents]).abs().sum(-1)
    return moved


def way_for(model: AttentionModel) -> Way:
    """The quickest way that is exact for the model's encoder and score."""
    kind = type(model.encoder).__module__.rsplit(".", 1)[-1]
    reread = recurrent_additive if isinstance(model.score, Additive) else recurrent
    ways: dict[str, Way] = {"bilstm": reread, "cnn": windows}
    ways |= dict.fromkeys(("average", "affine", "none"), alone)
    return ways.get(kind, deleted)


def _chunks(removable: Tensor, positions: int) -> Iterator[tuple[Tensor, Tensor]]:
    """All removals (document, place), few enough at a time for their states to fit."""
    pairs = removable.nonzero()
    size = max(1, positions // removable.shape[1])
    for start in range(0, len(pairs), size):
        documents, places = pairs[start : start + size].T
        yield documents, places


def deleted(model: AttentionModel, inputs: Inputs) -> Without:
    """The literal way: the token taken out, everything computed again."""

    def without(documents: Tensor, places: Tensor) -> Tensor:
        width = inputs.tokens.shape[1] - 1
        kept = torch.arange(width).expand(len(places), -1)
        kept = kept + (kept >= places.unsqueeze(-1))  # (P, T - 1)
        shorter = rows_of(inputs, documents)
        return model(
            Inputs(
                shorter.tokens.gather(1, kept),
                shorter.lengths - 1,
                shorter.mask.gather(1, kept),
                shorter.query,
                shorter.query_lengths,
                shorter.candidates,
            )
        ).logits

    return without


def rows_of(inputs: Inputs, rows: Tensor) -> Inputs:
    """Some documents of a batch, in the given order."""
    rest = (inputs.query, inputs.query_lengths, inputs.candidates, inputs.weights)
    taken = (None if field is None else field[rows] for field in rest)
    return Inputs(inputs.tokens[rows], inputs.lengths[rows], inputs.mask[rows], *taken)
