"""Size of a corpus: counts and lengths only, no text."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from stages.corpora.corpus import Corpus, Part
from stages.corpora.vocabulary import UNKNOWN
from stages.settings.datasets import Dataset


def provenance(dataset: Dataset) -> dict[str, Any]:
    """Owner, terms and origin of a data set."""
    keys = ("title", "owner", "origin", "terms", "stands_for", "private", "task")
    return {"kind": dataset.source.kind, **{key: getattr(dataset, key) for key in keys}}


def describe(corpus: Corpus, removed: Mapping[str, int]) -> dict[str, Any]:
    """Sizes per class and split, lengths, vocabulary, and numbers of removed examples by reason."""
    splits = {name: _split(part, corpus) for name, part in corpus.parts.items()}
    return {
        "splits": splits,
        "types": len(corpus.types),
        "vocabulary": corpus.vocabulary_size,
        "removed": {reason: n for reason, n in sorted(removed.items()) if n},
    }


def _split(part: Part, corpus: Corpus) -> dict[str, Any]:
    lengths = part.text.lengths
    counts = np.bincount(part.labels, minlength=len(corpus.labels)).tolist()
    sizes: dict[str, Any] = {
        "documents": len(part),
        "classes": {name: n for name, n in zip(corpus.labels, counts, strict=True) if n},
        "tokens": int(lengths.sum()),
        "mean_length": round(float(lengths.mean()), 2),
        "min_length": int(lengths.min()),
        "max_length": int(lengths.max()),
        "unknown_rate": round(float(np.mean(corpus.ids[part.text.values] == UNKNOWN)), 4),
    }
    if part.query is not None:
        sizes["mean_query_length"] = round(float(part.query.lengths.mean()), 2)
    if part.sentences is not None:
        sizes["mean_sentences"] = round(float(part.sentences.lengths.mean()), 2)
    return sizes


def length_counts(corpus: Corpus) -> list[tuple[str, int, int]]:
    """(split, length, documents): how many documents have each length."""
    return [
        (split, length, n)
        for split, part in corpus.parts.items()
        for length, n in sorted(Counter(part.text.lengths.tolist()).items())
    ]
