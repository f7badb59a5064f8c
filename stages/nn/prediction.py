"""Probabilities of every document of a split, and scores of single tokens."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from stages.corpora.batching import Reader
from stages.corpora.ragged import Longs
from stages.nn.attention import AttentionModel
from stages.nn.context_free import outputs, without_context
from stages.nn.inputs import Inputs


@torch.no_grad()
def predict(model: AttentionModel, reader: Reader) -> NDArray[np.float64]:
    """Probabilities (N, C) of every document, in the order of the split."""
    model.eval()
    probabilities, rows = [], []
    # without context larger batches have more copies of each word
    for batch in reader.batches(512 if without_context(model) else 128):
        logits, _ = outputs(model, Inputs.of(batch))
        probabilities.append(model.probabilities(logits))
        rows.append(batch.rows)
    return torch.cat(probabilities).double().numpy()[np.argsort(np.concatenate(rows))]


def one_token_documents(ids: Longs) -> Inputs:
    """Each token as a document of its own."""
    tokens = torch.from_numpy(ids).unsqueeze(1)  # (U, 1)
    return Inputs(tokens, torch.ones(len(ids), dtype=torch.long), torch.ones_like(tokens).bool())


@torch.no_grad()
def scores_alone(model: AttentionModel, ids: Longs) -> tuple[Tensor, Tensor]:
    """Attention score (U,) and evidence (U, C) of tokens, each a document of its own."""
    encoded = model.encode(one_token_documents(ids))
    scores: Tensor = model.score(encoded.states, None)[:, 0]
    return scores, model.evidence(encoded)[0][:, 0]
