"""W2 tanh(W1 c + b + U q + b') + b2 over the candidates (Jain & Wallace 2019, QA and NLI)."""

import torch
from torch import Tensor, nn


class Pair(nn.Module):
    """Output from pooled text and query; logits of answers that are no candidates are -inf."""

    linear = False

    def __init__(self, size: int, outputs: int) -> None:
        super().__init__()
        self.of_pooled = nn.Linear(size, size // 2)
        self.of_query = nn.Linear(size, size // 2)
        self.out = nn.Linear(size // 2, outputs)

    def forward(self, pooled: Tensor, query: Tensor | None, candidates: Tensor | None) -> Tensor:
        """Logits (..., C); pooled may carry more axes before the last than the query."""
        assert query is not None
        shape = (query.shape[0], *[1] * (pooled.ndim - 2), query.shape[-1])
        inner = torch.tanh(self.of_pooled(pooled) + self.of_query(query).view(*shape[:-1], -1))
        logits: Tensor = self.out(inner)
        if candidates is None:
            return logits
        return logits.masked_fill(~candidates.view(*shape[:-1], -1), -torch.inf)
