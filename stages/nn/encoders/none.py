"""No encoder: the states are the embeddings (Sun & Lu's DP, Serrano & Smith's noenc)."""

from torch import Tensor, nn


class NoEncoder(nn.Module):
    """Identity."""

    without_context = True

    def __init__(self, width: int) -> None:
        super().__init__()
        self.size = width

    def project(self, embedded: Tensor) -> Tensor:
        """The state of each token."""
        return embedded

    def transposed(self, vector: Tensor) -> Tensor:
        """The vector (E,) whose product with an embedding is that of `vector` with the state."""
        return vector

    def forward(self, embedded: Tensor, lengths: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """States (B, T, E); their mean inside the mask (B, E)."""
        states = self.project(embedded)
        shares = mask.unsqueeze(-1) / mask.sum(1).clamp(min=1)[:, None, None]
        return states, (states * shares).sum(1)
