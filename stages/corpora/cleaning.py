"""Text preprocessing of the papers: raw text to sentences of tokens.

`clean`, `sst`, `newsgroups`, `keras`: Jain & Wallace (2019), reused by the later papers. `keras` is
the tokenizer of their IMDB file: it gives 21,516 training reviews shorter than 400 tokens, as many
as they have. `spacy`: Serrano & Smith (2019), lower case with punctuation. `mimic`: clinical notes
of Jain & Wallace, section 3, as in their released code. `blanks`: split at white space, for text
that is tokenized already.
"""

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING

from stages.settings.datasets import Recipe

if TYPE_CHECKING:
    from spacy.language import Language

Tokens = list[str]
KERAS_FILTER = str.maketrans(dict.fromkeys('!"#$%&()*+,-./:;<=>?@[\\]^_`{|}~\t\n', " "))
MARKUP = re.compile(r"<br\s*/?>|\\n")
# [**2151-7-16**] or, once tokenized, [ * * 2151 - 7 - 16 * * ]
DEIDENTIFIED = re.compile(r"\[\s*\*\s*\*.*?\*\s*\*\s*\]")
REPEATED = re.compile(r"([^\w\s]|_)(?:\s*\1)+\s*")


def cleaned(texts: Iterable[str], recipe: Recipe, sentences: bool) -> Iterator[list[Tokens]]:
    """Each text as a list of sentences: a single one without `sentences`, none if it is empty."""
    if recipe == "spacy" and sentences:
        yield from _sentences(texts)
    else:
        for text in texts:
            tokens = RECIPES[recipe](text)
            yield [tokens] if tokens else []


@cache
def _pipeline() -> "Language":
    # hide torch from spaCy, which would import it (two seconds); tokenizers do not use it
    hidden = "torch" not in sys.modules
    if hidden:
        sys.modules["torch"] = None  # type: ignore[assignment]
    try:
        import spacy
    finally:
        if hidden:
            del sys.modules["torch"]
    english = spacy.blank("en")
    english.add_pipe("sentencizer")
    english.max_length = 1 << 30  # the limit protects parsers, which are not used here
    return english


def spacy_tokens(text: str) -> Tokens:
    """Tokens of spaCy's rule-based English tokenizer, without white space."""
    return [token.text for token in _pipeline().tokenizer(text) if not token.is_space]


def _sentences(texts: Iterable[str]) -> Iterator[list[Tokens]]:
    plain = (_squeezed(MARKUP.sub(" ", text)) for text in texts)
    for document in _pipeline().pipe(plain):
        split = (
            [token.lower_ for token in sentence if not token.is_space]
            for sentence in document.sents
        )
        yield [tokens for tokens in split if tokens]


def _squeezed(text: str) -> str:
    return " ".join(text.split())


def _spacy(text: str) -> Tokens:
    return [token.lower() for token in spacy_tokens(_squeezed(MARKUP.sub(" ", text)))]


def _clean(text: str) -> Tokens:
    return _numbers_masked(token.lower() for token in spacy_tokens(_squeezed(text)))


def _numbers_masked(tokens: Iterable[str]) -> Tokens:
    return ["qqq" if any(map(str.isdigit, token)) else token for token in tokens]


def _sst(text: str) -> Tokens:
    words = re.sub(r"\W", " ", text.replace("-LRB-", "").replace("-RRB-", " "))
    return [token.lower() for token in spacy_tokens(_squeezed(words))]


def _newsgroups(text: str) -> Tokens:
    # a run of non-word characters is replaced by its last one, which drops most punctuation
    return re.sub(r"(\W)+", r" \1 ", " ".join(_clean(text))).split()


def _keras(text: str) -> Tokens:
    return text.lower().translate(KERAS_FILTER).split()


def _mimic(text: str) -> Tokens:
    # spans and runs are matched after tokenization, which may insert blanks into them
    joined = " ".join(spacy_tokens(_squeezed(text))).lower()
    return _numbers_masked(REPEATED.sub(r"\1 ", DEIDENTIFIED.sub(" <DE> ", joined)).split())


RECIPES: dict[Recipe, Callable[[str], Tokens]] = {
    "spacy": _spacy,
    "sst": _sst,
    "clean": _clean,
    "newsgroups": _newsgroups,
    "keras": _keras,
    "mimic": _mimic,
    "blanks": str.split,
}
