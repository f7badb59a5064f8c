"""Importance: how much each token contributes to an output, one measure per file."""
