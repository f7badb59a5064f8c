"""MIMIC-III on six invented admissions: labels, order of notes, lists, errors."""

import gzip
import re

import pytest

from stages.corpora.examples import Example
from stages.corpora.readers import mimic
from tests.corpora.reading import error_of, examples_of

HEADER = "ROW_ID,SUBJECT_ID,HADM_ID,CHARTDATE,CATEGORY,DESCRIPTION,ISERROR,TEXT\n"
NOTES = HEADER + (
    '1,9,30,2101-01-05,"Discharge summary",Addendum,,"thirty\nlater"\n'
    '2,9,30,2101-01-09,"Discharge summary",Report,,"thirty ""report"""\n'
    "3,9,30,2101-01-02,Discharge summary,Addendum,,thirty sooner\n"
    "4,9,30,2101-01-01,Discharge summary,Report,1,thirty flagged\n"
    "5,9,30,2101-01-01,Nursing,Report,,thirty nursing\n"
    "6,8,7,2101-01-01 00:00:00,Discharge summary,Report,,seven\n"
    "7,8,,2101-01-01,Discharge summary,Report,,nowhere\n"
    "8,7,40.0,2101-01-01,Discharge summary,Report,,NA\n"
    "9,7,50,2101-01-01,Discharge summary,Report,,fifty\n"
    "10,7,60,2101-01-01,Discharge summary,Report,,sixty\n"
)
CODES = (
    "ROW_ID,SUBJECT_ID,HADM_ID,SEQ_NUM,ICD9_CODE\n"
    '1,9,30,1,"25000"\n2,9,30,2,2851\n3,8,7,1,25001\n4,8,7,2,28521\n5,7,40,1,2851\n'
    "6,7,40,2,28529\n7,7,50,1,4019\n8,7,50,2,\n9,6,99,1,2851\n10,7,60,1,02500\n"
)
THIRTY = 'thirty "report" thirty sooner thirty\nlater'


@pytest.fixture
def place(tmp_path):
    (tmp_path / "NOTEEVENTS.csv").write_text(NOTES)
    (tmp_path / "DIAGNOSES_ICD.csv").write_text(CODES)
    return tmp_path


def read(place, label="diabetes", **admissions):
    return examples_of(place, "mimic", folder="data/own", label=label, admissions=admissions)


def refused(place, pattern, **admissions):
    message = error_of(place, "mimic", folder="data/own", label="diabetes", admissions=admissions)
    assert re.search(pattern, message)


def test_diabetes_is_code_250_00_and_admissions_ascend(place):
    assert read(place) == [
        Example("seven", "0"),
        Example(THIRTY, "1"),
        Example("NA", "0"),
        Example("fifty", "0"),
        Example("sixty", "0"),
    ]


def test_anemia_is_acute_or_chronic_but_not_both(place):
    assert read(place, "anemia") == [Example("seven", "chronic"), Example(THIRTY, "acute")]


def test_chunks_and_compression_change_nothing(place, monkeypatch):
    whole = read(place)
    for name in ("NOTEEVENTS.csv", "DIAGNOSES_ICD.csv"):
        (place / f"{name}.gz").write_bytes(gzip.compress((place / name).read_bytes()))
        (place / name).unlink()
    monkeypatch.setattr(mimic, "CHUNK", 2)
    assert read(place) == whole


def test_listed_admissions_only_with_their_split(place):
    (place / "train.csv").write_text("50\n7\n")
    (place / "test.csv").write_text('SUBJECT_ID,HADM_ID,TEXT\n9,30,"two\nlines"\n1,12345,x\n')
    assert read(place, train="train.csv", test="test.csv") == [
        Example("seven", "0", "train"),
        Example(THIRTY, "1", "test"),
        Example("fifty", "0", "train"),
    ]
    assert read(place, "anemia", train="train.csv") == [Example("seven", "chronic", "train")]
    assert read(place, "anemia", all="train.csv") == [Example("seven", "chronic")]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("1,9,secret,2101-01-01,Discharge summary,Report,,x", "HADM_ID is no number"),
        ("1,9,5,2101-01-01,Discharge summary,secret,,x", "DESCRIPTION; allowed: Report, Addendum"),
        ("1,9,5,secret,Discharge summary,Report,,x", "CHARTDATE is no date"),
        ("1,9,5,2101-01-01,Discharge summary,Report", "TEXT is empty"),
    ],
)
def test_a_bad_note_is_refused_with_its_record(place, row, reason):
    first = "1,9,30,2101-01-01,Discharge summary,Report,,fine\n"
    (place / "NOTEEVENTS.csv").write_text(f"{HEADER}{first}{row}\n")
    refused(place, f"NOTEEVENTS.csv, record 2: .*{reason}")


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("NOTEEVENTS.csv", NOTES.replace("ISERROR", "iserror"), "no column ISERROR; needed: HADM"),
        ("NOTEEVENTS.csv", HEADER, "no discharge summary"),
        ("NOTEEVENTS.csv", HEADER + '1,9,30,2101-01-01,Nursing,Report,,"secret', "not a CSV"),
        ("NOTEEVENTS.csv", "", "not a CSV"),
        ("DIAGNOSES_ICD.csv", "HADM_ID,CODE\n1,2\n", "no column ICD9_CODE"),
        ("DIAGNOSES_ICD.csv", "HADM_ID,ICD9_CODE\n1,\xe9\n", "not a CSV table in UTF-8"),
        ("DIAGNOSES_ICD.csv", "HADM_ID,ICD9_CODE\n1,2\nsecret,2\n", "record 2: HADM_ID is no nu"),
        ("DIAGNOSES_ICD.csv", "HADM_ID,ICD9_CODE\n1,2\n1,2,3\n", "record 2: not a CSV"),
        ("DIAGNOSES_ICD.csv", "HADM_ID,ICD9_CODE\n1,2,3\n1,2,3\n", "record 1: more fields than"),
    ],
)
def test_a_bad_table_is_refused(place, name, content, reason):
    (place / name).write_text(content, encoding="latin-1")
    refused(place, f"{name}.*{reason}")


def test_missing_and_damaged_tables_are_refused(place):
    (place / "DIAGNOSES_ICD.csv").unlink()
    refused(place, r"no file DIAGNOSES_ICD.csv or DIAGNOSES_ICD.csv.gz")
    (place / "DIAGNOSES_ICD.csv.gz").write_bytes(gzip.compress(CODES.encode())[:-12])
    refused(place, r"DIAGNOSES_ICD.csv.gz: not a CSV")


@pytest.mark.parametrize(
    ("train", "reason"),
    [
        ("7\n\n", "train.csv, line 2: HADM_ID is no number"),
        ("hadm_id\n7\n", "train.csv, line 1: HADM_ID is no number"),
        ("A,HADM_ID\n1,7\n1,x\n", "train.csv, record 2: HADM_ID is no number"),
        ("7\n30\n", "test.csv, line 1: this HADM_ID is listed for another split"),
        ("", "train.csv: empty file"),
    ],
)
def test_a_bad_list_is_refused(place, train, reason):
    (place / "train.csv").write_text(train)
    (place / "test.csv").write_text("30\n")
    refused(place, reason, train="train.csv", test="test.csv")
    refused(place, r"none.csv is not there", train="none.csv")
