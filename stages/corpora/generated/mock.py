"""Mock data: a few opinion words of the label's class among copies of one filler word.

Amini & Kosseim (2022), section 4.1: Mock-k has exactly k informative words in a document, Mock-kq
has k quarters of its length. The words come from Hu & Liu's opinion lists, restricted to those with
a pretrained vector; each is drawn with replacement, uniformly over the list.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from stages.corpora.examples import Example
from stages.settings.errors import UserError
from stages.settings.sources import Mock

Lexicon = dict[str, list[str]]
FILES = {"negative": "liu-negative-words.txt", "positive": "liu-positive-words.txt"}


def read_lexicon(folder: Path, vectors: str | None = None) -> Lexicon:
    """The sorted words of each class; with a file of word vectors, those that have a vector."""
    with_vector = None if vectors is None else _words_of(Path(vectors))
    lexicon = {}
    for label, name in FILES.items():
        path = folder / name
        if not path.is_file():
            raise UserError(f"{path} is not there; needed: Hu & Liu's opinion lexicon")
        words = _listed(path) if with_vector is None else _listed(path) & with_vector
        if not words:
            raise UserError(f"{path} has no {label} word that can be used; allowed: 1 or more")
        lexicon[label] = sorted(words)
    return lexicon


def _listed(path: Path) -> set[str]:
    """Hu & Liu's files: one word a line, comments start with ';'."""
    lines = [line.strip() for line in path.read_text(encoding="latin-1").splitlines()]
    return {line.lower() for line in lines if line and not line.startswith(";")}


def _words_of(vectors: Path) -> set[str]:
    """The words of a text file of vectors, the first field of each line."""
    if not vectors.is_file():
        raise UserError(f"{vectors} is not there; it lists the words that mock documents may use")
    with vectors.open(encoding="utf-8") as file:
        return {line.split(" ", 1)[0] for line in file}


def generate(source: Mock, lexicon: Lexicon, draw: np.random.Generator) -> Iterator[Example]:
    """The training, then the test documents; half are positive, rounded down."""
    for split, count in (("train", source.train), ("test", source.test)):
        for place in draw.permutation(count):
            label = "positive" if place < count // 2 else "negative"
            yield Example(_document(source, lexicon[label], draw), label, split)


def _document(source: Mock, words: list[str], draw: np.random.Generator) -> str:
    length = int(draw.integers(source.shortest, source.longest + 1))
    tokens = [source.filler] * length
    informative = source.informative
    if source.quarters is not None:
        informative = round(source.quarters / 4 * length)
    positions = draw.choice(length, size=informative, replace=False)
    for position, word in zip(positions, draw.integers(len(words), size=informative), strict=True):
        tokens[position] = words[word]
    return " ".join(tokens)
