"""A token's own scores: polarity W h and attention V h / lambda (Sun & Lu 2020, section 3).

In a document of one token all weight is on it, so its logits are the token's polarity scores and
its alignment score is the token's attention score: `alone`. A model with context also has scores of
a token within documents: `in_context`, the mean over its occurrences (supplement G.1).
"""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from stages.corpora.batching import Reader
from stages.corpora.ragged import Longs
from stages.importance.gradient_terms import summed
from stages.nn.attention import AttentionModel
from stages.nn.inputs import Inputs
from stages.nn.prediction import scores_alone

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class TokenScores:
    """Scores by model id; NaN for tokens that do not occur."""

    polarity: Floats  # (V, C)
    attention: Floats  # (V,)


def alone(model: AttentionModel, ids: Longs) -> TokenScores:
    """Scores of tokens, in the order of `ids`, each as a document of one token."""
    model.eval()
    scores, evidence = scores_alone(model, ids)
    return TokenScores(evidence.double().numpy(), scores.double().numpy())


@dataclass(frozen=True)
class Occurrences:
    """Sums over all occurrences of every token; (V,) except polarity."""

    count: Longs
    polarity: Floats  # (V, C)
    attention: Floats
    weight: Floats  # attention weight
    length: Floats  # tokens of the document
    below: Floats  # occurrences in documents whose scores are all negative

    def mean(self, total: Floats) -> Floats:
        """Per occurrence; NaN for tokens that do not occur."""
        count = self.count if total.ndim == 1 else self.count[:, None]
        return np.where(count > 0, total / np.maximum(count, 1), np.nan)


@torch.no_grad()
def in_context(model: AttentionModel, reader: Reader, size: int) -> Occurrences:
    """Sums over all occurrences in the documents of a reader, for ids below `size`."""
    model.eval()
    ids, values, polarities = [], [], []
    for batch in reader.batches(128):
        output = model(Inputs.of(batch))
        evidence, _ = model.evidence(output.encoded)
        real = batch.mask
        scores, weights = output.scores.double().numpy(), output.weights.double().numpy()
        n = real.sum(1, keepdims=True).astype(float)
        negative = np.where(real, scores, -1.0).max(1, keepdims=True) < 0
        columns = (np.ones_like(scores), scores, weights, n + 0 * scores, negative + 0 * scores)
        ids.append(batch.tokens[real])
        values.append(np.stack([column[real] for column in columns], 1))
        polarities.append(evidence.double().numpy()[real])
    tokens = np.concatenate(ids)
    count, attention, weight, length, below, *of_classes = (
        summed(tokens, column, size)
        for column in (*np.concatenate(values).T, *np.concatenate(polarities).T)
    )
    polarity = np.stack(of_classes, 1)
    return Occurrences(count.astype(np.int64), polarity, attention, weight, length, below)
