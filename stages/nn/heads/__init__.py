"""Heads: the pooled vector (B, H), for pairs with a query (B, H), to logits (B, C)."""
