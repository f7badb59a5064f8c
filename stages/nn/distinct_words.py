"""Documents as their distinct words with counts, for models without context and with softmax.

All copies of a word have one score. With the logarithm of its count added, the softmax over
distinct words gives each the total weight of its copies, and divergences between the attention of
two such models equal those over positions. On Mock data all fillers become one entry.
"""

import copy

import numpy as np
import torch
from torch import Tensor

from stages.corpora.batching import Reader
from stages.corpora.ragged import Longs, Ragged, padded
from stages.corpora.vocabulary import END, START
from stages.nn.attention import AttentionModel
from stages.nn.context_free import without_context
from stages.nn.projections.softmax import Softmax


def read_as_words(model: AttentionModel, reader: Reader) -> Reader:
    """The reader, or one of distinct words where that is exact for the model."""
    shared = without_context(model) and not model.drop_embedded.rate
    return DistinctWords(reader) if shared and isinstance(model.projection, Softmax) else reader


class DistinctWords(Reader):
    """The documents of a reader, without boundary tokens."""

    def __init__(self, reader: Reader) -> None:
        vars(self).update(vars(copy.copy(reader)))
        text, size = reader.text, int(reader.text.values.max(initial=0)) + 1
        documents = np.repeat(np.arange(len(text)), text.lengths)
        word = ~np.isin(text.values, (START, END))
        pairs, counts = np.unique((documents * size + text.values)[word], return_counts=True)
        lengths = np.bincount(pairs // size, minlength=len(text))
        offsets = np.concatenate([[0], lengths.cumsum()])
        self.text = Ragged((pairs % size).astype(np.int32), offsets)
        self.log_counts = np.log(counts).astype(np.float32)  # one for each value of `text`
        self.add_boundary_tokens = False


def log_counts(reader: Reader, rows: Longs) -> Tensor | None:
    """Logarithms of the counts of the words of some documents (B, T); None for whole texts."""
    if not isinstance(reader, DistinctWords):
        return None
    text = reader.text
    return torch.from_numpy(padded(reader.log_counts, text.offsets[rows], text.lengths[rows]))
