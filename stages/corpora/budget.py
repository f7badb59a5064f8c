"""Selects the training documents of a study within the scale's token budget."""

import numpy as np

from stages.corpora.corpus import Corpus
from stages.corpora.ragged import Longs
from stages.corpora.splitting import stratified_order
from stages.settings.seeds import generator


def training_rows(
    corpus: Corpus, tokens: int | None, seed: int, study: str, documents: int | None = None
) -> Longs:
    """Rows of the training split, stratified by class; all of them without a budget."""
    part = corpus.parts["train"]
    order = stratified_order(part.labels, generator(seed, study, corpus.name, "budget"))
    if tokens is not None:
        order = order[part.text.lengths[order].cumsum() <= tokens]
    return np.sort(order[:documents])
