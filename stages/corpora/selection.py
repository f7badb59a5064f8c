"""Cleans the documents of a split in a given order until the budget of the scale is used up."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import accumulate, takewhile

from stages.corpora.cleaning import cleaned
from stages.corpora.examples import Labelled
from stages.corpora.ragged import Longs
from stages.settings.datasets import Dataset

CHUNK = 256  # texts cleaned at a time; bounds the work beyond the budget


@dataclass(frozen=True)
class Limits:
    """Bounds on the tokens of a document and on the size of a split; None means no bound.

    Documents longer than `longest` are dropped, as in the papers; those longer than `budget` are
    dropped, cut or kept, by the key `long` of the data set.
    """

    shortest: int | None
    longest: int | None
    budget: int | None
    documents: int | None
    tokens: int | None


@dataclass(frozen=True)
class Document:
    """A cleaned example; `row` is its index in the source."""

    row: int
    label: int
    sentences: list[list[str]]
    query: list[str]
    candidates: tuple[str, ...]

    @property
    def text(self) -> list[str]:
        """All tokens, sentence after sentence."""
        return [token for sentence in self.sentences for token in sentence]

    @property
    def cost(self) -> int:
        """Tokens of text and query."""
        return sum(map(len, self.sentences)) + len(self.query)


def select(
    data: Labelled, order: Longs, dataset: Dataset, limits: Limits, removed: Counter[str]
) -> list[Document]:
    """The documents of one split, in source order; `removed` counts those left out, by reason."""
    kept: list[Document] = []
    tokens = visited = 0
    for document in _cleaned_in_order(data, order, dataset):
        fitting = _bounded(document, dataset, limits, removed)
        if fitting is not None:
            tokens += fitting.cost
            if len(kept) == limits.documents or tokens > (limits.tokens or tokens):
                break
            kept.append(fitting)
        visited += 1
    removed["over_budget"] += len(order) - visited
    return sorted(kept, key=lambda document: document.row)


def _cleaned_in_order(data: Labelled, order: Longs, dataset: Dataset) -> Iterator[Document]:
    for start in range(0, len(order), CHUNK):
        rows = order[start : start + CHUNK].tolist()
        examples, labels = [data.examples[row] for row in rows], data.labels[rows].tolist()
        texts = cleaned((e.text for e in examples), dataset.recipe, dataset.sentences)
        queries = cleaned((e.query for e in examples), dataset.recipe, False)
        for row, label, text, query, example in zip(
            rows, labels, texts, queries, examples, strict=True
        ):
            yield Document(row, label, text, query[0] if query else [], example.candidates)


def _bounded(
    document: Document, dataset: Dataset, limits: Limits, removed: Counter[str]
) -> Document | None:
    """The document, cut if it is too long and the data set allows it, or None if it is dropped."""
    length = sum(map(len, document.sentences))
    over_budget = limits.budget is not None and length > limits.budget
    if length == 0 or (dataset.is_pair and not document.query):
        removed["empty"] += 1
    elif limits.shortest and length < limits.shortest:
        removed["too_short"] += 1
    elif (limits.longest and length > limits.longest) or (over_budget and dataset.long == "drop"):
        removed["too_long"] += 1
    elif over_budget and dataset.long == "cut":
        removed["cut"] += 1
        return replace(document, sentences=_cut(document.sentences, limits.budget or length))
    else:
        return document
    return None


def _cut(sentences: list[list[str]], longest: int) -> list[list[str]]:
    """The first `longest` tokens."""
    starts = accumulate(map(len, sentences), initial=0)
    pairs = takewhile(lambda pair: pair[0] < longest, zip(starts, sentences, strict=False))
    return [sentence[: longest - start] for start, sentence in pairs]
