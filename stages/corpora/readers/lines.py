"""Numbered lines of a text file, for readers of line formats.

Error messages name file and line, never the text of the line: the data may be private.
"""

from collections.abc import Iterator
from pathlib import Path

from stages.settings.errors import UserError


def numbered_lines(path: Path) -> Iterator[tuple[str, str]]:
    """(location for messages, line without its end) of each line; an empty file is an error."""
    if not path.is_file():
        raise UserError(f"{path}: no such file")
    where = ""
    try:
        # bytes: text mode decodes ahead, so that the line of an error would be unknown
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
