"""Mock data: a few opinion words of the label's class among copies of one filler word.

Amini & Kosseim (2022), section 4.1: Mock-k has exactly k informative words in a document, Mock-kq
has k quarters of its length. The words come from Hu & Liu's opinion lists, or from the VADER
lexicon as a substitute; each is drawn with replacement, uniformly over the list.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from stages.corpora.examples import Example
from stages.settings.errors import UserError, one_of
from stages.settings.sources import Mock

Lexicon = dict[str, list[str]]


def read_lexicon(folder: Path) -> Lexicon:
    """The sorted distinct lower-case words of {"negative": [...], "positive": [...]}."""
    for files, read in LAYOUTS.items():
        if all((folder / name).is_file() for name in files):
            words = read(*(folder / name for name in files))
            break
    else:
        allowed = one_of(" with ".join(files) for files in LAYOUTS)
        raise UserError(f"{folder} holds no opinion lexicon; allowed: {allowed}")
    for label, listed in words.items():
        if not listed:
            raise UserError(
                f"{folder}: the opinion lexicon has no {label} word; allowed: 1 or more"
            )
    return {label: sorted({word.lower() for word in listed}) for label, listed in words.items()}


def _pair_of(words: Callable[[Path], list[str]]) -> Callable[..., Lexicon]:
    """A reader of a negative and a positive file, from the reader of one."""
    return lambda negative, positive: {"negative": words(negative), "positive": words(positive)}


def _listed(path: Path) -> list[str]:
    """Hu & Liu's own files: one word a line below a header of ';' lines."""
    lines = [line.strip() for line in path.read_text(encoding="latin-1").splitlines()]
    return [line for line in lines if line and not line.startswith(";")]


def _quoted(path: Path) -> list[str]:
    """The quoted strings of a JavaScript array, read as text and never executed."""
    # the header is a comment with quoted paper titles
    code = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    strings = [string for _, string in re.findall(r"""(['"])(.*?)\1""", code)]
    return [string for string in strings if string and not re.search(r"\s", string)]


def _rated(path: Path) -> Lexicon:
    """Words of VADER's rows (word, mean rating, deviation, ratings); no emoticons, no phrases."""
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines() if line]
    ratings = [(row[0], float(row[1])) for row in rows if row[0].isalpha()]
    return {
        "negative": [word for word, rating in ratings if rating < 0],
        "positive": [word for word, rating in ratings if rating > 0],
    }


# in order of preference: the lists of the paper, then VADER as a substitute
LAYOUTS: dict[tuple[str, ...], Callable[..., Lexicon]] = {
    ("negative-words.txt", "positive-words.txt"): _pair_of(_listed),
    ("negativeWords.js", "positiveWords.js"): _pair_of(_quoted),
    ("vader_lexicon.txt",): _rated,
}


def generate(source: Mock, lexicon: Lexicon, draw: np.random.Generator) -> Iterator[Example]:
    """The training, then the test documents; half are positive, rounded down."""
    if source.informative is not None and source.informative > source.shortest:
        raise UserError(
            f"informative {source.informative} does not fit into a document of {source.shortest} "
            f"words; allowed: 1 to shortest"
        )
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
