"""Leave-one-out where a token affects only its neighbourhood: no context, or convolutions.

Scores and states far from the deleted token stay as they are; only those within reach are computed
again. Under softmax the far part is a sum over the text before and one over the text behind, so all
removals of a document cost as much as reading it (`SoftmaxSums`). In short texts, and under any
other projection, weights are computed anew for each removal.
"""

import torch
from torch import Tensor

from stages.importance.leave_one_out_softmax import SoftmaxSums
from stages.importance.removals import Without, decode_pooled, mask_without, pool, take
from stages.nn.attention import AttentionModel
from stages.nn.inputs import Encoded, Inputs
from stages.nn.projections.softmax import Softmax

SHORT = 200  # tokens up to which normalising anew for each removal is faster


def context_free(model: AttentionModel, inputs: Inputs) -> Without:
    """For encoders without context: the other tokens' states do not change."""
    encoded = model.encode(inputs)
    scores = model.answer(encoded).scores  # (B, T)
    sums = _sums(model, encoded, scores, 0)

    def without(documents: Tensor, places: Tensor) -> Tensor:
        pooled = None if sums is None else sums.pooled(documents, places)
        if pooled is None:
            mask = mask_without(encoded.mask, documents, places)
            weights = model.projection(scores[documents], mask, None)  # (P, T)
            pooled = pool(weights, encoded.states, documents)
        return decode_pooled(model, encoded, documents, pooled)

    return without


def _sums(
    model: AttentionModel, encoded: Encoded, scores: Tensor, reach: int
) -> SoftmaxSums | None:
    if not isinstance(model.projection, Softmax) or scores.shape[1] <= SHORT:
        return None
    return SoftmaxSums.of(scores, encoded.states, encoded.mask, reach)


def windows(model: AttentionModel, inputs: Inputs) -> Without:
    """For parallel convolutions: windows over the gap are summed from stored products."""
    encoded = model.encode(inputs)
    scores = model.answer(encoded).scores
    embedded = model.embedding(inputs.tokens)  # (B, T, E)
    kernels = list(model.encoder.convolutions)  # type: ignore[arg-type]
    reach = max(kernel.kernel_size[0] // 2 for kernel in kernels)
    # what each token adds to a window in which it stands at each of the kernel's offsets
    products = [
        torch.einsum("bte,feo->btof", embedded, kernel.weight)  # (B, T, o, F)
        for kernel in kernels
    ]
    near = torch.cat([torch.arange(-reach, 0), torch.arange(1, reach + 1)])  # (2r,)
    sums = _sums(model, encoded, scores, reach)

    def without(documents: Tensor, places: Tensor) -> Tensor:
        at = places.unsqueeze(-1) + near  # (P, 2r) in the old text
        inside = (at >= 0) & (at < inputs.tokens.shape[1])
        # positions outside the text or the mask are written to the deleted place, which is masked
        real = inside & encoded.mask[documents.unsqueeze(-1), torch.where(inside, at, 0)]
        at = torch.where(real, at, places.unsqueeze(-1))
        joined = [
            _window(product, kernel, documents, places, near, inputs.lengths)
            for product, kernel in zip(products, kernels, strict=True)
        ]
        states = torch.cat(joined, -1).relu() * real.unsqueeze(-1)  # (P, 2r, H)
        new = model.score(states, take(encoded.query, documents))  # (P, 2r)
        pooled = None
        if sums is not None:
            pooled = sums.pooled(documents, places, new.masked_fill(~real, -torch.inf), states)
        if pooled is None:
            mask = mask_without(encoded.mask, documents, places)
            weights = model.projection(scores[documents].scatter(1, at, new), mask, None)
            far = weights.scatter(1, at, 0.0)  # (P, T), 0 at the deleted place too
            pooled = pool(far, encoded.states, documents)
            pooled = pooled + (weights.gather(1, at).unsqueeze(1) @ states).squeeze(1)
        return decode_pooled(model, encoded, documents, pooled)

    return without


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
