"""w . h / sqrt(H) with a learned w; for pairs q . h / sqrt(H), without parameters."""

from torch import Tensor, nn


class Dot(nn.Module):
    """Scaled dot product with the query, or with a learned vector where there is none."""

    def __init__(self, size: int, pair: bool) -> None:
        super().__init__()
        self.vector = None if pair else nn.Linear(size, 1, bias=False)
        self.scale = size**-0.5

    def forward(self, states: Tensor, query: Tensor | None) -> Tensor:
        """Scores (B, T)."""
        if self.vector is not None:
            return self.vector(states).squeeze(-1) * self.scale
        assert query is not None
        return (states * query.unsqueeze(-2)).sum(-1) * self.scale
