"""Fixed weights, taken from another model's attention (Wiegreffe & Pinter 2019)."""

from torch import Tensor, nn


class Frozen(nn.Module):
    """Returns the weights that the inputs carry; the scores are not used."""

    def forward(self, scores: Tensor, mask: Tensor, frozen: Tensor | None) -> Tensor:
        """Weights (B, T)."""
        if frozen is None:
            raise ValueError("frozen attention needs inputs that carry weights")
        return frozen
