"""Tables of every format to examples, and the errors of broken ones."""

import gzip
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from stages.corpora.examples import Example
from tests.corpora import reading

ROWS = [{"text": "so, so", "label": "1"}, {"text": 'a "fine"\nfilm', "label": "0"}]
EXAMPLES = [Example("so, so", "1", "train"), Example('a "fine"\nfilm', "0", "train")]
DELIMITED = 'text{0}label\n"so, so"{0}1\n"a ""fine""\nfilm"{0}0\n'
LINES = "".join(json.dumps(row) + "\n" for row in ROWS)


def read(place, name, do=reading.examples_of, **changes):
    keys = {"kind": "registry", "files": {"train": name}, "text": "text", "label": "label"}
    return do(place, "table", **keys | changes)


def error_of(place, name, **changes):
    message = read(place, name, reading.error_of, **changes)
    assert message.startswith(str(place / name))
    return message.removeprefix(str(place / name))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", DELIMITED.format(",").encode()),
        ("a.CSV", DELIMITED.format(",").encode()),
        ("a.tsv", DELIMITED.format("\t").encode()),
        ("a.tab", DELIMITED.format("\t").encode()),
        ("a.txt", DELIMITED.format("\t").encode()),
        ("a.csv.gz", gzip.compress(DELIMITED.format(",").encode(), mtime=0)),
        ("a.jsonl", LINES.encode()),
        ("a.jsonl", LINES.replace("\n", "\r\n\r\n").encode()),
        ("a.jsonl.gz", gzip.compress(LINES.encode(), mtime=0)),
        ("mac.csv", b'text,label\r"so, so",1\r"a ""fine""\nfilm",0\r'),
        ("bom.csv", b"\xef\xbb\xbf" + DELIMITED.format(",").encode()),
        ("bom.jsonl", b"\xef\xbb\xbf" + LINES.encode()),
    ],
)
def test_the_same_rows_in_every_format(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    assert read(tmp_path, name) == EXAMPLES


def test_parquet(tmp_path):
    pq.write_table(pa.Table.from_pylist(ROWS), tmp_path / "a.parquet")
    assert read(tmp_path, "a.parquet") == EXAMPLES


def test_paths_of_own_files_start_in_the_current_folder(tmp_path, monkeypatch):
    (tmp_path / "own").mkdir()
    for name, query in (("mine", "one"), ("rest", "two"), ("held", "two")):
        (tmp_path / f"own/{name}.csv").write_text(f"text,ask,label\n{name},{query},1\n")
    monkeypatch.chdir(tmp_path)
    names = ("own/mine.csv", "own/rest.csv")
    for place in (Path("own"), Path("own/mine.csv")):
        assert read(place, names, kind="local") == [
            Example("mine", "1", "train"),
            Example("rest", "1", "train"),
        ]
    held_out = read(Path("own"), names, kind="local", query="ask", held_out="own/held.csv")
    assert [example.split for example in held_out] == ["train", "test"]


@pytest.mark.parametrize(
    ("files", "keys", "examples"),
    [
        (
            {"a.csv": "title,body,ask,label\nA,b c,why?,1\n"},
            {"text": ("title", "body"), "query": "ask"},
            [("A b c", "1", "train", "why?")],
        ),
        (
            {"a.csv": "text,label,lang,year\na,1,en,1\nb,1,de,1\nc,0,en,2\nd,0,en,1\n"},
            {"where": {"lang": "en", "year": 1}},
            [("a", "1", "train"), ("d", "0", "train")],
        ),
        (
            {name: f"text\tlabel\nd\nclass\n{name}\t1\n" for name in ("a.tab", "b.tab")},
            {"files": {"train": ("a.tab", "b.tab")}, "skip_rows": 2},
            [("a.tab", "1", "train"), ("b.tab", "1", "train")],
        ),
        (
            {f"{name}.csv": f"text,label\n{name},1\n" for name in "abcd"},
            {"files": {"test": "a.csv", "all": "b.csv", "train": ("c.csv", "d.csv")}},
            [("a", "1", "test"), ("b", "1"), ("c", "1", "train"), ("d", "1", "train")],
        ),
        (
            {"a.csv": "text,ask,label\np,1,x\nq,2,x\nr,2,y\n", "dev.csv": "ask,note\n2,\n"},
            {"query": "ask", "held_out": "dev.csv"},
            [("p", "x", "train", "1"), ("q", "x", "test", "2"), ("r", "y", "test", "2")],
        ),
        (
            {"a.jsonl.gz": '{"text": null}\n{"text": 1.0, "label": true}\n'},
            {"files": {"train": "a.jsonl.gz"}},
            [("", "", "train"), ("1.0", "True", "train")],
        ),
    ],
    ids=["several columns", "where", "skip_rows", "splits", "held_out", "no label, numbers, null"],
)
def test_keys_of_a_table(tmp_path, files, keys, examples):
    for name, content in files.items():
        with (gzip.open if name.endswith(".gz") else open)(tmp_path / name, "wt") as file:
            file.write(content)
    assert read(tmp_path, "a.csv", **keys) == [Example(*values) for values in examples]


@pytest.mark.parametrize(
    ("changes", "column"),
    [
        ({"text": "review"}, "review"),
        ({"text": ("text", "title")}, "title"),
        ({"label": "stars"}, "stars"),
        ({"query": "ask"}, "ask"),
        ({"where": {"lang": "en"}}, "lang"),
    ],
)
def test_a_missing_column_lists_the_columns(tmp_path, changes, column):
    (tmp_path / "a.csv").write_text("text,label\na,1\n")
    message = error_of(tmp_path, "a.csv", **changes)
    assert message == f": no column '{column}'; there are: text, label"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", b"text,label\na,1\nb\nc,1\n", ", line 3: expected 2 columns"),
        ("a.csv", b'text,label\n"a\nb",1\nc,1,x\n', ", line 4: expected 2 columns"),
        ("a.jsonl", b'{"text": "a", "label": 1}\n\n{"text": "b"\n', ", line 3: not valid JSON"),
        ("a.jsonl", b'["a", 1]\n', ", line 1: expected a JSON object"),
        ("a.csv", b"text,label\nna\xefve,1\n", ", line 2: not UTF-8"),
        ("a.csv", b"text,label\n" + b"a,1\n" * 5000 + b"\xef,1\n", ", line 5002: not UTF-8"),
        ("a.jsonl", b'{"text": "na\xefve", "label": 1}\n', ", line 1: not UTF-8"),
        ("a.csv.gz", b"text,label\na,1\n", " after line 0: BadGzipFile"),
        ("a.csv.gz", gzip.compress(b"text,label\na,1\n", mtime=0)[:-10], "EOFError"),
        ("a.csv.gz", gzip.compress(b"", mtime=0)[:10] + b"\xff" * 30, " after line 0: error"),
        ("a.parquet", b"text,label\na,1\n", ": not a Parquet file"),
        ("a.csv", b"", ": empty file"),
        ("a.parquet", b"", ": not a Parquet file"),
        ("a.xlsx", b"PK", ": a table must end in one of .csv, .tsv, .tab, .txt, .jsonl, .parquet"),
        ("a", b"text,label\n", ": a table must end in one of .csv, .tsv, .tab, .txt, .jsonl"),
        ("a.gz", b"", ": a table must end in one of .csv, .tsv, .tab, .txt, .jsonl, .parquet"),
    ],
)
def test_a_broken_file_is_named_with_the_line(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    assert message in error_of(tmp_path, name)


@pytest.mark.parametrize("damage", ["cut", "pages overwritten"])
def test_a_damaged_parquet_file(tmp_path, damage):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.Table.from_pylist(ROWS * 50), path)
    whole = path.read_bytes()
    path.write_bytes(whole[:-20] if damage == "cut" else whole[:4] + b"\xff" * 60 + whole[64:])
    assert error_of(tmp_path, "a.parquet") == ": not a Parquet file"


def test_a_missing_file_and_a_missing_place(tmp_path):
    assert error_of(tmp_path, "a.csv") == " is not there"
    message = error_of(tmp_path / "nowhere", "", files={"all": "a.csv"})
    assert message.startswith(" is not there; `dvc repro` fetches")


def test_a_long_field(tmp_path):
    (tmp_path / "a.csv").write_text(f"text,label\n{'a' * 200_000},1\n")
    assert len(read(tmp_path, "a.csv")[0].text) == 200_000
