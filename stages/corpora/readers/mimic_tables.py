"""The CSV tables of MIMIC-III, read some records at a time: NOTEEVENTS alone holds 4 GB.

A refusal names file, record (the header is not one) and column, never a patient's data.
"""

import re
import zlib
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from stages.settings.errors import UserError, one_of

_AT_ONCE = 10_000  # records, about 100 MB of notes
_ADMISSION = re.compile(r"[0-9]+(?=(?:\.0)?$)")  # pandas writes a column with gaps as 100001.0


def table_file(place: Path, name: str) -> Path:
    """The table's file, plain or compressed."""
    for path in (place / f"{name}.csv", place / f"{name}.csv.gz"):
        if path.is_file():
            return path
    raise UserError(f"{place}: no file {name}.csv or {name}.csv.gz of MIMIC-III")


def records(path: Path, columns: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The columns of each record, with the words that say where it stands."""
    for chunk in chunks(path, columns):
        values = zip(*(chunk[column] for column in columns), strict=True)
        for record, row in zip(chunk.index, values, strict=True):
            yield f"{path}, record {record + 1}", row


def chunks(path: Path, columns: tuple[str, ...]) -> Iterator[pd.DataFrame]:
    """The columns of a table as text, some records at a time; the index counts the records."""
    try:
        there = list(pd.read_csv(path, nrows=0).columns)
        missing = [column for column in columns if column not in there]
        if missing:
            raise UserError(f"{path}: no column {missing[0]}; needed: {one_of(columns)}")
        # All columns, then ours: with `usecols` pandas lets records with too many fields pass.
        for chunk in pd.read_csv(path, dtype=str, na_filter=False, chunksize=_AT_ONCE):
            if not isinstance(chunk.index, pd.RangeIndex):
                raise UserError(f"{path}, record 1: more fields than the header has columns")
            yield chunk[list(columns)]
    except (ValueError, OSError, EOFError, zlib.error) as error:
        at = re.search(r"in line ([0-9]+)", str(error))
        where = f"{path}, record {int(at[1]) - 1}" if at else str(path)
        raise UserError(f"{where}: not a CSV table in UTF-8 ({type(error).__name__})") from None


def admission_number(value: str, where: str) -> int:
    """A HADM_ID as a number."""
    found = _ADMISSION.match(value)
    if not found:
        raise UserError(f"{where}: HADM_ID is no number; allowed: digits only")
    return int(found[0])
