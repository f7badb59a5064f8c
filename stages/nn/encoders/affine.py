"""A linear map of each token (Sun & Lu's DP-A); without bias the gradient terms are exact."""

from torch import Tensor, nn


class Affine(nn.Module):
    """E -> E, with or without bias."""

    without_context = True

    def __init__(self, width: int, bias: bool) -> None:
        super().__init__()
        self.layer = nn.Linear(width, width, bias=bias)
        self.size = width

    def forward(self, embedded: Tensor, lengths: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """States (B, T, E); their mean inside the mask (B, E)."""
        states = self.layer(embedded)
        shares = mask.unsqueeze(-1) / mask.sum(1).clamp(min=1)[:, None, None]
        return states, (states * shares).sum(1)
