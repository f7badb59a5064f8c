"""HAN: a first attention pools words to sentence vectors, a second pools sentences to a document.

Serrano & Smith 2019, section 2.2. The analysed attention is the second; its states are sentence
vectors, so every analysis of a flat model applies to this one.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from stages.nn.attention import AttentionModel
from stages.nn.dropout import Dropout
from stages.nn.inputs import Encoded, Inputs

CHUNKS = 6


class HierarchicalModel(AttentionModel):
    """A flat model over sentences, each encoded by a smaller flat model of its words."""

    def __init__(
        self,
        words: nn.ModuleDict,
        drop_words: float,
        dropout: tuple[float, float],
        *parts: Any,
    ) -> None:
        super().__init__(*parts, dropout=dropout)  # type: ignore[misc]
        self.words, self.drop_words = words, Dropout(drop_words)

    def encode(self, inputs: Inputs) -> Encoded:
        """Everything before the second attention; padding sentences are not embedded."""
        tokens = inputs.tokens.flatten(0, 1)  # (B * S, T)
        return self._of_sentences(lambda rows, width: self.embedding(tokens[rows, :width]), inputs)

    def encode_embedded(self, embedded: Tensor, inputs: Inputs) -> Encoded:
        """Sentence states (B, S, H) of embedded words (B, S, T, E)."""
        flat = embedded.flatten(0, 1)
        return self._of_sentences(lambda rows, width: flat[rows, :width], inputs)

    def _of_sentences(self, words: Callable[[Tensor, int], Tensor], inputs: Inputs) -> Encoded:
        """Sentence states; `words` returns the embedded words of some sentences (N, width, E)."""
        lengths = inputs.lengths.flatten()  # (B * S,)
        present = lengths.nonzero().squeeze(-1)
        order = present[lengths[present].argsort(stable=True)]
        # chunks of similar length: few sentences are as long as the longest
        parts = [(part, lengths[part]) for part in order.chunk(CHUNKS)]
        pooled = torch.cat([self._sentences(words(part, int(n.max())), n) for part, n in parts])
        vectors = pooled.new_zeros(len(lengths), pooled.shape[-1]).index_copy(0, order, pooled)
        dropped = self.drop_embedded(vectors.view(*inputs.mask.shape, -1))  # (B, S, H)
        states, _ = self.encoder(dropped, inputs.mask.sum(1), inputs.mask)
        return self.encoded(states, inputs)

    def _sentences(self, embedded: Tensor, lengths: Tensor) -> Tensor:
        """Vectors (N, H) of sentences (N, T, E), by the attention over their words."""
        words = self.drop_words(embedded)
        mask = torch.arange(words.shape[1]) < lengths.unsqueeze(-1)
        states, _ = self.words["encoder"](words, lengths, mask)
        weights = self.words["projection"](self.words["score"](states, None), mask, None)
        return (weights.unsqueeze(1) @ states).squeeze(1)
