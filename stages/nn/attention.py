"""The model interface of all five papers: states -> scores -> weights -> pooled -> output.

An analysis calls `encode` once and then `decode` under any weights. With a linear head `evidence`
reduces that to sums: logits(alpha) = sum of alpha * evidence + bias.
"""

from dataclasses import replace

import torch
from torch import Tensor, nn

from stages.corpora.vocabulary import END, PADDING, START
from stages.nn.dropout import Dropout
from stages.nn.inputs import Encoded, Inputs, Output
from stages.nn.typed import Typed


class AttentionModel(nn.Module):
    """A text (and, for pairs, a query) to logits, through the analysed attention layer."""

    def __init__(
        self,
        embedding: nn.Embedding,
        encoder: nn.Module,
        score: nn.Module,
        projection: nn.Module,
        head: nn.Module,
        dropout: tuple[float, float] = (0.0, 0.0),
    ) -> None:
        super().__init__()
        self.embedding, self.encoder = embedding, encoder
        self.score, self.projection, self.head = score, projection, head
        self.drop_embedded, self.drop_pooled = map(Dropout, dropout)

    def forward(self, inputs: Inputs) -> Output:
        """Logits, weights and scores of a batch."""
        return self.answer(self.encode(inputs))

    def encode(self, inputs: Inputs) -> Encoded:
        """Everything before attention; once per type (typed.py) unless embeddings are dropped."""
        if not isinstance(self.encoder, Typed) or self.drop_embedded.active:
            return self.encode_embedded(self.embedding(inputs.tokens), inputs)
        types, places = inputs.tokens.unique(return_inverse=True)
        projected = self.encoder.project(self.embedding(types))
        states, _ = self.encoder.combine(projected, places, inputs.lengths, inputs.mask)
        return self.encoded(states, inputs)

    def encode_embedded(self, embedded: Tensor, inputs: Inputs) -> Encoded:
        """States of embedded tokens (B, T, E), by which input gradients are taken."""
        dropped = self.drop_embedded(embedded)
        states, _ = self.encoder(dropped, inputs.lengths, inputs.mask)
        return self.encoded(states, inputs)

    def encoded(self, states: Tensor, inputs: Inputs) -> Encoded:
        """States (B, T, H) with the other inputs of attention and output."""
        return Encoded(states, inputs.mask, None, inputs.candidates, inputs.weights)

    def answer(self, encoded: Encoded) -> Output:
        """Attention and output of encoded documents."""
        scores = self.score(encoded.states, encoded.query)  # (B, T)
        weights = self.projection(scores, encoded.mask, encoded.weights)
        return Output(self.decode(encoded, weights), weights, scores, encoded)

    def decode(self, encoded: Encoded, weights: Tensor) -> Tensor:
        """Logits under any weights: (B, T) to (B, C), or (B, K, T) to (B, K, C)."""
        several = weights if weights.ndim == 3 else weights.unsqueeze(1)  # (B, K, T)
        pooled = several @ encoded.states  # (B, K, H)
        pooled = pooled if weights.ndim == 3 else pooled.squeeze(1)
        logits: Tensor = self.head(self.drop_pooled(pooled), encoded.query, encoded.candidates)
        return logits

    def evidence(self, encoded: Encoded) -> tuple[Tensor, Tensor]:
        """(B, T, C) and bias (C,) of a linear head."""
        if not self.head.linear:
            raise ValueError("a head that is not linear has no evidence; use decode")
        return self.head.evidence(encoded.states), self.head.bias()  # type: ignore[operator]

    def probabilities(self, logits: Tensor) -> Tensor:
        """Sigmoid of a single logit, softmax of several; same shape."""
        return logits.sigmoid() if logits.shape[-1] == 1 else logits.softmax(-1)

    def decision(self, logits: Tensor) -> Tensor:
        """Index (B, 1) of the most probable output; 0 for a sigmoid, which has only one."""
        return self.probabilities(logits).argmax(-1, keepdim=True)

    def probability(self, logits: Tensor, decision: Tensor) -> Tensor:
        """Probability (B,) of the output at `decision` (B, 1), whose change importance measures."""
        return self.probabilities(logits).gather(-1, decision).squeeze(-1)


class PairModel(AttentionModel):
    """Attention over a text by a query that has its own encoder and embedding."""

    def __init__(
        self,
        query_embedding: nn.Embedding,
        query_encoder: nn.Module,
        *parts: nn.Module,
        dropout: tuple[float, float] = (0.0, 0.0),
    ) -> None:
        super().__init__(*parts, dropout=dropout)  # type: ignore[arg-type, misc]
        self.query_embedding, self.query_encoder = query_embedding, query_encoder

    def encoded(self, states: Tensor, inputs: Inputs) -> Encoded:
        """States of the text, and the query's summary."""
        assert inputs.query is not None
        assert inputs.query_lengths is not None
        # words only, with or without boundary tokens
        special = torch.tensor([PADDING, START, END])
        words = torch.isin(inputs.query, special, invert=True)  # (B, Q)
        embedded = self.drop_embedded(self.query_embedding(inputs.query))
        _, query = self.query_encoder(embedded, inputs.query_lengths, words)
        return replace(super().encoded(states, inputs), query=query)
