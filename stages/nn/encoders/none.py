"""No encoder: the states are the embeddings (Sun & Lu's DP, Serrano & Smith's noenc)."""

from torch import Tensor, nn


class NoEncoder(nn.Module):
    """Identity."""

    without_context = True

    def __init__(self, width: int) -> None:
        super().__init__()
        self.size = width

    def forward(self, embedded: Tensor, lengths: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """The embeddings (B, T, E); their mean inside the mask (B, E)."""
        shares = mask.unsqueeze(-1) / mask.sum(1).clamp(min=1)[:, None, None]
        return embedded, (embedded * shares).sum(1)
