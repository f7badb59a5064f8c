"""Formats of one item per line: sentiment trees, and task files of the released bAbI sets.

Jain & Wallace (2019), section 3. SST: PTB-style trees, each node labelled 0..4; the text is the
leaves, with brackets written as -LRB- and -RRB-; the key `labels` drops the neutral class and
merges the others into two. bAbI 1-3 (Weston et al. 2015): numbered statements, and questions after
tabs. A story starts at number 1; its statements are joined by " . " without their full stops,
earlier questions left out; questions are read without their question mark; case is kept.
"""

import re
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path

from stages.corpora.examples import Example
from stages.corpora.readers.table import numbered_lines
from stages.settings.errors import UserError
from stages.settings.sources import LineFiles

# A leaf "(2 good)", the opening "(3" of a node with children, or a closing bracket.
# A leaf extends to its bracket, because it may contain a blank, such as 8 1/2.
_PIECE = re.compile(
    r"\((?P<label>[0-4])(?:\s+(?P<word>[^\s()](?:[^()]*[^\s()])?)\s*\)|\s*(?=\())\s*|(?P<close>\))\s*"
)


def read(place: Path, source: LineFiles) -> Iterator[Example]:
    """Every tree, or every question with the statements of its story so far, in file order."""
    for split, path in source.paths(place):
        yield from _trees(path, split) if source.reader == "trees" else _questions(path, split)


def _trees(path: Path, split: str) -> Iterator[Example]:
    for where, line in numbered_lines(path):
        label, words = _tree(line.strip(), where)
        yield Example(" ".join(words), label, split)


def _tree(tree: str, where: str) -> tuple[str, list[str]]:
    """The root's label and the leaves of one tree."""
    pieces = _pieces(tree, where)
    words = [piece["word"] for piece in pieces if piece["word"]]
    steps = [0 if piece["word"] else -1 if piece["close"] else 1 for piece in pieces]
    *before, last = accumulate(steps)  # depth after each piece
    if last != 0 or 0 in before:
        raise UserError(f"{where}: brackets do not balance; allowed is one tree per line")
    return pieces[0]["label"], words


def _pieces(tree: str, where: str) -> list[re.Match[str]]:
    """The tree cut into leaves, openings and closings."""
    pieces: list[re.Match[str]] = []
    end = 0
    while piece := _PIECE.match(tree, end):
        pieces.append(piece)
        end = piece.end()
    if end < len(tree) or not pieces:
        raise UserError(
            f"{where}, column {end + 1}: not a tree; allowed are (label word) and "
            "(label tree tree ...) with a label 0..4"
        )
    return pieces


def _questions(path: Path, split: str) -> Iterator[Example]:
    story: list[str] = []
    last, any_question = 0, False
    for where, line in numbered_lines(path):
        number, rest = _numbered(line, last, where)
        if number == 1:
            story = []
        if "\t" in rest:
            any_question = True
            yield _example(rest, story, split, where)
        else:
            story.append(rest.removesuffix(".").strip())
        last = number
    if not any_question:
        raise UserError(f"{path}: no question; allowed: numbered statements and questions")


def _numbered(line: str, last: int, where: str) -> tuple[int, str]:
    """Number and rest of a line; the number must be 1 or one more than the last."""
    number, _, rest = line.rstrip("\r\n").partition(" ")
    if number not in ("1", str(last + 1)):
        allowed = "1" if last == 0 else f"1, {last + 1}"
        raise UserError(f"{where}: the line's number is out of order; allowed: {allowed}")
    if not rest.strip():
        raise UserError(f"{where}: nothing follows the number; allowed: a statement or a question")
    return int(number), rest.strip(" ")


def _example(rest: str, story: list[str], split: str, where: str) -> Example:
    """The example of a question line: question, answer and optional supporting facts."""
    fields = [field.strip() for field in rest.split("\t")]
    question = fields[0].removesuffix("?").strip()
    if len(fields) not in (2, 3) or not question or not fields[1]:
        raise UserError(
            f"{where}: not a question; allowed: question, tab, answer and perhaps "
            "tab, supporting facts"
        )
    if not story:
        raise UserError(f"{where}: a question before any statement of its story")
    return Example(" . ".join(story), fields[1], split, question)
