"""Removes duplicates, assigns splits and balances classes, before any text is cleaned."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from stages.corpora.examples import Example, Labelled
from stages.corpora.ragged import Longs
from stages.settings.datasets import Dataset, Split

SPLITS = ("train", "dev", "test")
Labels = NDArray[np.int64]


def splits_of(
    data: Labelled, dataset: Dataset, draw: np.random.Generator, removed: Counter[str]
) -> NDArray[np.str_]:
    """The split of each example, "" for duplicates and those removed to balance the classes."""
    source_splits = np.array([example.split for example in data.examples], "<U5")
    prints = [fingerprint(example) for example in data.examples]
    kept = np.ones(len(prints), bool)
    if dataset.duplicates == "remove" and not (source_splits != "").any():
        kept = first_copies(prints)
        removed["copies"] += int((~kept).sum())
    splits = np.full(len(prints), "", "<U5")
    splits[kept] = assign(source_splits[kept], data.labels[kept], dataset.split, draw)
    inside = np.flatnonzero(splits != "")
    if dataset.duplicates == "remove":
        again = across_splits([prints[row] for row in inside], splits[inside])
        removed["across_splits"] += int(again.sum())
        splits[inside[again]] = ""
    if dataset.balanced:
        chosen = balanced(data.labels, splits, draw)
        removed["unbalanced"] += int(((splits != "") & ~chosen).sum())
        splits[~chosen] = ""
    return splits


def stratified_order(labels: Labels, draw: np.random.Generator) -> Longs:
    """A random order in which every prefix has nearly the overall class shares."""
    keys = np.empty(len(labels))
    for label in np.unique(labels):
        members = np.flatnonzero(labels == label)
        # spread each class evenly over (0, 1), its members in random order
        keys[draw.permutation(members)] = (np.arange(len(members)) + draw.random()) / len(members)
    return np.lexsort((np.arange(len(labels)), keys))


def assign(
    source_splits: NDArray[np.str_], labels: Labels, rule: Split, draw: np.random.Generator
) -> NDArray[np.str_]:
    """The split of each example: that of the source, or a random share if the source has none."""
    splits = source_splits.copy()
    if rule.test and "test" not in source_splits:
        pool = np.flatnonzero(splits == ("" if "" in source_splits else "train"))
        splits[_share(pool, rule.test, labels, rule, draw)] = "test"
    splits[splits == ""] = "train"
    if rule.dev and "dev" not in source_splits:
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
    """True for the first of each set of duplicates."""
    first: dict[str, int] = {}
    return np.array([first.setdefault(p, i) == i for i, p in enumerate(prints)], np.bool_)


def across_splits(prints: Sequence[str], splits: NDArray[np.str_]) -> NDArray[np.bool_]:
    """True for examples that occur again in a later split (train < dev < test)."""
    latest: dict[str, int] = {}
    ranks = [SPLITS.index(split) for split in splits]
    for text, rank in zip(prints, ranks, strict=True):
        latest[text] = max(rank, latest.get(text, 0))
    return np.array(ranks) < [latest[text] for text in prints]


def balanced(
    labels: Labels, splits: NDArray[np.str_], draw: np.random.Generator
) -> NDArray[np.bool_]:
    """True for a random subset in which, per split, all classes have the size of the rarest."""
    kept = np.zeros(len(labels), bool)
    for split in SPLITS:
        inside = np.flatnonzero(splits == split)
        classes, counts = np.unique(labels[inside], return_counts=True)
        for label in classes:
            kept[draw.permutation(inside[labels[inside] == label])[: counts.min()]] = True
    return kept
