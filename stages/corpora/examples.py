"""What every reader yields: one labelled text as its source gives it, before any cleaning."""

from typing import NamedTuple


class Example(NamedTuple):
    """A text with its label; a pair (question answering, inference) also has a query."""

    text: str
    label: str
    split: str = ""  # train, dev or test where the source says so
    query: str = ""  # the question or hypothesis of a pair
    candidates: tuple[str, ...] = ()  # the answers open to this example; () means every label
