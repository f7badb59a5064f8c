"""Lines of a text file, and examples from rows of delimited, JSON-lines or Parquet files.

Error messages name file and line, never the text of the line: the data may be private.
"""

import csv
import gzip
import io
import json
import zlib
from collections.abc import Iterator
from datetime import date
from numbers import Number
from pathlib import Path
from typing import Any

from stages.corpora.examples import Example
from stages.settings.errors import UserError, one_of
from stages.settings.sources import Hub, Table

Row = dict[str, Any]
DELIMITERS = {".csv": ",", ".tsv": "\t", ".tab": "\t", ".txt": "\t"}
ENDINGS = [*DELIMITERS, ".jsonl", ".parquet"]
csv.field_size_limit(1 << 30)  # the default of 128 kB is too small for some reviews


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


def rows(path: Path, skip: int = 0) -> Iterator[Row]:
    """Each row by column name, without the first `skip` rows; the suffix gives the format."""
    if not path.is_file():
        raise UserError(f"{path} is not there")
    ending = Path(path.name.removesuffix(".gz")).suffix.lower()
    if ending in DELIMITERS:
        return _delimited(path, DELIMITERS[ending], skip)
    if ending == ".jsonl":
        return _json_lines(path)
    if ending == ".parquet":
        return _parquet(path)
    raise UserError(f"{path}: a table must end in one of {one_of(ENDINGS)}")


def numbered_lines(path: Path) -> Iterator[tuple[str, str]]:
    """(location for messages, line with its end) of a file in UTF-8, plain or compressed."""
    if not path.is_file():
        raise UserError(f"{path} is not there")
    number = 0
    try:
        # bytes: text mode decodes ahead, so that the line of an error would be unknown
        with (gzip.open if path.suffix == ".gz" else open)(path, "rb") as file:
            for content in file:
                text = content.decode("utf-8" if number else "utf-8-sig")
                for line in io.StringIO(text, newline=""):  # also splits at a single "\r"
                    number += 1
                    yield f"{path}, line {number}", line
    except UnicodeDecodeError:
        raise UserError(f"{path}, line {number + 1}: not UTF-8") from None
    except (OSError, EOFError, zlib.error) as error:
        raise UserError(f"{path} after line {number}: {type(error).__name__}") from None
    if not number:
        raise UserError(f"{path}: empty file")


def _delimited(path: Path, delimiter: str, skip: int) -> Iterator[Row]:
    reader = csv.DictReader((line for _, line in numbered_lines(path)), delimiter=delimiter)
    try:
        for number, row in enumerate(reader):
            if number < skip:
                continue
            if None in row or None in row.values():
                columns = len(reader.fieldnames or [])
                raise UserError(f"{path}, line {reader.line_num}: expected {columns} columns")
            yield row
    except csv.Error as error:
        raise UserError(f"{path}, line {reader.line_num}: {error}") from None


def _json_lines(path: Path) -> Iterator[Row]:
    for where, line in numbered_lines(path):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except json.JSONDecodeError:
            raise UserError(f"{where}: not valid JSON") from None
        if not isinstance(row, dict):
            raise UserError(f"{where}: expected a JSON object")
        yield row


def _parquet(path: Path) -> Iterator[Row]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches():
                yield from batch.to_pylist()
    except (pa.ArrowInvalid, OSError):  # OSError if a page is damaged
        raise UserError(f"{path}: not a Parquet file") from None
