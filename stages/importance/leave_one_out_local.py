"""Leave-one-out where a token affects only its neighbourhood: no context, or convolutions.

Scores and states far from the deleted token stay as they are; only those within reach are computed
again. Under softmax the far part is a sum over the text before and one over the text behind, so all
removals of a document cost as much as reading it (`softmax_sums`). In short texts, and under any
other projection, weights are computed anew for each removal.
"""

from collections.abc import Callable

import torch
from torch import Tensor

from stages.importance.removals import Without, decode_pooled, mask_without, pool, take
from stages.nn.attention import AttentionModel
from stages.nn.inputs import Encoded, Inputs
from stages.nn.projections.softmax import Softmax

SHORT = 200  # tokens up to which normalising anew for each removal is faster
LEAST = 1e-250  # of the largest weight: the smallest remainder that is safe from underflow


def local(model: AttentionModel, inputs: Inputs) -> tuple[Encoded, Without]:
    """For encoders without context, in which no other state changes, and parallel convolutions."""
    encoded = model.encode(inputs)
    scores = model.answer(encoded).scores  # (B, T)
    kernels = list(getattr(model.encoder, "convolutions", ()))
    reach = max((kernel.kernel_size[0] // 2 for kernel in kernels), default=0)
    near = torch.cat([torch.arange(-reach, 0), torch.arange(1, reach + 1)])  # (2r,)
    # what each token adds to a window in which it stands at each of the kernel's offsets
    products = [
        torch.einsum("bte,feo->btof", model.embedding(inputs.tokens), kernel.weight)
        for kernel in kernels
    ]  # (B, T, o, F) each
    long = isinstance(model.projection, Softmax) and scores.shape[1] > SHORT
    sums = softmax_sums(scores, encoded.states, encoded.mask, reach) if long else None

    def without(documents: Tensor, places: Tensor) -> Tensor:
        at = places.unsqueeze(-1) + near  # (P, 2r) in the old text
        inside = (at >= 0) & (at < inputs.tokens.shape[1])
        # positions outside the text or the mask are written to the deleted place, which is masked
        real = inside & encoded.mask[documents.unsqueeze(-1), torch.where(inside, at, 0)]
        at = torch.where(real, at, places.unsqueeze(-1))
        states = encoded.states[documents, :0]  # (P, 0, H) without convolutions
        if kernels:
            joined = [
                _window(product, kernel, documents, places, near, inputs.lengths)
                for product, kernel in zip(products, kernels, strict=True)
            ]
            states = torch.cat(joined, -1).relu() * real.unsqueeze(-1)  # (P, 2r, H)
        new = model.score(states, take(encoded.query, documents))  # (P, 2r)
        pooled = None
        if sums is not None:
            pooled = sums(documents, places, new.masked_fill(~real, -torch.inf), states)
        if pooled is None:
            mask = mask_without(encoded.mask, documents, places)
            weights = model.projection(scores[documents].scatter(1, at, new), mask, None)
            far = weights.scatter(1, at, 0.0)  # (P, T), 0 at the deleted place too
            pooled = pool(far, encoded.states, documents)
            pooled = pooled + (weights.gather(1, at).unsqueeze(1) @ states).squeeze(1)
        return decode_pooled(model, encoded, documents, pooled)

    return encoded, without


def _window(
    product: Tensor,
    kernel: torch.nn.Conv1d,
    documents: Tensor,
    places: Tensor,
    near: Tensor,
    lengths: Tensor,
) -> Tensor:
    """Outputs (P, 2r, F) of one kernel at the places near a gap, with the gap closed."""
    reach = kernel.kernel_size[0] // 2
    offsets = torch.arange(-reach, reach + 1)  # (o,)
    # beside the gap distances count without the deleted token: -2 -1 | +1 +2 are neighbours
    shifted = torch.where(near > 0, near - 1, near).unsqueeze(-1) + offsets  # (2r, o)
    distance = torch.where(shifted >= 0, shifted + 1, shifted)
    source = places.view(-1, 1, 1) + distance  # (P, 2r, o) in the old text
    inside = (source >= 0) & (source < lengths[documents].view(-1, 1, 1))
    source = source.clamp(0, product.shape[1] - 1)
    width = len(offsets)
    flat = product.reshape(-1, product.shape[-1])  # (B * T * o, F)
    index = (documents.view(-1, 1, 1) * product.shape[1] + source) * width + torch.arange(width)
    index = torch.where(inside, index, 0)
    weights = inside.to(flat.dtype)
    summed = torch.nn.functional.embedding_bag(
        index.view(-1, width), flat, mode="sum", per_sample_weights=weights.view(-1, width)
    )
    assert kernel.bias is not None
    return summed.view(len(places), len(near), -1) + kernel.bias


def softmax_sums(
    scores: Tensor, states: Tensor, mask: Tensor, reach: int
) -> Callable[[Tensor, Tensor, Tensor, Tensor], Tensor | None]:
    """A function that pools everything beyond `reach` of a place by softmax attention.

    Sums before and behind every place are computed once, from scores (B, T) and states (B, T, H),
    in float64, so that no small remainder is the difference of two large numbers.
    """
    masked = scores.double().masked_fill(~mask, -torch.inf)
    highest = masked.amax(1, keepdim=True)  # (B, 1) all weights are relative to it
    weights = (masked - highest).exp().unsqueeze(-1)  # (B, T, 1)
    terms = torch.cat([weights, weights * states], -1)  # (B, T, 1 + H)
    zero = torch.zeros_like(terms[:, :1])
    before = torch.cat([zero, terms.cumsum(1)], 1)  # (B, T + 1, 1 + H) over places before one
    behind = torch.cat([terms.flip(1).cumsum(1).flip(1), zero], 1)  # over it and all after it

    def pooled(
        documents: Tensor, places: Tensor, new_scores: Tensor, new_states: Tensor
    ) -> Tensor | None:
        """Pooled states (P, H) of what is beyond reach and of new states (P, N, H).

        None if the weight that is left in some document has underflowed.
        """
        first = (places - reach).clamp(min=0)
        last = (places + reach + 1).clamp(max=mask.shape[1])
        total = before[documents, first] + behind[documents, last]  # (P, 1 + H)
        weights = (new_scores.double() - highest[documents]).exp().unsqueeze(1)  # (P, 1, N)
        total[:, :1] += weights.sum(-1)
        total[:, 1:] += (weights @ new_states.double()).squeeze(1)
        if not (total[:, 0] > LEAST).all():
            return None
        return (total[:, 1:] / total[:, :1]).to(states.dtype)

    return pooled
