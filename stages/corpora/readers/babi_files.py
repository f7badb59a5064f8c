"""Task files of the released bAbI sets: numbered statements, and questions after tabs.

Jain & Wallace (2019), section 3 (bAbI 1-3, of Weston et al. 2015). A story starts at number 1; its
statements are joined by " . " without their full stops, earlier questions left out; questions are
read without their question mark; case is kept.
"""

from collections.abc import Iterator
from pathlib import Path

from stages.corpora.examples import Example
from stages.corpora.readers.rows import numbered_lines
from stages.settings.errors import UserError
from stages.settings.sources import BabiFiles


def read(place: Path, source: BabiFiles) -> Iterator[Example]:
    """Every question of every file, with the statements of its story so far."""
    for split, path in source.paths(place):
        yield from _questions(path, split)


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
