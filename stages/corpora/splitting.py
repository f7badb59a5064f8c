"""Who goes where: copies, splits and class balance, all decided before any text is cleaned."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from stages.corpora.examples import Example
from stages.corpora.ragged import Longs
from stages.settings.datasets import Split

SPLITS = ("train", "dev", "test")
Labels = NDArray[np.int64]


def stratified_order(labels: Labels, draw: np.random.Generator) -> Longs:
    """A random order of which every beginning holds the classes in nearly their overall shares."""
    place = np.empty(len(labels))
    for label in np.unique(labels):
        members = np.flatnonzero(labels == label)
        # spread each class evenly over (0, 1); the draw decides who of the class comes first
        place[draw.permutation(members)] = (np.arange(len(members)) + draw.random()) / len(members)
    return np.lexsort((np.arange(len(labels)), place))


def assign(
    given: Sequence[str], labels: Labels, rule: Split, draw: np.random.Generator
) -> NDArray[np.str_]:
    """The split of each example: the source's own, or a seeded share if the source has none."""
    splits = np.array(given, dtype="<U5")
    if rule.test and "test" not in given:
        pool = np.flatnonzero(splits == ("" if "" in given else "train"))
        splits[_share(pool, rule.test, labels, rule, draw)] = "test"
    splits[splits == ""] = "train"
    if rule.dev and "dev" not in given:
        splits[_share(np.flatnonzero(splits == "train"), rule.dev, labels, rule, draw)] = "dev"
    return splits


def _share(
    pool: Longs, share: float, labels: Labels, rule: Split, draw: np.random.Generator
) -> Longs:
    if not rule.stratified:
        return draw.permutation(pool)[: round(share * len(pool))]
    groups = [pool[labels[pool] == label] for label in np.unique(labels[pool])]
    return np.concatenate(
        [draw.permutation(group)[: round(share * len(group))] for group in groups]
    )


def fingerprint(example: Example) -> str:
    """Equal for texts that differ in case and white space only."""
    return "\x00".join(" ".join(part.lower().split()) for part in (example.text, example.query))


def first_copies(prints: Sequence[str]) -> NDArray[np.bool_]:
    """True for the first of each set of copies."""
    first: dict[str, int] = {}
    return np.array([first.setdefault(p, i) == i for i, p in enumerate(prints)], np.bool_)


def across_splits(prints: Sequence[str], splits: NDArray[np.str_]) -> NDArray[np.bool_]:
    """True for examples that stand again in a later split (train < dev < test): these must go."""
    latest: dict[str, int] = {}
    ranks = [SPLITS.index(split) for split in splits]
    for text, rank in zip(prints, ranks, strict=True):
        latest[text] = max(rank, latest.get(text, 0))
    return np.array(
        [rank < latest[text] for text, rank in zip(prints, ranks, strict=True)], np.bool_
    )


def balanced(
    labels: Labels, splits: NDArray[np.str_], draw: np.random.Generator
) -> NDArray[np.bool_]:
    """True for a random choice with as many of each class as the rarest has, split by split."""
    kept = np.zeros(len(labels), bool)
    for split in SPLITS:
        inside = np.flatnonzero(splits == split)
        rarest = min(Counter(labels[inside].tolist()).values(), default=0)
        for label in np.unique(labels[inside]):
            kept[draw.permutation(inside[labels[inside] == label])[:rarest]] = True
    return kept
