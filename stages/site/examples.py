"""Helpers of the examples page."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np


def predicted(example: Mapping[str, Any]) -> tuple[str, float]:
    """The model's prediction: a label and its probability."""
    output = example["outputs"]["original"]
    if len(output) == 1:
        likely = output[0] > 0.5
        return example["labels"][int(likely)], output[0] if likely else 1 - output[0]
    best = int(np.argmax(output))
    return example["labels"][best], output[best]


def shades(weights: Sequence[float]) -> list[float]:
    """Each weight as a share of the largest; zeros where all weights are zero."""
    largest = max(weights, default=0)
    return [round(weight / largest, 2) if largest > 0 else 0.0 for weight in weights]
