"""Stanford Sentiment Treebank: one PTB-style tree per line, each node labelled 0..4.

Jain & Wallace (2019), section 3 (SST). The text is the leaves, with brackets written as -LRB- and
-RRB-; the key `labels` drops the neutral class and merges the others into two.
"""

import re
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path

from stages.corpora.examples import Example
from stages.corpora.readers.rows import numbered_lines
from stages.settings.errors import UserError
from stages.settings.sources import Trees

# A leaf "(2 good)", the opening "(3" of a node with children, or a closing bracket.
# A leaf extends to its bracket, because it may contain a blank, such as 8 1/2.
_PIECE = re.compile(
    r"\((?P<label>[0-4])(?:\s+(?P<word>[^\s()](?:[^()]*[^\s()])?)\s*\)|\s*(?=\())\s*|(?P<close>\))\s*"
)


def read(place: Path, source: Trees) -> Iterator[Example]:
    """Every tree of every file, in file order."""
    for split, path in source.paths(place):
        for where, line in numbered_lines(path):
            label, words = _parse(line.strip(), where)
            yield Example(" ".join(words), label, split)


def _parse(tree: str, where: str) -> tuple[str, list[str]]:
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
