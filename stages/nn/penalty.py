"""c |V.W|: penalises the product of context and output vectors (Sun & Lu 2020, section 4)."""

from collections.abc import Mapping

from torch import Tensor


def product(parameters: Mapping[str, Tensor]) -> Tensor:
    """V.W (C,); with an affine layer M (DP-A) in between, (M^T V).(W M)."""
    context = parameters["score.vector"].unsqueeze(-1)  # (H, 1)
    output = parameters["head.layer.weight"]  # (C, H)
    layer = parameters.get("encoder.layer.weight")  # (H, E)
    if layer is not None:
        context, output = layer.mT @ context, output @ layer
    return (output @ context).squeeze(-1)


def penalty(parameters: Mapping[str, Tensor], strength: float) -> Tensor:
    """Term of the loss, summed over classes."""
    return strength * product(parameters).abs().sum()
