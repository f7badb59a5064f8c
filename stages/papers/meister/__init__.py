"""Meister et al. 2021, Is Sparse Attention more Interpretable?: tables, figures, claims."""
