"""Every random draw comes from a generator seeded by (seed, names): same names, same numbers."""

import hashlib

import numpy as np


def entropy(seed: int, *names: str) -> int:
    """A 63-bit integer that depends on the seed and on each name."""
    text = "\x1f".join([str(seed), *names])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1


def generator(seed: int, *names: str) -> np.random.Generator:
    """A NumPy generator for one purpose, for example generator(7, "imdb", "split")."""
    return np.random.default_rng(entropy(seed, *names))
