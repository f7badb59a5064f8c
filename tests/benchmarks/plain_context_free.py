"""Models without context trained the batched plain way, to compare speeds with.

Padded batches, sorted by length where the study does so; every token embedded, dropped and encoded
by itself; torch's autograd, and torch's own optimiser over the whole table of embeddings.
"""

import torch
from torch import nn


class PlainModel(nn.Module):
    """Embedded tokens, an optional layer, softmax attention, one logit."""

    def __init__(self, vectors, layer, score, size, dropout=0.0):
        super().__init__()
        self.embedding = nn.Embedding.from_pretrained(vectors.clone(), freeze=False, padding_idx=0)
        self.layer, self.score, self.output = layer, score, nn.Linear(size, 1)
        self.drop = nn.Dropout(dropout)

    def forward(self, tokens, mask):
        """Logits (B,) of padded documents (B, T); attention is zero outside the mask."""
        states = self.layer(self.drop(self.embedding(tokens)))  # (B, T, H)
        scores = self.score(states).squeeze(-1)  # (B, T)
        weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
        pooled = (weights.unsqueeze(-1) * states).sum(1)
        return self.output(self.drop(pooled)).squeeze(-1)


class Scaled(nn.Module):
    """V . h / lambda (Sun & Lu 2020, DP)."""

    def __init__(self, size, scale):
        super().__init__()
        self.vector, self.scale = nn.Parameter(torch.randn(size)), scale

    def forward(self, states):
        """Scores (B, T, 1)."""
        return (states @ self.vector / self.scale).unsqueeze(-1)


def plain_average(vectors, hidden):
    """tanh layer and additive attention (Jain & Wallace's Average)."""
    layer = nn.Sequential(nn.Linear(vectors.shape[1], hidden), nn.Tanh())
    inner = nn.Linear(hidden, hidden // 2)
    score = nn.Sequential(inner, nn.Tanh(), nn.Linear(hidden // 2, 1, bias=False))
    return PlainModel(vectors, layer, score, hidden)


def plain_dot_product(vectors, scale):
    """Dot-product attention over dropped embeddings (Sun & Lu's DP)."""
    width = vectors.shape[1]
    return PlainModel(vectors, nn.Identity(), Scaled(width, scale), width, dropout=0.5)


def plain_epoch(model, optimizer, batches):
    """One update for each batch of arrays."""
    model.train()
    for batch in batches:
        tokens, mask = torch.from_numpy(batch.tokens), torch.from_numpy(batch.mask)
        labels = torch.from_numpy(batch.labels).float()
        optimizer.zero_grad()
        logits = model(tokens, mask)
        nn.functional.binary_cross_entropy_with_logits(logits, labels).backward()
        optimizer.step()
