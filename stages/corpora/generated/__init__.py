"""Data sets made from a seed: nothing to download, and the truth about every example is known."""
