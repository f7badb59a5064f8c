"""Importance: how much each token matters for an answer, one measure per file."""
