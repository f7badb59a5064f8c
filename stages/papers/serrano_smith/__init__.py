"""Serrano & Smith 2019, Is Attention Interpretable?: tables, figures, claims."""
