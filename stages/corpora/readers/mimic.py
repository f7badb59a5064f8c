"""MIMIC-III discharge summaries per admission, with the Diabetes or Anemia label.

Jain & Wallace 2019, section 3. The notes are those without error flag: the report, then its
addenda, by chart date. Diabetes is a code 250.00; Anemia keeps the admissions with just one of
285.1 (acute) and 285.2 (chronic). Error messages name file, record and column, never patient data.
"""

import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from stages.corpora.examples import Example
from stages.corpora.readers.table import numbered_lines
from stages.settings.errors import UserError, one_of
from stages.settings.sources import Mimic

if TYPE_CHECKING:  # slow to import, and only MIMIC needs it here
    import pandas as pd

CHUNK = 10_000  # records read at a time, about 100 MB of notes: NOTEEVENTS alone has 4 GB
NOTE_COLUMNS = ["HADM_ID", "CHARTDATE", "CATEGORY", "DESCRIPTION", "ISERROR", "TEXT"]
ORDER = {"Report": 0, "Addendum": 1}


def read(place: Path, source: Mimic) -> Iterator[Example]:
    """One example per admission, in ascending HADM_ID."""
    import pandas as pd

    splits = _splits(place, source)
    labels = _labels(_table_file(place, "DIAGNOSES_ICD"), source.label)
    path = _table_file(place, "NOTEEVENTS")
    chunks = []
    for chunk in _chunks(path, NOTE_COLUMNS):
        notes = _summaries(chunk, path)
        listed = notes.HADM_ID.isin(splits) | (not source.admissions)
        chunks.append(notes[listed & (notes.HADM_ID.isin(labels) | (source.label == "diabetes"))])
    notes = pd.concat(chunks).sort_values(["HADM_ID", "DESCRIPTION", "CHARTDATE"])
    if notes.empty:
        raise UserError(f"{path}: no discharge summary without error flag for {source.label}")
    for admission, texts in notes.groupby("HADM_ID").TEXT:
        yield Example(" ".join(texts), labels.get(admission, "0"), splits.get(admission, ""))


def _summaries(notes: "pd.DataFrame", path: Path) -> "pd.DataFrame":
    """The discharge summaries that belong to an admission and carry no error flag."""
    whole = (notes.CATEGORY.str.strip() == "Discharge summary") & (notes.HADM_ID != "")
    notes = notes[whole & (notes.ISERROR.str.strip() == "")]
    kinds, dates = notes.DESCRIPTION.str.strip(), notes.CHARTDATE
    admissions = _numbers(notes.HADM_ID, path)
    _check(kinds.isin(ORDER), path, f"unknown DESCRIPTION; allowed: {one_of(ORDER)}")
    is_date = dates.str.match("[0-9]{4}-[0-9]{2}-[0-9]{2}")
    _check(is_date, path, "CHARTDATE is no date; allowed: year-month-day as 2101-01-31")
    _check(notes.TEXT.str.strip() != "", path, "TEXT is empty; allowed: the text of the note")
    return notes.assign(HADM_ID=admissions, DESCRIPTION=kinds.map(ORDER))


def _labels(path: Path, label: str) -> dict[int, str]:
    """The label of each admission that its codes determine."""
    having: dict[str, set[int]] = {"25000": set(), "2851": set(), "2852": set()}
    for chunk in _chunks(path, ["HADM_ID", "ICD9_CODE"]):
        admissions = _numbers(chunk.HADM_ID, path)
        for start, those in having.items():
            those.update(admissions[chunk.ICD9_CODE.str.startswith(start)])
    diabetes, acute, chronic = having.values()
    if label == "diabetes":
        return dict.fromkeys(diabetes, "1")
    return dict.fromkeys(acute - chronic, "acute") | dict.fromkeys(chronic - acute, "chronic")


def _splits(place: Path, source: Mimic) -> dict[int, str]:
    """The split of each listed admission: CSVs with a HADM_ID column, or one number per line."""
    import pandas as pd

    splits: dict[int, str] = {}
    for split, name in source.admissions.items():
        path, unit = place / name, "line"
        values = pd.Series([line.strip() for _, line in numbered_lines(path)])
        if "HADM_ID" in re.split(r'[,"]', values[0]):
            unit = "record"
            values = pd.concat(chunk.HADM_ID for chunk in _chunks(path, ["HADM_ID"]))
        numbers = _numbers(values, path, unit)
        fault = "this HADM_ID is listed for another split too; allowed: one split per admission"
        _check(~numbers.isin(splits), path, fault, unit)
        splits |= dict.fromkeys(numbers, "" if split == "all" else split)
    return splits


def _table_file(place: Path, name: str) -> Path:
    """The table's file, plain or compressed."""
    for path in (place / f"{name}.csv", place / f"{name}.csv.gz"):
        if path.is_file():
            return path
    raise UserError(f"{place}: no file {name}.csv or {name}.csv.gz of MIMIC-III")


def _chunks(path: Path, columns: list[str]) -> "Iterator[pd.DataFrame]":
    """The columns of a table, some records at a time."""
    import pandas as pd

    try:
        # all columns, then these: with `usecols` pandas accepts records with too many fields
        for chunk in pd.read_csv(path, dtype=str, na_filter=False, chunksize=CHUNK):
            missing = [column for column in columns if column not in chunk]
            if missing:
                raise UserError(f"{path}: no column {missing[0]}; needed: {one_of(columns)}")
            if not isinstance(chunk.index, pd.RangeIndex):
                raise UserError(f"{path}, record 1: more fields than the header has columns")
            yield chunk[columns]
    except (ValueError, OSError, EOFError, zlib.error) as error:
        at = re.search(r"in line ([0-9]+)", str(error))
        where = f"{path}, record {int(at[1]) - 1}" if at else str(path)
        raise UserError(f"{where}: not a CSV table in UTF-8 ({type(error).__name__})") from None


def _numbers(values: "pd.Series[str]", path: Path, unit: str = "record") -> "pd.Series[int]":
    """HADM_IDs as numbers; pandas writes 100001.0 beside missing values."""
    digits = values.str.extract(r"\A([0-9]{1,18})(?:\.0)?\Z", expand=False)
    _check(digits.notna(), path, "HADM_ID is no number; allowed: digits only", unit)
    return digits.astype(int)


def _check(valid: "pd.Series[bool]", path: Path, fault: str, unit: str = "record") -> None:
    if not valid.all():
        raise UserError(f"{path}, {unit} {valid.idxmin() + 1}: {fault}")
