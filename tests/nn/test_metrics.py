"""Metrics by hand."""

import itertools
import math
import warnings

import numpy as np
import pytest

from stages.nn.metrics import (
    METRICS,
    accuracy,
    f1_positive,
    log_loss,
    predicted,
    roc_auc,
    summary,
)

BINARY = np.array([[0.9], [0.4], [0.5], [0.6], [0.2]])
LABELS = np.array([1, 1, 0, 0, 0])
THREE = np.array([[0.5, 0.3, 0.2], [0.1, 0.6, 0.3], [0.3, 0.3, 0.4], [0.2, 0.5, 0.3]])
OF_THREE = np.array([0, 1, 2, 2])


def test_predicted_classes():
    assert predicted(BINARY).tolist() == [1, 0, 0, 1, 0]  # one half is class 0
    assert predicted(THREE).tolist() == [0, 1, 2, 1]
    assert predicted(np.array([[0.4, 0.4, 0.2]])).tolist() == [0]  # the first of equals


def test_accuracy_by_hand():
    assert accuracy(BINARY, LABELS) == 3 / 5
    assert accuracy(THREE, OF_THREE) == 3 / 4


def test_f1_by_hand():
    # predicted 1: documents 0 and 3; true 1: documents 0 and 1; both: 0; 2 * 1 / (2 + 2)
    assert f1_positive(BINARY, LABELS) == 0.5
    # three classes, class 1: predicted twice, true once, both once; 2 / 3
    assert f1_positive(THREE, OF_THREE) == pytest.approx(2 / 3)
    assert f1_positive(np.full((3, 1), 0.1), np.zeros(3, int)) == 0  # neither predicted nor present
    assert f1_positive(np.full((3, 1), 0.9), np.ones(3, int)) == 1


@pytest.mark.parametrize(
    ("probabilities", "labels", "expected"),
    [
        # positives .9, .4; negatives .5, .6, .2: .9 beats all three, .4 beats one; 4 of 6
        (BINARY, LABELS, 4 / 6),
        # positives .7, .5; negatives .5, .5: two wins, two ties; 3 of 4
        (np.array([[0.7], [0.5], [0.5], [0.5]]), np.array([1, 1, 0, 0]), 3 / 4),
        (np.full((4, 1), 0.3), np.array([1, 0, 1, 0]), 1 / 2),
        # class 0: .5 above .1, .3, .2, so 1; class 1: .6 above .3, .3, .5, so 1
        # class 2: .4 above .2, .3 and .3 above .2, tie with .3: 3.5 of 4
        (THREE, OF_THREE, (1 + 1 + 3.5 / 4) / 3),
        # class 0 as above: 1; class 1: .6, .3, .5 against .3: two wins and a tie, 2.5 of 3
        (THREE, np.array([0, 1, 1, 1]), (1 + 2.5 / 3) / 2),
    ],
    ids=["two classes", "ties", "all equal", "mean over classes", "absent class"],
)
def test_auc_by_hand(probabilities, labels, expected):
    assert roc_auc(probabilities, labels) == pytest.approx(expected)


def test_auc_of_two_columns_is_that_of_the_second():
    probabilities = np.hstack([1 - BINARY, BINARY])
    assert roc_auc(probabilities, LABELS) == pytest.approx(roc_auc(BINARY, LABELS))


def test_auc_is_the_share_of_pairs_in_order():
    draw = np.random.default_rng(0)
    probabilities, labels = draw.integers(0, 6, (40, 1)) / 6, draw.integers(0, 2, 40)
    pairs = itertools.product(probabilities[labels == 1, 0], probabilities[labels == 0, 0])
    wins = [1.0 if p > n else 0.5 if p == n else 0.0 for p, n in pairs]
    assert roc_auc(probabilities, labels) == pytest.approx(np.mean(wins), abs=1e-12)


@pytest.mark.parametrize("columns", [1, 2, 3])
@pytest.mark.parametrize("label", [0, 1])
def test_auc_of_a_single_class_is_nan(columns, label):
    probabilities = np.full((4, columns), 1 / max(columns, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # no warning either
        assert math.isnan(roc_auc(probabilities, np.full(4, label)))


def test_summary_by_hand():
    assert summary(BINARY, LABELS, 2) == {
        "n": 5,
        "accuracy": 0.6,
        "roc_auc": 0.666667,
        "f1": 0.5,
        "per_class": [3, 2],
        "predicted_per_class": [3, 2],
    }
    scores = summary(THREE, OF_THREE, 3)
    assert scores["per_class"] == [1, 1, 2]
    assert scores["predicted_per_class"] == [1, 2, 1]
    assert set(METRICS) < set(scores)


@pytest.mark.parametrize(
    ("probabilities", "labels", "wanted"),
    [
        ([[0.9], [0.2]], [1, 0], (-np.log(0.9) - np.log(0.8)) / 2),
        ([[0.7, 0.2, 0.1], [0.1, 0.3, 0.6]], [0, 1], (-np.log(0.7) - np.log(0.3)) / 2),
        ([[1.0]], [0], -np.log(1e-12)),  # finite where a true class has probability zero
    ],
)
def test_log_loss_by_hand(probabilities, labels, wanted):
    assert log_loss(np.array(probabilities), np.array(labels)) == pytest.approx(wanted)
