"""Examples from tables with named columns."""

from collections.abc import Iterator
from datetime import date
from numbers import Number
from pathlib import Path

from stages.corpora.examples import Example
from stages.corpora.readers.rows import Row, rows
from stages.settings.errors import UserError, one_of
from stages.settings.sources import Hub, Table


def read(place: Path, source: Table) -> Iterator[Example]:
    """One example per row that meets `where`."""
    held_out = set()
    if source.held_out:
        path = source.path(source.held_out, place)
        held_out = {_value(row, source.query or "", str(path)) for row in rows(path)}
    for split, path in source.paths(place):
        for row in rows(path, source.skip_rows):
            if all(_value(row, name, str(path)) == value for name, value in source.where.items()):
                if ".jsonl" in path.suffixes:  # part of BoolQ has no label: removed, counted later
                    row.setdefault(source.label, "")
                example = example_of(row, source, split, str(path))
                if source.held_out:
                    example = example._replace(split="test" if example.query in held_out else split)
                yield example


def example_of(row: Row, source: Table | Hub, split: str, where: str) -> Example:
    """The example in the columns of the source; `where` is the location for messages."""
    text = " ".join(_value(row, column, where) for column in source.text)
    query = _value(row, source.query, where) if source.query else ""
    return Example(text, _value(row, source.label, where), split, query)


def _value(row: Row, column: str, where: str) -> str:
    if column not in row:
        raise UserError(f"{where}: no column '{column}'; there are: {one_of(row)}")
    value = row[column]
    if not isinstance(value, str | Number | date | None):
        kind = type(value).__name__
        raise UserError(f"{where}: column '{column}' is {kind}; allowed: text, number or date")
    return "" if value is None else str(value)
