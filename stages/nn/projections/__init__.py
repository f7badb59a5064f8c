"""Projections: scores (B, T) to weights (B, T) on the simplex, zero outside the mask."""
