"""Groups of tokens that indicate a class, by counts in the training documents of each class.

Sun & Lu (2020), section 5, with the rule of their released code: counts are of tokens, not of
documents, and a token that occurs in one class only is a polarity token. Groups serve the analysis
of a trained model and are not used in training.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stages.corpora.batching import Reader
from stages.corpora.ragged import Longs
from stages.corpora.vocabulary import SPECIALS
from stages.settings.studies import TokenGroups

Floats = NDArray[np.float64]
NEUTRAL, BINARY = "neutral", ("negative", "positive")


@dataclass(frozen=True)
class Groups:
    """The group of every model id; `names` in the order of the classes, neutral last."""

    names: tuple[str, ...]
    member: NDArray[np.int64]  # (V,) place in names, -1 for tokens of no group
    counts: Longs  # (V, C) tokens in training documents of each class

    def ids(self, name: str) -> Longs:
        """Model ids of one group."""
        return np.flatnonzero(self.member == self.names.index(name))

    @property
    def frequency(self) -> Longs:
        """How often each token occurs in training (V,)."""
        return np.asarray(self.counts.sum(1))


def class_counts(train: Reader, size: int) -> Longs:
    """Tokens of each type in the documents of a reader, by class: (V, C)."""
    counts = np.zeros((size, train.classes), np.int64)
    for row in train.rows:
        np.add.at(counts[:, train.all_labels[row]], train.text[row], 1)
    return counts


def token_groups(
    counts: Longs, labels: tuple[str, ...], words: Sequence[str], rule: TokenGroups
) -> Groups:
    """Groups of all types; for two classes `negative` and `positive`, else named by label.

    Words of the synthetic documents contain their group (positive17, neutral512).
    """
    named = _of_names(words, labels)
    if named is not None:
        return Groups((*labels, NEUTRAL), named, counts)
    if counts.shape[1] == 2:
        return Groups((*BINARY, NEUTRAL), _of_two(counts, rule), counts)
    return Groups((*labels, NEUTRAL), _of_many(counts, rule), counts)


def _of_names(words: Sequence[str], labels: tuple[str, ...]) -> NDArray[np.int64] | None:
    """The group in each word's name, or None if some word contains none."""
    groups = {name: place for place, name in enumerate((*labels, NEUTRAL))}
    special = len(SPECIALS)
    member = [groups.get(word.rstrip("0123456789"), -1) for word in words[special:]]
    if -1 in member or not member:
        return None
    return np.array([-1] * special + member)


def _of_two(counts: Longs, rule: TokenGroups) -> NDArray[np.int64]:
    negative, positive = counts[:, 0], counts[:, 1]
    gamma = (positive - negative) / np.maximum(positive + negative, 1)
    seen = positive + negative > 0
    near = np.abs(positive - negative) < rule.neutral_difference
    member = np.full(len(counts), -1)
    member[seen & near & (np.abs(gamma) < rule.neutral_gamma)] = 2
    member[(gamma > rule.gamma) & (positive > rule.count)] = 1
    member[(gamma < -rule.gamma) & (negative > rule.count)] = 0
    return member


def _of_many(counts: Longs, rule: TokenGroups) -> NDArray[np.int64]:
    total = counts.sum(1)
    share = counts.max(1) / np.maximum(total, 1)
    spread = counts.max(1) - counts.min(1)
    member = np.full(len(counts), -1)
    neutral = (total > 0) & (share < rule.neutral_share) & (spread < rule.neutral_difference)
    member[neutral] = counts.shape[1]
    polar = (share > rule.share) & (counts.max(1) > rule.share_count)
    member[polar] = counts.argmax(1)[polar]
    return member


def toward_own(values: Floats, member: NDArray[np.int64]) -> Floats:
    """Values (N, C) for the class of each token's group (N,), for neutral tokens their mean."""
    classes = values.shape[1]
    if classes == 1:
        return values[:, 0]
    own = values[np.arange(len(values)), np.minimum(member, classes - 1)]
    return np.where(member < classes, own, values.mean(1))


def matched(groups: Groups) -> Longs:
    """Neutral tokens as frequent as polarity tokens: for each of those the nearest unused one.

    Polarity tokens are matched from the most frequent down, since frequent neutrals are few.
    """
    polar = np.flatnonzero((groups.member >= 0) & (groups.member < len(groups.names) - 1))
    neutral = groups.ids(NEUTRAL)
    frequency = groups.frequency
    free = neutral[np.argsort(frequency[neutral], kind="stable")].tolist()
    matches = []
    for token in polar[np.argsort(-frequency[polar], kind="stable")]:
        if not free:
            break
        place = int(np.searchsorted(frequency[free], frequency[token]))
        near = [at for at in (place - 1, place) if 0 <= at < len(free)]
        best = min(near, key=lambda at: abs(int(frequency[free[at]]) - int(frequency[token])))
        matches.append(free.pop(best))
    return np.array(sorted(matches), np.int64)
