"""A token's own scores: polarity W h and attention V h / lambda (Sun & Lu 2020, section 3).

The document of one token gives all its weight to it, so its logits are the token's polarity scores
and its alignment score is the token's attention score: `alone`. A model with context also has
scores of a token within documents: `in_context`, the mean over its occurrences (supplement G.1).
"""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from stages.corpora.batching import Reader
from stages.corpora.ragged import Longs
from stages.importance.gradient_terms import summed
from stages.nn.attention import AttentionModel
from stages.nn.by_type import scores_alone
from stages.nn.inputs import Inputs

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class TokenScores:
    """Scores by model id; NaN where there was nothing to look at."""

    polarity: Floats  # (V, C)
    attention: Floats  # (V,)


def alone(model: AttentionModel, ids: Longs) -> TokenScores:
    """Scores of the given tokens (their order), each fed as a document of one token."""
    model.eval()
    scores, said = scores_alone(model, ids)
    return TokenScores(said.double().numpy(), scores.double().numpy())


@dataclass(frozen=True)
class Occurrences:
    """What every token met in some documents, summed over occurrences; (V,) but polarity."""

    count: Longs
    polarity: Floats  # (V, C)
    attention: Floats
    weight: Floats  # attention weight
    length: Floats  # tokens of the document
    below: Floats  # documents in which every score is negative

    def mean(self, total: Floats) -> Floats:
        """Per occurrence; NaN for tokens that do not occur."""
        count = self.count if total.ndim == 1 else self.count[:, None]
        return np.where(count > 0, total / np.maximum(count, 1), np.nan)


@torch.no_grad()
def in_context(model: AttentionModel, reader: Reader, size: int) -> Occurrences:
    """Sums over all occurrences in the documents of a reader, for ids below `size`."""
    model.eval()
    found: dict[str, list[Floats]] = {name: [] for name in ("said", "rest")}
    ids: list[Longs] = []
    for batch in reader.batches(128):
        output = model(Inputs.of(batch))
        evidence, _ = model.evidence(output.encoded)
        real = batch.mask
        scores, weights = output.scores.double().numpy(), output.weights.double().numpy()
        n = real.sum(1, keepdims=True).astype(float)
        negative = np.where(real, scores, -1.0).max(1, keepdims=True) < 0
        columns = (np.ones_like(scores), scores, weights, n + 0 * scores, negative + 0 * scores)
        found["rest"].append(np.stack([column[real] for column in columns], 1))
        found["said"].append(evidence.double().numpy()[real])
        ids.append(batch.tokens[real])
    where = np.concatenate(ids)
    rest, said = (np.concatenate(found[name]) for name in ("rest", "said"))
    sums = [summed(where, column, size) for column in rest.T]
    polarity = np.stack([summed(where, column, size) for column in said.T], 1)
    count, attention, weight, length, below = sums
    return Occurrences(count.astype(np.int64), polarity, attention, weight, length, below)
