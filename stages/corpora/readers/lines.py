"""Numbered lines for the readers of line formats; what cannot be read refuses with its place.

A refusal names file and line, never the text of the line: the data may be private.
"""

from collections.abc import Iterator
from pathlib import Path

from stages.settings.errors import UserError


def numbered_lines(path: Path) -> Iterator[tuple[str, str]]:
    """Each line without its end, with the words that say where it stands; no line refuses."""
    if not path.is_file():
        raise UserError(f"{path}: no such file")
    where = ""
    try:
        # Bytes: text mode decodes ahead of the lines it yields and could not name the bad one.
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                where = f"{path}, line {number}"
                yield where, _decoded(line, where).rstrip("\r\n")
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({type(error).__name__})") from None
    if not where:
        raise UserError(f"{path}: empty file")


def _decoded(line: bytes, where: str) -> str:
    try:
        return line.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError:
        raise UserError(f"{where}: not UTF-8 text") from None
