"""The output of every reader: one labelled text, before any cleaning."""

from typing import NamedTuple


class Example(NamedTuple):
    """A text with its label; a pair (question answering, inference) also has a query."""

    text: str
    label: str
    split: str = ""  # train, dev or test if the source defines splits
    query: str = ""  # the question or hypothesis of a pair
    candidates: tuple[str, ...] = ()  # allowed answers; () means every label
