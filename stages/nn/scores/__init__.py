"""Scores: states (B, T, H) and, for pairs, a query (B, H) to one number per token (B, T)."""
