"""A linear map of each token (Sun & Lu's DP-A); without bias the gradient terms are exact."""

from torch import Tensor, nn

from stages.nn.encoders.none import NoEncoder


class Affine(NoEncoder):
    """E -> E, with or without bias."""

    def __init__(self, width: int, bias: bool) -> None:
        super().__init__(width)
        self.layer = nn.Linear(width, width, bias=bias)

    def project(self, embedded: Tensor) -> Tensor:
        """The state of each token."""
        states: Tensor = self.layer(embedded)
        return states

    def transposed(self, vector: Tensor) -> Tensor:
        """M^T v: the same product with an embedding as v has with the state, up to a constant."""
        return vector @ self.layer.weight
