"""A linear map of each token (Sun & Lu's DP-A); without bias the gradient terms are exact."""

from torch import Tensor, nn

from stages.nn.encoders.none import NoEncoder


class Affine(NoEncoder):
    """E -> E, with or without bias."""

    def __init__(self, width: int, bias: bool) -> None:
        super().__init__(width)
        self.layer = nn.Linear(width, width, bias=bias)

    def forward(self, embedded: Tensor, lengths: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """States (B, T, E); their mean inside the mask (B, E)."""
        return super().forward(self.layer(embedded), lengths, mask)
