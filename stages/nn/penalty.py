"""c |V.W|: keeps the context vector and the output vector at right angles (Sun & Lu 2020, 4)."""

from collections.abc import Mapping

from torch import Tensor


def product(parameters: Mapping[str, Tensor]) -> Tensor:
    """V.W (..., C), seen from the embeddings where an affine layer (DP-A) lies between."""
    context = parameters["score.vector"].unsqueeze(-1)  # (..., H, 1)
    output = parameters["head.layer.weight"]  # (..., C, H)
    layer = parameters.get("encoder.layer.weight")  # (..., H, E)
    if layer is not None:
        context, output = layer.mT @ context, output @ layer
    return (output @ context).squeeze(-1)


def penalty(parameters: Mapping[str, Tensor], strength: float) -> Tensor:
    """Added to the loss; runs along a leading axis add up, as their losses do."""
    return strength * product(parameters).abs().sum()
