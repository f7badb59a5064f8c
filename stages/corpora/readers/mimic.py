"""MIMIC-III discharge summaries per admission, with the Diabetes or Anemia label.

Jain & Wallace 2019, section 3. The notes are those without error flag: the report, then its
addenda, by chart date. Diabetes is a code 250.00; Anemia keeps the admissions with just one of
285.1 (acute) and 285.2 (chronic). Error messages name file, record and column, never patient data.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from stages.corpora.examples import Example
from stages.corpora.readers.lines import numbered_lines
from stages.corpora.readers.mimic_tables import admission_number, chunks, records, table_file
from stages.settings.errors import UserError, one_of
from stages.settings.sources import Mimic, SplitName

_NOTE_COLUMNS = ("HADM_ID", "CHARTDATE", "CATEGORY", "DESCRIPTION", "ISERROR", "TEXT")
_ORDER = {"Report": 0, "Addendum": 1}
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")

Note = tuple[int, str, int, str]  # rank of its kind, chart date, record, text


def read(place: Path, source: Mimic) -> Iterator[Example]:
    """One example per admission, in ascending HADM_ID."""
    splits = _splits(place, source.admissions)
    labels = _labels(table_file(place, "DIAGNOSES_ICD"), source.label)
    path = table_file(place, "NOTEEVENTS")
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
    for chunk in chunks(path, _NOTE_COLUMNS):
        summary = chunk["CATEGORY"].str.strip() == "Discharge summary"
        kept = chunk[summary & (chunk["ISERROR"].str.strip() == "") & (chunk["HADM_ID"] != "")]
        for record, row in zip(kept.index, kept.to_dict("records"), strict=True):
            where = f"{path}, record {record + 1}"
            admission = admission_number(row["HADM_ID"], where)
            kind, date, text = row["DESCRIPTION"].strip(), row["CHARTDATE"], row["TEXT"]
            _check_note(kind, date, text, where)
            yield admission, (_ORDER[kind], date, record, text)


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
    for where, (number, code) in records(path, ("HADM_ID", "ICD9_CODE")):
        admission = admission_number(number, where)
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
    if "HADM_ID" in re.split(r'[,"]', header):
        numbers = ((where, number) for where, (number,) in records(path, ("HADM_ID",)))
    else:
        numbers = ((where, line.strip()) for where, line in numbered_lines(path))
    for where, number in numbers:
        yield where, admission_number(number, where)
