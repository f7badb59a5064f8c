"""Examples to a corpus: labels, duplicates, splits, class balance, cleaning, vocabulary."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from stages.corpora.corpus import Corpus, Part
from stages.corpora.examples import Example, Labelled
from stages.corpora.ragged import Ragged
from stages.corpora.selection import Document, Limits, select
from stages.corpora.splitting import SPLITS, splits_of, stratified_order
from stages.corpora.vocabulary import model_ids, types_by_frequency, vocabulary_words
from stages.settings.datasets import Dataset
from stages.settings.errors import UserError, one_of

MOST_CLASSES = 50  # of labels that are not listed; more are likely a column of texts or numbers


def labelled(
    examples: Iterable[Example], dataset: Dataset, removed: Counter[str], words: Sequence[str] = ()
) -> Labelled:
    """Examples of the listed classes; `words` are possible answers where every word is a class."""
    everything = list(examples)
    if isinstance(dataset.labels, dict):
        names = tuple(dataset.labels)
        number = {raw: i for i, raws in enumerate(dataset.labels.values()) for raw in raws}
    else:
        values = {example.label for example in everything}
        wordlist = tuple(sorted(values.union(words)))
        names = wordlist if dataset.labels == "words" else _label_values(values, dataset)
        number = {name: i for i, name in enumerate(names)}
    kept = [example for example in everything if example.label in number]
    removed["outside_labels"] += len(everything) - len(kept)
    labels = np.array([number[example.label] for example in kept], np.int64)
    return Labelled(kept, labels, names)


def _label_values(values: set[str], dataset: Dataset) -> tuple[str, ...]:
    """The values of the label column as classes; an empty one is no label."""
    names = tuple(sorted(values - {""}))
    if not 2 <= len(names) <= MOST_CLASSES:
        raise UserError(
            f"{dataset.text}: the examples have {len(names)} different labels; allowed: 2 to "
            f"{MOST_CLASSES}, or those listed under the key labels in data/catalogue.yaml"
        )
    return names


def prepare(
    name: str,
    examples: Iterable[Example],
    dataset: Dataset,
    limits: Mapping[str, Limits],
    draw: np.random.Generator,
    words: Sequence[str] = (),
) -> tuple[Corpus, Counter[str], dict[str, int]]:
    """The corpus of one data set, and two counts of examples: those left out, by reason, and those
    of each split before length bounds and budgets."""
    removed: Counter[str] = Counter()
    data = labelled(examples, dataset, removed, words)
    splits = splits_of(data, dataset, draw, removed)
    available = {split: int((splits == split).sum()) for split in SPLITS}
    documents: dict[str, list[Document]] = {}
    for split in SPLITS:
        rows = np.flatnonzero(splits == split)
        order = rows[stratified_order(data.labels[rows], draw)]
        documents[split] = select(data, order, dataset, limits[split], removed)
        if not documents[split]:
            raise UserError(
                f"data set {name}: no document is left for {split}; removed: "
                + one_of(f"{reason} {n}" for reason, n in removed.items() if n)
            )
    return _corpus(name, dataset, documents, data.names), removed, available


def _corpus(
    name: str, dataset: Dataset, documents: dict[str, list[Document]], names: tuple[str, ...]
) -> Corpus:
    tokens = {
        split: [document.text + document.query for document in documents[split]] for split in SPLITS
    }
    types = types_by_frequency(text for split in SPLITS for text in tokens[split])
    index = {token: i for i, token in enumerate(types)}
    ids = model_ids(types, vocabulary_words(tokens, dataset.vocabulary))
    parts = {split: _part(documents[split], index, names, dataset) for split in SPLITS}
    return Corpus(name, dataset.task, dataset.private, names, tuple(types), ids, parts)


def _part(
    documents: list[Document], index: dict[str, int], names: tuple[str, ...], dataset: Dataset
) -> Part:
    number = {name: i for i, name in enumerate(names)}
    optional = {}
    if dataset.is_pair:
        optional["query"] = Ragged.of([index[token] for token in d.query] for d in documents)
    if any(document.candidates for document in documents):
        optional["candidates"] = Ragged.of([number[c] for c in d.candidates] for d in documents)
    if dataset.sentences:
        optional["sentences"] = Ragged.of(list(map(len, d.sentences)) for d in documents)
    labels = np.array([document.label for document in documents], np.int64)
    return Part(
        labels, Ragged.of([index[token] for token in d.text] for d in documents), **optional
    )
