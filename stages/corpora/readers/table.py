"""Examples from tables with named columns."""

from collections.abc import Iterator
from pathlib import Path

from stages.corpora.examples import Example
from stages.corpora.readers.rows import Row, rows
from stages.settings.errors import UserError, one_of
from stages.settings.sources import Table


def read(place: Path, source: Table) -> Iterator[Example]:
    """One example per row that meets `where`."""
    held_out = set()
    if source.held_out:
        path = source.path(source.held_out, place)
        held_out = {_value(row, source.query or "", path) for row in rows(path)}
    for split, path in source.paths(place):
        for row in rows(path, source.skip_rows):
            if all(_value(row, column, path) == value for column, value in source.where.items()):
                example = _example(row, source, split, path)
                if source.held_out:
                    example = example._replace(split="test" if example.query in held_out else split)
                yield example


def _example(row: Row, source: Table, split: str, path: Path) -> Example:
    text = " ".join(_value(row, column, path) for column in source.text)
    query = _value(row, source.query, path) if source.query else ""
    # a JSON row without label (part of BoolQ) has no class; it is removed and counted later
    unlabelled = ".jsonl" in path.suffixes and source.label not in row
    return Example(text, "" if unlabelled else _value(row, source.label, path), split, query)


def _value(row: Row, column: str, path: Path) -> str:
    if column not in row:
        raise UserError(f"{path}: no column '{column}'; there are: {one_of(row)}")
    value = row[column]
    return "" if value is None else str(value)
