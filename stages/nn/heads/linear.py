"""One linear layer; `logit_dropout` zeroes logits in training (Serrano & Smith 2019, 2.1)."""

import torch
from torch import Tensor, nn

from stages.nn.dropout import Dropout


class Linear(nn.Module):
    """Linear in the attention weights: logits = sum of alpha * (W h) + b.

    `spread` draws W from U(-spread, spread) (Sun & Lu 2020, synthetic data).
    """

    linear = True

    def __init__(
        self,
        size: int,
        outputs: int,
        bias: bool,
        xavier: bool,
        logit_dropout: float,
        spread: float | None = None,
    ) -> None:
        super().__init__()
        self.layer = nn.Linear(size, outputs, bias=bias)
        self.dropout = Dropout(logit_dropout)
        if spread is not None:
            nn.init.uniform_(self.layer.weight, -spread, spread)
        if xavier:
            nn.init.xavier_uniform_(self.layer.weight)
            if bias:
                nn.init.zeros_(self.layer.bias)

    def forward(self, pooled: Tensor, query: Tensor | None, candidates: Tensor | None) -> Tensor:
        """Logits (..., C)."""
        logits: Tensor = self.dropout(self.layer(pooled))
        return logits

    def evidence(self, states: Tensor) -> Tensor:
        """W h of each token: its contribution to each class at weight one (B, T, C)."""
        return states @ self.layer.weight.T

    def bias(self) -> Tensor:
        """The logits of an empty sum (C,)."""
        if self.layer.bias is None:
            return torch.zeros(self.layer.out_features)
        return self.layer.bias
