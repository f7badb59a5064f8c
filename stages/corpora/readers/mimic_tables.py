"""The CSV tables of MIMIC-III, read in chunks: NOTEEVENTS alone has 4 GB.

Error messages name file, record (not counting the header) and column, never patient data.
"""

import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from stages.settings.errors import UserError, one_of

if TYPE_CHECKING:
    import pandas as pd

CHUNK = 10_000  # records, about 100 MB of notes
_ADMISSION = re.compile(
    r"[0-9]+(?=(?:\.0)?$)"
)  # pandas writes a column with missing values as 100001.0


def table_file(place: Path, name: str) -> Path:
    """The table's file, plain or compressed."""
    for path in (place / f"{name}.csv", place / f"{name}.csv.gz"):
        if path.is_file():
            return path
    raise UserError(f"{place}: no file {name}.csv or {name}.csv.gz of MIMIC-III")


def records(path: Path, columns: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """(location for messages, values of the columns) of each record."""
    for chunk in chunks(path, columns):
        values = zip(*(chunk[column] for column in columns), strict=True)
        for record, row in zip(chunk.index, values, strict=True):
            yield f"{path}, record {record + 1}", row


def chunks(path: Path, columns: tuple[str, ...]) -> "Iterator[pd.DataFrame]":
    """The columns of a table as text, in chunks; the index numbers the records."""
    import pandas as pd  # slow to import, and only MIMIC needs it here

    try:
        header = list(pd.read_csv(path, nrows=0).columns)
        missing = [column for column in columns if column not in header]
        if missing:
            raise UserError(f"{path}: no column {missing[0]}; needed: {one_of(columns)}")
        # all columns, then these: with `usecols` pandas accepts records with too many fields
        for chunk in pd.read_csv(path, dtype=str, na_filter=False, chunksize=CHUNK):
            if not isinstance(chunk.index, pd.RangeIndex):
                raise UserError(f"{path}, record 1: more fields than the header has columns")
            yield chunk[list(columns)]
    except (ValueError, OSError, EOFError, zlib.error) as error:
        at = re.search(r"in line ([0-9]+)", str(error))
        where = f"{path}, record {int(at[1]) - 1}" if at else str(path)
        raise UserError(f"{where}: not a CSV table in UTF-8 ({type(error).__name__})") from None


def admission_number(value: str, where: str) -> int:
    """A HADM_ID as a number."""
    digits = _ADMISSION.match(value)
    if not digits:
        raise UserError(f"{where}: HADM_ID is no number; allowed: digits only")
    return int(digits[0])
