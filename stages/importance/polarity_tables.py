"""Polarity and attention scores of a trained model's tokens, as tidy tables (Sun & Lu 2020)."""

from itertools import combinations_with_replacement

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stages.corpora.batching import Reader
from stages.corpora.corpus import Corpus
from stages.corpora.vocabulary import SPECIALS
from stages.importance.gradient_terms import pull
from stages.importance.tables import batches_with_outputs
from stages.importance.token_groups import Groups, matched, toward_own
from stages.importance.token_scores import TokenScores, alone, in_context
from stages.importance.trace import weights_of
from stages.nn.attention import AttentionModel
from stages.nn.metrics import predicted
from stages.nn.penalty import product

Floats = NDArray[np.float64]
ONE_HOT = 1 - 1e-6  # attention with a larger weight counts as one-hot


def token_table(
    model: AttentionModel, train: Reader, test: Reader, corpus: Corpus, groups: Groups
) -> pd.DataFrame:
    """One row for every token of a group: its scores, and means over its test occurrences.

    `polarity_score` is that of the positive class of two; with more classes that of the token's
    own, or the mean for neutral tokens. `local_` scores are means over training occurrences; `pi`
    and `rho` are sums over them, NaN for models whose gradient flow has no such terms.
    """
    ids = np.flatnonzero(groups.member >= 0)
    size = corpus.vocabulary_size
    scores = local = alone(model, ids)
    if not getattr(model.encoder, "without_context", False):
        context = in_context(model, train, size)
        local = TokenScores(context.polarity[ids], context.attention[ids])
    occurrences = in_context(model, test, size)
    words, member = corpus.words, groups.member[ids]
    table = pd.DataFrame(
        {
            "token": ids - len(SPECIALS),  # rank by frequency
            "word": ["" if corpus.private else words[token] for token in ids],
            "group": np.array(groups.names)[member],
            "matched": np.isin(ids, matched(groups)),
            "count": groups.frequency[ids],
            "polarity_score": toward_own(scores.polarity, member),
            "attention_score": scores.attention,
            "local_polarity": toward_own(local.polarity, member),
            "local_attention": local.attention,
            "test_count": occurrences.count[ids],
            "test_weight": occurrences.weight[ids],
            "test_length": occurrences.length[ids],
            "test_below": occurrences.below[ids],
            **_forces(model, train, ids, member),
        }
    )
    if len(corpus.labels) > 2:
        for place, label in enumerate(corpus.labels):
            table[f"toward_{label}"] = scores.polarity[:, place]
    return table


def _forces(
    model: AttentionModel, train: Reader, ids: NDArray[np.int64], member: NDArray[np.int64]
) -> dict[str, Floats | float]:
    """pi and rho of tokens over the training documents (Sun & Lu, equations 16 and 20)."""
    weights = weights_of(model.state_dict())
    if weights is None or not getattr(model.encoder, "without_context", False):
        return {"pi": np.nan, "rho": np.nan}
    sums = pull(weights, train.text.rows(train.rows), train.labels)
    return {"pi": toward_own(sums.pi[ids], member), "rho": sums.rho[ids]}


def document_table(model: AttentionModel, reader: Reader) -> pd.DataFrame:
    """Per document: whether the prediction is right, and the dispersion of attention.

    `entropy` is normalised (NaN for one token), `from_uniform` the total variation distance.
    """
    tables = []
    for batch, _, output in batches_with_outputs(model, reader, cap=None):
        weights = output.weights.double().numpy()
        n = batch.mask.sum(1)
        logs = np.log(np.where(weights > 0, weights, 1.0))
        with np.errstate(divide="ignore", invalid="ignore"):
            entropy = -(weights * logs).sum(1) / np.log(n)
        uniform = np.where(batch.mask, 1 / n[:, None], 0.0)
        classes = predicted(model.probabilities(output.logits).double().numpy())
        columns = {
            "instance": batch.rows,
            "correct": classes == batch.labels,
            "entropy": np.where(n < 2, np.nan, entropy),
            "from_uniform": np.abs(weights - uniform).sum(1) / 2,
            "largest": weights.max(1),
        }
        tables.append(pd.DataFrame(columns))
    return pd.concat(tables, ignore_index=True)


def run_table(
    model: AttentionModel, documents: pd.DataFrame, corpus: Corpus, groups: Groups
) -> pd.DataFrame:
    """One row: means of a `document_table`, V.W, and the number of types without a group."""
    products = product(dict(model.named_parameters())).detach().double().numpy()
    word = np.arange(corpus.vocabulary_size) >= len(SPECIALS)
    seen = groups.frequency > 0
    return pd.DataFrame(
        {
            "documents": [len(documents)],
            "entropy": [float(documents["entropy"].mean())],
            "from_uniform": [float(documents["from_uniform"].mean())],
            "one_hot": [float((documents["largest"] > ONE_HOT).mean())],
            "product": [float(products[0]) if len(products) == 1 else np.nan],
            "types": [int(word.sum())],
            "unseen": [int((word & ~seen).sum())],
            "no_group": [int((word & seen & (groups.member < 0)).sum())],
        }
    )


def dot_table(model: AttentionModel, groups: Groups, seed: int, pairs: int = 200) -> pd.DataFrame:
    """Dot products of embeddings, for a sample of token pairs from each two groups."""
    table = model.embedding.weight.detach().double().numpy()
    draw = np.random.default_rng(seed)
    tables = []
    for one, other in combinations_with_replacement(groups.names, 2):
        left, right = groups.ids(one), groups.ids(other)
        if min(len(left), len(right)) < 2:
            continue
        first = draw.choice(left, pairs)
        second = draw.choice(right, pairs)
        kept = first != second
        dots = (table[first[kept]] * table[second[kept]]).sum(1)
        tables.append(pd.DataFrame({"pair": f"{one}-{other}", "dot": dots}))
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame({"pair": [], "dot": []})
