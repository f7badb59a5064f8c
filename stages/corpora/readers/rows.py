"""Rows of a delimited, JSON-lines or Parquet file as dictionaries; the suffix gives the format."""

import csv
import gzip
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from stages.settings.errors import UserError, one_of

Row = dict[str, Any]
DELIMITERS = {".csv": ",", ".tsv": "\t", ".tab": "\t", ".txt": "\t"}
ENDINGS = [*DELIMITERS, ".jsonl", ".parquet"]
csv.field_size_limit(1 << 30)  # the default of 128 kB is too small for some reviews


def rows(path: Path, skip: int = 0) -> Iterator[Row]:
    """Each row by column name, without the first `skip` lines after the header."""
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


def _lines(path: Path) -> Iterator[str]:
    number = 0
    open_ = gzip.open if path.suffix == ".gz" else open
    with open_(path, "rt", encoding="utf-8-sig", newline="") as text:
        try:
            for number, line in enumerate(text, 1):  # noqa: B007
                yield line
        except UnicodeDecodeError:
            raise UserError(f"{path} after line {number}: not UTF-8") from None
        except (OSError, EOFError, zlib.error) as error:
            raise UserError(f"{path} after line {number}: {type(error).__name__}") from None


def _delimited(path: Path, delimiter: str, skip: int) -> Iterator[Row]:
    reader = csv.DictReader(_lines(path), delimiter=delimiter)
    try:
        for number, row in enumerate(reader):
            if number < skip:
                continue
            if None in row or None in row.values():
                raise UserError(
                    f"{path} line {reader.line_num}: expected "
                    f"{len(reader.fieldnames or [])} columns"
                )
            yield row
    except csv.Error as error:
        raise UserError(f"{path} line {reader.line_num}: {error}") from None


def _json_lines(path: Path) -> Iterator[Row]:
    for number, line in enumerate(_lines(path), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except json.JSONDecodeError:
            raise UserError(f"{path} line {number}: not valid JSON") from None
        if not isinstance(row, dict):
            raise UserError(f"{path} line {number}: expected a JSON object")
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
