"""Types by frequency, and the vocabulary of a model.

A corpus stores every type, most frequent first (the token index on Sun & Lu's axes), so no text is
lost. Ids of the model are a map over types: 0 padding, 1 unknown, 2 start, 3 end, then the words of
the vocabulary in alphabetical order (Jain & Wallace 2019).
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
    """All types, the most frequent first, ties in alphabetical order."""
    counts = Counter(token for document in documents for token in document)
    return sorted(counts, key=lambda token: (-counts[token], token))


def vocabulary_words(splits: Mapping[str, Documents], rule: Vocabulary) -> list[str]:
    """The words of the vocabulary by the rule's minimum count, in alphabetical order."""
    counts: Counter[str] = Counter()
    for split in COUNTED[rule.counted_on]:
        for document in splits.get(split, ()):
            counts.update(set(document) if rule.of == "documents" else document)
    return sorted(token for token, count in counts.items() if count >= rule.minimum)


def model_ids(types: Sequence[str], words: Sequence[str]) -> Ints:
    """The model's id of each type (types,): that of the vocabulary's word, or UNKNOWN."""
    ids = {word: i for i, word in enumerate(words, len(SPECIALS))}
    return np.array([ids.get(token, UNKNOWN) for token in types], np.int32)
