"""The output of every reader: labelled texts, before any cleaning."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Example(NamedTuple):
    """A text with its label; a pair (question answering, inference) also has a query."""

    text: str
    label: str
    split: str = ""  # train, dev or test if the source defines splits
    query: str = ""  # the question or hypothesis of a pair
    candidates: tuple[str, ...] = ()  # allowed answers; () means every label


@dataclass(frozen=True)
class Labelled:
    """Examples with their class numbers, and the names of all classes."""

    examples: list[Example]
    labels: NDArray[np.int64]
    names: tuple[str, ...]
