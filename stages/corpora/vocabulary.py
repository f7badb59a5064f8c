"""Types, their frequency ranks, and which of them a model knows.

A corpus stores every type, most frequent first (the token index on Sun & Lu's axes), so no text is
lost; the model's ids are a map over them: 0 padding, 1 unknown, 2 start, 3 end, then the known
words in alphabetical order (Jain & Wallace 2019).
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from stages.corpora.ragged import Ints
from stages.settings.datasets import Vocabulary

PADDING, UNKNOWN, START, END = range(4)
SPECIALS = ("<pad>", "<unk>", "<start>", "<end>")
COUNTED = {"train": ("train",), "train+dev": ("train", "dev"), "all": ("train", "dev", "test")}
Documents = Sequence[Sequence[str]]


def types_by_frequency(documents: Iterable[Sequence[str]]) -> list[str]:
    """All types, the most frequent first, equals in alphabetical order."""
    counts = Counter(token for document in documents for token in document)
    return sorted(counts, key=lambda token: (-counts[token], token))


def known_words(splits: Mapping[str, Documents], rule: Vocabulary) -> list[str]:
    """The words that reach the rule's minimum in the splits it counts on, in alphabetical order."""
    counts: Counter[str] = Counter()
    for split in COUNTED[rule.counted_on]:
        for document in splits.get(split, ()):
            counts.update(set(document) if rule.of == "documents" else document)
    return sorted(token for token, count in counts.items() if count >= rule.minimum)


def model_ids(types: Sequence[str], known: Sequence[str]) -> Ints:
    """The model's id of each type (types,): its place among the known words, or UNKNOWN."""
    ids = {word: place for place, word in enumerate(known, len(SPECIALS))}
    return np.array([ids.get(token, UNKNOWN) for token in types], np.int32)
