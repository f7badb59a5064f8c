"""MIMIC-III discharge summaries per admission, with the Diabetes or Anemia label.

Jain & Wallace 2019, section 3. The notes are those without error flag: the report, then its
addenda, by chart date. Diabetes is a code 250.00; Anemia keeps the admissions with just one of
285.1 (acute) and 285.2 (chronic). Error messages name file, record and column, never patient data.
"""

import re
import zlib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from stages.corpora.examples import Example
from stages.corpora.readers.table import numbered_lines
from stages.settings.errors import UserError, one_of
from stages.settings.sources import Mimic, SplitName

CHUNK = 10_000  # records read at a time, about 100 MB of notes: NOTEEVENTS alone has 4 GB
_NOTE_COLUMNS = ("HADM_ID", "CHARTDATE", "CATEGORY", "DESCRIPTION", "ISERROR", "TEXT")
_ORDER = {"Report": 0, "Addendum": 1}
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_ADMISSION = re.compile(r"([0-9]+)(\.0)?")  # 100001.0: pandas writes it beside missing values

Note = tuple[int, str, int, str]  # rank of its kind, chart date, record, text


def read(place: Path, source: Mimic) -> Iterator[Example]:
    """One example per admission, in ascending HADM_ID."""
    splits = _splits(place, source.admissions)
    labels = _labels(_table_file(place, "DIAGNOSES_ICD"), source.label)
    path = _table_file(place, "NOTEEVENTS")
    notes: dict[int, list[Note]] = defaultdict(list)
    for admission, note in _summaries(path):
        listed = admission in splits or not source.admissions
        if listed and (admission in labels or source.label == "diabetes"):
            notes[admission].append(note)
    if not notes:
        raise UserError(f"{path}: no discharge summary without error flag for {source.label}")
    for admission in sorted(notes):
        text = " ".join(text for *_, text in sorted(notes[admission]))
        yield Example(text, labels.get(admission, "0"), splits.get(admission, ""))


def _summaries(path: Path) -> Iterator[tuple[int, Note]]:
    """The discharge summaries that belong to an admission and carry no error flag."""
    for record, (where, values) in enumerate(_records(path, _NOTE_COLUMNS)):
        number, date, category, kind, error_flag, text = values
        if category.strip() == "Discharge summary" and number and not error_flag.strip():
            admission = _admission(number, where)
            _check_note(kind.strip(), date, text, where)
            yield admission, (_ORDER[kind.strip()], date, record, text)


def _check_note(kind: str, date: str, text: str, where: str) -> None:
    if kind not in _ORDER:
        raise UserError(f"{where}: unknown DESCRIPTION; allowed: {one_of(_ORDER)}")
    if not _DATE.match(date):
        raise UserError(f"{where}: CHARTDATE is no date; allowed: year-month-day as 2101-01-31")
    if not text.strip():
        raise UserError(f"{where}: TEXT is empty; allowed: the text of the note")


def _labels(path: Path, label: str) -> dict[int, str]:
    """The label of each admission that its codes determine."""
    having: dict[str, set[int]] = {"250.00": set(), "285.1": set(), "285.2": set()}
    for where, (number, code) in _records(path, ("HADM_ID", "ICD9_CODE")):
        admission = _admission(number, where)
        for start, admissions in having.items():
            # codes in the papers' dotted form
            if f"{code[:3]}.{code[3:]}".startswith(start):
                admissions.add(admission)
    if label == "diabetes":
        return dict.fromkeys(having["250.00"], "1")
    acute, chronic = having["285.1"], having["285.2"]
    return dict.fromkeys(acute - chronic, "acute") | dict.fromkeys(chronic - acute, "chronic")


def _splits(place: Path, lists: dict[SplitName, str]) -> dict[int, str]:
    """The split of each listed admission; being listed for two splits is an error."""
    splits: dict[int, str] = {}
    for split, name in lists.items():
        value = "" if split == "all" else split
        for where, admission in _listed(place / name):
            if splits.setdefault(admission, value) != value:
                raise UserError(
                    f"{where}: this HADM_ID is listed for another split too; "
                    "allowed: one split per admission"
                )
    return splits


def _listed(path: Path) -> Iterator[tuple[str, int]]:
    """The admissions of a list: a CSV with a HADM_ID column, or one number per line."""
    _, header = next(numbered_lines(path))
    if "HADM_ID" in re.split(r'[,"]', header.strip()):
        numbers = ((where, number) for where, (number,) in _records(path, ("HADM_ID",)))
    else:
        numbers = ((where, line.strip()) for where, line in numbered_lines(path))
    for where, number in numbers:
        yield where, _admission(number, where)


def _table_file(place: Path, name: str) -> Path:
    """The table's file, plain or compressed."""
    for path in (place / f"{name}.csv", place / f"{name}.csv.gz"):
        if path.is_file():
            return path
    raise UserError(f"{place}: no file {name}.csv or {name}.csv.gz of MIMIC-III")


def _records(path: Path, columns: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """(location for messages, values of the columns) of each record."""
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
            for record, *values in chunk[list(columns)].itertuples(name=None):
                yield f"{path}, record {record + 1}", tuple(values)
    except (ValueError, OSError, EOFError, zlib.error) as error:
        at = re.search(r"in line ([0-9]+)", str(error))
        where = f"{path}, record {int(at[1]) - 1}" if at else str(path)
        raise UserError(f"{where}: not a CSV table in UTF-8 ({type(error).__name__})") from None


def _admission(value: str, where: str) -> int:
    """A HADM_ID as a number."""
    digits = _ADMISSION.fullmatch(value)
    if not digits:
        raise UserError(f"{where}: HADM_ID is no number; allowed: digits only")
    return int(digits[1])
