"""data/catalogue.yaml: data sets, groups and defaults; every mistake in it becomes one sentence."""

from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from stages.settings.datasets import Dataset, Split, Vocabulary
from tests.fixtures.project import ABSENT, CATALOGUE, ROOT, catalogue_of, fault_of

TICKETS = """
title: Support tickets, urgent or not
owner: us
terms: internal
private: true
source: {kind: local, file: data/own/tickets.csv, text: body, label: urgent}
"""


def own(**changes: Any) -> Dataset:
    """A data set of six lines, with keys of its source changed or, where None, left out."""
    entry = YAML(typ="safe").load(TICKETS)
    source = entry["source"] | changes
    entry["source"] = {key: value for key, value in source.items() if value is not None}
    return catalogue_of({"datasets/tickets": entry}).datasets["tickets"]


def test_text_is_an_archive_own_files_or_the_generators_code():
    catalogue = catalogue_of()
    for dataset in catalogue.datasets.values():
        text = dataset.text.as_posix()
        if dataset.archive:
            assert text == f"data/raw/{dataset.archive}"
        elif dataset.source.kind == "local":
            assert text.startswith("data/own/")
        elif dataset.source.kind == "generated":
            assert (ROOT / text).is_file()
    assert str(catalogue.datasets["babi-1"].text) == "stages/corpora/generated/babi.py"


SOURCE_KEYS = "kind, file, files, reader, text, label, query, where, skip_rows, held_out"
DATASET_KEYS = (
    "title, owner, origin, terms, stands_for, private, archive, task, source, labels, recipe, "
    "sentences, duplicates, balanced, split, vocabulary, min_length, max_length, long"
)
READERS = (
    "tags: 'table', 'folders', 'imdb-official', 'rotten-tomatoes', 'vader-bins', 'trees', "
    "'babi-files', 'mimic', 'hub', 'mock', 'babi-simulator', 'sun-lu'"
)
FOLDER = ": the key folder is for kind 'local' only, and required there"
RULE = "-1.source: give exactly one of the keys informative, quarters"
HEX = "string should match pattern '^[0-9a-f]{64}$'"
ARCHIVES = ", ".join(CATALOGUE["archives"])
IMDB, SST, MOCK = "datasets/imdb", "datasets/sst", "datasets/mock"
OUTSIDE = {"train": "/mnt/sst/train.txt", "test": "/mnt/sst/test.txt"}


@pytest.mark.parametrize(
    ("key", "value", "fault"),
    [
        ("//dataset", {}, "unknown key 'dataset'; allowed: archives, defaults, datasets"),
        ("//groups", {}, "unknown key 'groups'; variants: of datasets: make groups"),
        ("datasets", None, ": input should be a valid dictionary, got 'None'"),
        ("defaults", 3, ": input should be a valid dictionary, got '3'"),
        ("defaults//recpie", "x", f": unknown key 'recpie'; allowed: {DATASET_KEYS}"),
        ("//defaults/split", None, "datasets.synthetic-1.split: input should be a valid dictionar"),
        (IMDB, None, ": input should be a valid dictionary"),
        (f"{IMDB}/owner", ABSENT, ": key required"),
        (f"{IMDB}//max_lenght", 400, f": unknown key 'max_lenght'; allowed: {DATASET_KEYS}"),
        ("datasets/snli/source//col", "a", f": unknown key 'col'; allowed: {SOURCE_KEYS}"),
        (f"{IMDB}//min_length", 399, ": min_length 399 must be below max_length 399"),
        (f"{IMDB}/labels", "x", ": input should be a valid dictionary"),
        (f"{IMDB}//labels", [], ": labels: no class is listed"),
        (f"{IMDB}/labels", ["a", "a"], ": 'a' is listed twice"),
        (f"{IMDB}//labels", {"bad": "0", "good": "0"}, ": labels: '0' stands for two classes"),
        (
            f"{IMDB}/source//reader",
            "imdb",
            f": input tag 'imdb' found using 'reader' does not match any of the expected {READERS}",
        ),
        (f"{IMDB}/source/kind", "hub", ": input should be 'registry'"),
        (f"{MOCK}//variants/1/source/quarters", 1, RULE),
        (f"{MOCK}//variants/1/source", {}, RULE),
        (f"{MOCK}//source/shortest", 11, "-1.source: shortest 11 exceeds longest 10"),
        ("datasets//mock-1", CATALOGUE["datasets"]["imdb"], ": 'mock-1' is an entry and a variant"),
        (f"{IMDB}//archive", "imbd", f": archive: 'imbd' is unknown; allowed: {ARCHIVES}"),
        (
            f"{IMDB}//archive",
            ABSENT,
            ": archive: key required for kind 'registry'; files of your own have kind: local",
        ),
        (f"{MOCK}//archive", ABSENT, "-1: archive: key required"),
        (f"{SST}//archive", "imdb", ": archive: kind 'local' has none"),
        (
            f"{SST}//source/files",
            OUTSIDE,
            ": source: /mnt/sst lies outside data/own, the folder for files of your own",
        ),
        (f"{SST}/source/files", ABSENT, ": key required"),
        (f"{SST}/source/files/dev", [], ": tuple should have at least 1 item"),
        (f"{SST}/source//file", "a.txt", ": give one of the keys file, files"),
        ("datasets/anemia/source//folder", ABSENT, FOLDER),
        ("datasets/bbc/source//folder", "data/own", FOLDER),
        ("archives/imdb/0/sha256", "abc", f": {HEX}, got 'abc'"),
    ],
)
def test_a_mistake_becomes_one_line(key, value, fault):
    assert fault_of(catalogue_of, "data/catalogue.yaml", key, value).startswith(fault)


def test_own_csv_in_six_lines():
    tickets = own()
    assert tickets.text == Path("data/own/tickets.csv")
    assert tickets.source.files == {"all": ("data/own/tickets.csv",)}
    assert (tickets.origin, tickets.stands_for, tickets.private) == ("own data", "own data", True)
    assert (tickets.task, tickets.labels, tickets.recipe) == ("classification", None, "clean")
    assert (tickets.duplicates, tickets.long, tickets.archive) == ("remove", "drop", None)
    assert (tickets.min_length, tickets.max_length) == (None, None)
    assert tickets.split == Split(dev=0.1, test=0.2, stratified=True)
    assert tickets.vocabulary == Vocabulary(minimum=2, of="documents", counted_on="train")


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"files": {"train": "data/own/a.csv", "test": "data/own/b.csv"}}, "data/own"),
        ({"files": {"train": "data/own/x/a.csv", "test": "data/own/x/y/b.csv"}}, "data/own/x"),
        ({"file": "data/own/a.csv", "query": "ask", "held_out": "data/own/b.csv"}, "data/own"),
    ],
)
def test_text_is_the_own_file_or_the_folder_of_all(changes, text):
    dataset = own(**({"file": None} | changes))
    assert dataset.text == Path(text)
    assert Dataset.model_validate(dataset.model_dump()) == dataset


def test_own_folder_and_copy_of_a_hub_set():
    folders = own(reader="folders", folder="data/own/texts", file=None, text=None, label=None)
    assert folders.text == Path("data/own/texts")
    assert folders.source.encodings == ("utf-8",)
    raw = {"datasets/yelp/source/folder": "data/own"}
    assert catalogue_of(raw).datasets["yelp"].text == Path("data/own")


def test_variants_share_the_keys_of_their_group():
    catalogue = catalogue_of()
    members = catalogue.members("mock")
    assert list(members) == [f"mock-{name}" for name in ["1", "2", "4q"]]
    assert {data.source.train for data in members.values()} == {80}
    assert members["mock-2"].source.informative == 2
    assert members["mock-2"].source.quarters is None
    assert members["mock-4q"].source.quarters == 4
    assert "mock" not in catalogue.datasets
    multiclass = catalogue.datasets["synthetic-three"]
    assert multiclass.title == "three classes"
    assert list(multiclass.labels) == ["zero", "one", "two"]
    assert catalogue.members("imdb") == {"imdb": catalogue.datasets["imdb"]}


def test_labels_are_tuples_of_text():
    raw = {"datasets/sst/labels": {"low": [0, "1"], "half": 2.5, "yes": True}}
    labels = catalogue_of(raw).datasets["sst"].labels
    assert labels == {"low": ("0", "1"), "half": ("2.5",), "yes": ("True",)}
    raw = {"datasets/sst/labels": [4, "good"]}
    assert catalogue_of(raw).datasets["sst"].labels == {"4": ("4",), "good": ("good",)}
