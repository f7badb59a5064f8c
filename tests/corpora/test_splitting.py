from collections import Counter

import numpy as np

from stages.corpora import splitting
from stages.corpora.examples import Example
from stages.settings.datasets import Split


def draw(seed=0):
    return np.random.default_rng(seed)


def test_every_prefix_of_a_stratified_order_has_the_overall_shares():
    labels = np.array([0] * 60 + [1] * 30 + [2] * 10)
    order = splitting.stratified_order(labels, draw())
    assert sorted(order) == list(range(100))
    for size in (10, 37, 80):
        counts = np.bincount(labels[order[:size]], minlength=3)
        assert np.abs(counts - size * np.array([0.6, 0.3, 0.1])).max() <= 1.01


def test_order_within_a_class_is_random():
    labels = np.zeros(50, int)
    assert splitting.stratified_order(labels, draw(0)).tolist() != list(range(50))
    same = [splitting.stratified_order(labels, draw(1)).tolist() for _ in range(2)]
    assert same[0] == same[1] != splitting.stratified_order(labels, draw(2)).tolist()


def test_a_random_split_takes_exact_shares_of_each_class():
    labels = np.array([0] * 50 + [1] * 20)
    rule = Split(dev=0.25, test=0.2, stratified=True)
    splits = splitting.assign(np.array([""] * 70, "<U5"), labels, rule, draw())
    counts = Counter(zip(splits.tolist(), labels.tolist(), strict=True))
    # test: 20 % of 50 and 20; dev: a quarter of the 40 and 16 left
    of_first = {("test", 0): 10, ("dev", 0): 10, ("train", 0): 30}
    assert counts == of_first | {("test", 1): 4, ("dev", 1): 4, ("train", 1): 12}


def test_shares_are_drawn_only_for_splits_that_the_source_lacks():
    rule = Split(dev=0.2, test=0.5, stratified=True)
    for source, sizes in (
        (["train"] * 10 + ["dev"] * 2 + ["test"] * 4, {"train": 10, "dev": 2, "test": 4}),
        (["train"] * 10 + ["test"] * 4, {"train": 8, "dev": 2, "test": 4}),
        (["train"] * 10 + ["dev"] * 2, {"train": 5, "dev": 2, "test": 5}),
        (["train"] * 8 + [""] * 4, {"train": 8, "dev": 2, "test": 2}),
    ):
        splits = splitting.assign(np.array(source), np.zeros(len(source), int), rule, draw())
        assert Counter(splits.tolist()) == sizes
        kept = [
            (old, new) for old, new in zip(source, splits, strict=True) if old in ("dev", "test")
        ]
        assert all(old == new for old, new in kept)


def test_without_stratification_the_share_is_of_the_whole():
    source, rule = np.array([""] * 10, "<U5"), Split(test=0.4, stratified=False)
    splits = splitting.assign(source, np.arange(10), rule, draw())
    assert Counter(splits.tolist()) == {"train": 6, "test": 4}


def test_duplicates_differ_in_case_and_blanks_only():
    texts = [("Good  film\n", ""), ("good film", ""), ("good", ""), ("a", "b"), ("a b", "")]
    examples = [Example(text, str(i), query=query) for i, (text, query) in enumerate(texts)]
    prints = [splitting.fingerprint(example) for example in examples]
    assert prints[0] == prints[1]
    assert len(set(prints)) == 4
    assert splitting.first_copies(["a", "b", "a", "a"]).tolist() == [True, True, False, False]


def test_a_copy_in_a_later_split_removes_the_earlier_one():
    prints = ["a", "a", "b", "b", "c", "a"]
    splits = np.array(["train", "dev", "dev", "test", "train", "train"])
    assert np.flatnonzero(splitting.across_splits(prints, splits)).tolist() == [0, 2, 5]


def test_balance_is_that_of_the_rarest_class_in_each_split():
    labels = np.array([0] * 9 + [1] * 3 + [0] * 2 + [1] * 4)
    splits = np.array(["train"] * 12 + ["test"] * 6)
    kept = splitting.balanced(labels, splits, draw())
    counts = Counter(zip(splits[kept].tolist(), labels[kept].tolist(), strict=True))
    assert counts == {("train", 0): 3, ("train", 1): 3, ("test", 0): 2, ("test", 1): 2}


def test_balance_depends_on_the_draw_only():
    labels, splits = np.array([0] * 50 + [1]), np.full(51, "train")
    one, again, other = (splitting.balanced(labels, splits, draw(seed)) for seed in (1, 1, 2))
    assert (one == again).all()
    assert (one != other).any()
