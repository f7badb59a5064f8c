"""HAN: words to sentence vectors by a first attention, sentences to a document by the one tested.

Serrano & Smith 2019, section 2.2. The states that attention is tested on are sentence vectors, so
everything that runs on a flat model runs on this one.
"""

from typing import Any

from torch import Tensor, nn

from stages.nn.attention import AttentionModel
from stages.nn.inputs import Encoded, Inputs


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
        self.words, self.drop_words = words, nn.Dropout(drop_words)

    def encode_embedded(self, embedded: Tensor, inputs: Inputs) -> Encoded:
        """Sentence states (B, S, H) of embedded words (B, S, T, E)."""
        flat = self.drop_words(embedded).flatten(0, 1)  # (B * S, T, E)
        lengths = inputs.lengths.flatten()
        real = lengths > 0
        mask = (inputs.tokens.flatten(0, 1) != 0)[real]
        states, _ = self.words["encoder"](flat[real], lengths[real], mask)
        scores = self.words["score"](states, None)
        weights = self.words["projection"](scores, mask, None)  # (sentences, T)
        pooled = (weights.unsqueeze(1) @ states).squeeze(1)  # (sentences, H)
        sentences = pooled.new_zeros(len(flat), pooled.shape[-1])
        sentences[real] = pooled
        vectors = sentences.view(*inputs.mask.shape, -1)  # (B, S, H)
        counts = inputs.mask.sum(1)
        dropped = self.drop_embedded(vectors)
        contextual, _ = self.encoder(dropped, counts, inputs.mask)
        return Encoded(contextual, inputs.mask, None, inputs.candidates, inputs.weights)
