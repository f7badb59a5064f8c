"""Jain & Wallace 2019, Attention is not Explanation: tables, figures, claims."""
