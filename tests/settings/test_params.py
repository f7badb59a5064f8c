"""params.yaml: every mistake in it becomes one line that names key, fault and allowed values."""

import datetime

import pytest
from pydantic import ValidationError

from stages.settings.errors import UserError
from stages.settings.params import load, parse
from tests.fixtures.project import (
    ABSENT,
    CATALOGUE,
    PARAMS,
    catalogue_of,
    params_error,
    settings_of,
)

ENCODERS = "affine, average, bigru, bilstm, cnn, conv, none, transformer"
AT_LEAST_ONE = "input should be greater than or equal to 1"
POOLED = "studies.pooled.models"
MODELS = "bilstm-additive, bilstm-dot, average-additive, bilstm-uniform, bilstm-sparse, average-f"
MEMBERS = "synthetic, babi, tickets, imdb, snli, bbc, mock"
EPOCHS, OVERRIDES = "studies/pooled/training/epochs", "studies/pooled/overrides"
SPARSE, PLACE = "studies/pooled/models/bilstm-sparse", "studies.pooled.models.bilstm-sparse"
ON = f"{PLACE} on synthetic-1"
SWEEP = "studies/scaled/models/dp/sweep"
BUDGET, SCALED = "scales/small/train_base/pooled", "scales/small/train_base/scaled"


def override(key, value, **selectors):
    return [{"for": selectors, "set": {key: value}}]


@pytest.mark.parametrize(
    ("key", "value", "line"),
    [
        ("sc\nale", "smoke", "unknown key 'sc\\nale'; allowed: scale, seed, engine, archives, "),
        ("catalogue", {}, "unknown key 'catalogue'; data sets are in data/catalogue.yaml"),
        ("seed", ABSENT, "seed: key required"),
        ("seed", datetime.date(2019, 6, 1), "seed: input should be a valid integer, got '2019-06"),
        ("scale", "huge", "scale: 'huge' is unknown; allowed: small, large"),
        ("engine/kind", "slurm", "engine.kind: input should be 'local' or 'dask', got 'slurm'"),
        ("engine/kind", "dask", "engine: kind 'dask' needs a scheduler, for example tcp://127.0"),
        (
            "scales/small/preprocess/tokens",
            {"train": 5, "tset": 5},
            "scales.small.preprocess: tokens has keys train, tset; needed: train, dev, test",
        ),
        ("archives", ["imbd"], "archives: 'imbd' is unknown; allowed: imdb, snli, vader"),
        ("archives", ["imdb", "imdb"], "archives: 'imdb' is named twice"),
        (
            "corpora/imbd",
            "normal",
            f"corpora: 'imbd' is unknown; allowed: {', '.join(CATALOGUE['datasets'])}",
        ),
        (
            "corpora/babi",
            "glvoe",
            "corpora.babi: 'glvoe' is unknown; allowed: glove, normal, uniform",
        ),
        (
            "embed/kinds/glove/file",
            "/mnt/vectors.txt",
            "embed.kinds.glove.file: /mnt/vectors.txt lies outside data/raw, data/own",
        ),
        ("embed/kinds/glove/window", 5, "embed.kinds.glove: unknown key 'window'; allowed: method"),
        (
            "studies/pooled/datasets",
            ["imdb"],
            "studies.pooled.datasets: 'imdb' is unknown; allowed: synthetic, babi, tickets",
        ),
        ("studies/pooled/models", {}, "studies.pooled: models: no model is listed"),
        (
            "studies/scaled/spread",
            None,
            "studies.scaled: drawn vectors need the keys dimension and spread",
        ),
        ("studies/scaled/groups", None, "studies.scaled: traced training needs the key groups"),
        (
            "studies/pooled/models/grid/optimizer",
            ["adam"],
            "studies.pooled: models.grid: 'optimizer' is no axis with values; allowed: archi",
        ),
        (
            f"{SPARSE}/encoder",
            {"kind": "lstm"},
            f"{ON}: encoder: 'lstm' is unknown; allowed: {ENCODERS}",
        ),
        (f"{SPARSE}/encodre", "bilstm", f"{ON}: unknown key 'encodre'; allowed: architecture, enc"),
        (f"{SPARSE}/head", {"bias": True}, f"{ON}: head.kind: key required"),
        (
            f"{SPARSE}/projection/strength",
            1.5,
            f"{ON}: projection: strength (lambda) of sparsegen must be a number below 1, got 1.5",
        ),
        (
            f"{SPARSE}/datasets",
            ["synthetic-9"],
            f"{PLACE}.datasets: 'synthetic-9' is unknown; allowed: {MEMBERS}",
        ),
        (
            "studies/pooled/models/average-frozen/weights_of",
            "bilstm",
            f"{POOLED}.average-frozen.weights_of: 'bilstm' is unknown; allowed: {MODELS}",
        ),
        (
            SWEEP,
            {"head.bias": [1.0]},
            "studies.scaled.models.dp on synthetic-1: sweep.head.bias: input should be 'pro",
        ),
        (
            SWEEP,
            {"score.scale": [1.0], "projection.strength": [0.5]},
            "studies.scaled.models.dp on synthetic-1: sweep: dictionary should have at most 1 item",
        ),
        (
            EPOCHS,
            0,
            f"{POOLED}.bilstm-additive on synthetic-1: training.epochs: {AT_LEAST_ONE}",
        ),
        (
            OVERRIDES,
            override("training.epochs", 0, dataset="babi"),
            f"{POOLED}.bilstm-additive on babi-1: training.epochs: {AT_LEAST_ONE}, go",
        ),
        (
            OVERRIDES,
            override("training.epoch", 1, model="bilstm-dot"),
            "studies.pooled.models.bilstm-dot on synthetic-1: training: unknown key 'epoch'; allow",
        ),
        (
            OVERRIDES,
            override("training.epochs", 1, dataset="imbd"),
            f"studies.pooled.overrides.0.for.dataset: 'imbd' matches nothing; allowed: {MEMBERS}",
        ),
        (
            OVERRIDES,
            override("training.epochs", 1, model="lstm-*"),
            f"studies.pooled.overrides.0.for.model: 'lstm-*' matches nothing; allowed: {MODELS}",
        ),
        (
            OVERRIDES,
            override("training.epochs", 1, seed="1"),
            "studies.pooled.overrides.0.for.seed: input should be 'dataset', 'model' or 'procedure",
        ),
        (
            OVERRIDES,
            override("x", 1),
            "studies.pooled.overrides.0.for: dictionary should have at l",
        ),
        (
            OVERRIDES,
            [{"when": {"model": "*"}, "set": {"x": 1}}],
            "studies.pooled.overrides.0: unknown key 'when'; allowed: for, set",
        ),
        (OVERRIDES, {"babi": {}}, "studies.pooled.overrides: input should be a valid tuple"),
        (
            f"{BUDGET}/overrides",
            override("epoch", 3, model="*"),
            "scales.small.train_base.pooled: overrides.0.set: unknown key 'epoch'; allowed: epochs",
        ),
        (
            f"{BUDGET}/overrides",
            override("epochs", 0, model="*"),
            f"scales.small.train_base.pooled.epochs: {AT_LEAST_ONE}",
        ),
        (
            f"{BUDGET}/overrides",
            override("epochs", 3, model="dp"),
            "scales.small.train_base.pooled.overrides.0.for.model: 'dp' matches nothing; allowed: ",
        ),
        (
            SCALED,
            {"values": [10.0, 20.0]},
            "scales.small.train_base.scaled.values: 20 is not in the sweep of dp; allowed: 1, 10",
        ),
        (
            SCALED,
            {"overrides": override("values", [1.0, 3.0], model="d*")},
            "scales.small.train_base.scaled.overrides.0.set.values: 3 is not in the sweep of dp; a",
        ),
        (
            SCALED,
            {"overrides": override("values", [1.0], dataset="synthetic-three")},
            "scales.small.train_base.scaled.overrides.0.set.values: 1 is not in the sweep of dp; a",
        ),
        (
            SCALED,
            {"overrides": override("values", [1.0], model="dp-l")},
            "scales.small.train_base.scaled.overrides.0.set.values: no model that it is for has a",
        ),
        (
            "scales/small/train_base/other",
            {},
            "scales.small.train_base: 'other' is unknown; allowed: pooled, scaled",
        ),
        ("scales/large/train_base/scaled", ABSENT, "studies: 'scaled' is unknown; allowed: pooled"),
    ],
)
def test_a_mistake_becomes_one_line(key, value, line):
    assert params_error({key: value}).startswith(line)


def test_an_unknown_section_lists_all_sections():
    start, _, allowed = params_error({"sclae": "smoke"}).partition("; allowed: ")
    assert start == "unknown key 'sclae'"
    assert sorted(allowed.split(", ")) == sorted(PARAMS)


@pytest.mark.parametrize("raw", [None, "text", 3, ["scale"]])
def test_the_top_must_be_a_mapping(raw):
    with pytest.raises(UserError, match=r"^x: expected a mapping of sections at the top$"):
        parse(raw, "x", catalogue_of())


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"scale: smoke\nseed: 1\nfetch: {archives: [a\ncorpora: 3\n", " line 4: not valid YAML"),
        (b"scale: smoke\n\tseed: 1\n", " line 2: not valid YAML"),
        (b"seed: 2019-13-01\n", ": not valid YAML (month must be in 1..12"),
        (b"scale: sm\xf6ke\n", ": not valid YAML ('utf-8' codec can't decode byte 0xf6"),
        (b"seed: 1\nscale: smoke\nseed: 2\n", " line 3: key 'seed' is given twice"),
        (b"studies:\n  a: {}\n  b: {}\n  a: {}\n", " line 4: key 'a' is given twice"),
        (b"a: {b: [{for: 1, for: 2}]}\n", " line 1: key 'for' is given twice"),
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


def test_settings_are_frozen_and_lists_are_tuples():
    settings = settings_of()
    with pytest.raises(ValidationError, match="frozen"):
        settings.seed = 1
    with pytest.raises(ValidationError, match="frozen"):
        settings.datasets["tickets"].split.dev = 0.5
    assert settings.studies["pooled"].datasets == ("synthetic", "babi", "tickets")
    assert settings.budget is settings.scales["small"]


def test_unknown_studies_and_groups_are_refused_with_the_allowed_ones():
    settings = settings_of()
    with pytest.raises(UserError, match=r"^no study 'pool'; allowed: pooled, scaled$"):
        settings.study("pool")
    with pytest.raises(UserError, match=r"^no data set 'babi-1'; allowed: synthetic, babi, t"):
        settings.members("babi-1")
    fault = r"^analyses.erasure.studies has no scaled; allowed: pooled$"
    with pytest.raises(UserError, match=fault):
        settings.analysed("erasure", "scaled")
    assert settings.analysed("erasure", "pooled") == ("synthetic",)
    assert settings.analysed("permutation", "pooled") == ("synthetic", "babi", "tickets")
    assert settings.analysed("retrain", "pooled") == ("synthetic", "tickets")
