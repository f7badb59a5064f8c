"""Scores of predictions: accuracy, F1 of the positive class, ROC-AUC, counts per class."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Labels = NDArray[np.int64]


def predicted(probabilities: Floats) -> Labels:
    """The class of each row (N, C); a single column is the probability of class 1."""
    if probabilities.shape[1] == 1:
        return (probabilities[:, 0] > 0.5).astype(np.int64)
    return probabilities.argmax(1)


def accuracy(probabilities: Floats, labels: Labels) -> float:
    """Share of correct predictions."""
    return float(np.mean(predicted(probabilities) == labels))


def f1_positive(probabilities: Floats, labels: Labels) -> float:
    """F1 of class 1; 0 if it is neither predicted nor present."""
    positive, true = predicted(probabilities) == 1, labels == 1
    both = int((positive & true).sum())
    return 2 * both / max(int(positive.sum() + true.sum()), 1)


def roc_auc(probabilities: Floats, labels: Labels) -> float:
    """Probability that a positive outranks a negative, ties one half; mean over classes."""
    first = 1 if probabilities.shape[1] == 1 else 0  # class of the first column
    areas = []
    for label, scores in enumerate(probabilities.T, first):
        positive = labels == label
        n, m = int(positive.sum()), int((~positive).sum())
        if n and m:
            areas.append((_ranks(scores)[positive].sum() - n * (n + 1) / 2) / (n * m))
    return float(np.mean(areas)) if areas else float("nan")


def _ranks(values: Floats) -> Floats:
    """Average ranks from 1; scipy.stats.rankdata would cost a second of import time."""
    _, group, sizes = np.unique(values, return_inverse=True, return_counts=True)
    ranks: Floats = (sizes.cumsum() - (sizes - 1) / 2)[group]
    return ranks


def log_loss(probabilities: Floats, labels: Labels) -> float:
    """Mean negative logarithm of the probability of the true class."""
    if probabilities.shape[1] == 1:
        probabilities = np.hstack([1 - probabilities, probabilities])
    true = probabilities[np.arange(len(labels)), labels]
    return float(-np.log(np.maximum(true, 1e-12)).mean())


METRICS = {"accuracy": accuracy, "roc_auc": roc_auc, "f1": f1_positive}


def summary(probabilities: Floats, labels: Labels, classes: int) -> dict[str, Any]:
    """All scores at once, with the number of documents per class."""
    return {
        "n": len(labels),
        **{name: round(metric(probabilities, labels), 6) for name, metric in METRICS.items()},
        "per_class": np.bincount(labels, minlength=classes).tolist(),
        "predicted_per_class": np.bincount(predicted(probabilities), minlength=classes).tolist(),
    }
