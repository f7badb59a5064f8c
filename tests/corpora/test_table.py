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
        ("a.csv.gz", gzip.compress(DELIMITED.format(",").encode())),
        ("a.jsonl", LINES.encode()),
        ("a.jsonl", LINES.replace("\n", "\r\n\r\n").encode()),
        ("a.jsonl.gz", gzip.compress(LINES.encode())),
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


def test_numbers_and_null_become_text(tmp_path):
    rows = [{"text": None, "label": 1.0}, {"text": "b", "label": True}, {"text": 3, "label": 0}]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    examples = read(tmp_path, "a.jsonl")
    assert examples == [
        Example("", "1.0", "train"),
        Example("b", "True", "train"),
        Example("3", "0", "train"),
    ]


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


def test_several_text_columns_and_a_query(tmp_path):
    (tmp_path / "a.csv").write_text("title,body,ask,label\nA,b c,why?,1\n")
    examples = read(tmp_path, "a.csv", text=("title", "body"), query="ask")
    assert examples == [Example("A b c", "1", "train", "why?")]


def test_rows_that_do_not_meet_where_are_left_out(tmp_path):
    (tmp_path / "a.csv").write_text(
        "text,label,lang,year\na,1,en,1\nb,1,de,1\nc,0,en,2\nd,0,en,1\n"
    )
    examples = read(tmp_path, "a.csv", where={"lang": "en", "year": 1})
    assert [example.text for example in examples] == ["a", "d"]


def test_lines_below_the_header_are_skipped_in_every_file(tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.tab").write_text(f"text\tlabel\nd\nclass\n{name}\t1\n")
    examples = read(tmp_path, ("a.tab", "b.tab"), skip_rows=2)
    assert examples == [Example("a", "1", "train"), Example("b", "1", "train")]


def test_files_give_the_split_and_all_gives_none(tmp_path):
    for name in "abcd":
        (tmp_path / f"{name}.csv").write_text(f"text,label\n{name},1\n")
    files = {"test": "a.csv", "all": "b.csv", "train": ("c.csv", "d.csv")}
    splits = {example.text: example.split for example in read(tmp_path, "", files=files)}
    assert splits == {"a": "test", "b": "", "c": "train", "d": "train"}


def test_held_out_queries_are_the_test_set(tmp_path):
    combined = [("p", "one", True), ("q", "two", False), ("r", "three", True), ("s", "two", True)]
    lines = [json.dumps({"text": t, "ask": q, "label": v}) for t, q, v in combined]
    (tmp_path / "all.jsonl").write_text("\n".join(lines))
    (tmp_path / "dev.jsonl").write_text(json.dumps({"text": "q", "ask": "two", "label": False}))
    examples = read(tmp_path, "all.jsonl", query="ask", held_out="dev.jsonl")
    splits = {example.text: example.split for example in examples}
    assert splits == {"p": "train", "q": "test", "r": "train", "s": "test"}


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz"])
def test_a_json_row_may_lack_its_label(tmp_path, name):
    content = b'{"text": "a"}\n{"text": "b", "label": "1"}\n'
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    assert read(tmp_path, name) == [Example("a", "", "train"), Example("b", "1", "train")]


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
        ("a.csv.gz", gzip.compress(b"text,label\na,1\n")[:-10], "EOFError"),
        ("a.csv.gz", gzip.compress(b"")[:10] + b"\xff" * 30, " after line 0: error"),
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
