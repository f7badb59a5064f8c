"""params.yaml: every mistake in it becomes one line that names key, fault and allowed values."""

import datetime

import pytest
from pydantic import ValidationError

from stages.settings.errors import UserError
from stages.settings.params import load, parse
from tests.fixtures.project import ABSENT, CATALOGUE, catalogue_of, fault_of, settings_of

ENCODERS = "affine, average, bigru, bilstm, cnn, conv, none, transformer"
LSTM = f"'lstm' is unknown; allowed: {ENCODERS}"
LEAST = "input should be greater than or equal to 1"
MODELS = "bilstm-additive, bilstm-dot, average-additive, bilstm-uniform, bilstm-sparse, average-f"
GROUPS = ", ".join(CATALOGUE["datasets"])
IMBD = f": 'imbd' is unknown; allowed: {GROUPS}"
AXIS = "is no axis with values; allowed: architecture, encoder, score, projection, head"
STRENGTHS = "strengths: needed with loss swept, and only there"
CORRELATION = "studies, integrated_points, shares, top_k, top_share"
POOLED, SCALED = "studies/pooled", "studies/scaled"
SPARSE, FROZEN = f"{POOLED}/models/bilstm-sparse", f"{POOLED}/models/average-frozen"
OVERRIDES, SWEEP = f"{POOLED}//overrides", f"{SCALED}/models/dp//sweep"
SMALL, TRAIN, RETRAIN = "scales/small", "scales/small/train_base", "analyses/retrain"
PROCEDURES, OPPONENTS = f"{RETRAIN}/procedures", f"{RETRAIN}/studies/pooled/synthetic"
ERASURE, BUDGET = "analyses/erasure/studies", f"{TRAIN}/pooled//overrides"
TWO = {"score.scale": [1.0], "projection.strength": [0.5]}
FIRST, DP = ".models.bilstm-additive on", " on synthetic-1: sweep"
DOT, OF, SET = ".models.bilstm-dot on synthetic-1", ".overrides.0.for", ".overrides.0.set"
UNMATCHED, UNSWEPT = "matches nothing; allowed:", "is not in the sweep of dp; allowed:"


@pytest.mark.parametrize(
    ("key", "value", "fault"),
    [
        ("//sc\nale", "smoke", "unknown key 'sc\\nale'; allowed: scale, seed, engine, archives, "),
        ("//catalogue", {}, "unknown key 'catalogue'; data sets are in data/catalogue.yaml"),
        ("seed", ABSENT, ": key required"),
        ("seed", datetime.date(2019, 6, 1), ": input should be a valid integer, got '2019-06-01'"),
        ("scale", "huge", ": 'huge' is unknown; allowed: small, large"),
        ("engine/kind", "slurm", ": input should be 'local' or 'dask', got 'slurm'"),
        ("engine//kind", "dask", ": kind 'dask' needs a scheduler, for example tcp://127.0"),
        ("archives", ["imbd"], ": 'imbd' is unknown; allowed: imdb, snli, vader"),
        ("archives", ["imdb", "imdb"], ": 'imdb' is named twice"),
        ("corpora//imbd", "normal", IMBD),
        ("corpora/babi", "glvoe", ": 'glvoe' is unknown; allowed: glove, normal, uniform"),
        ("embed/kinds/glove/file", "/v.txt", ": /v.txt lies outside data/raw, data/own"),
        ("embed/kinds/glove//window", 5, ": unknown key 'window'; allowed: method, file"),
        (f"{POOLED}/datasets", ["imdb"], ": 'imdb' is unknown; allowed: synthetic, babi, tickets"),
        (f"{POOLED}//models", {}, ": models: no model is listed"),
        (f"{SCALED}//spread", None, ": drawn vectors need the keys dimension and spread"),
        (f"{SCALED}//groups", None, ": traced training needs the key groups"),
        (f"{POOLED}//models/grid/optimizer", ["adam"], f": models.grid: 'optimizer' {AXIS}"),
        (f"{POOLED}//models/grid/exclude", 3, ": models.grid.exclude: expected a list of models"),
        (f"{POOLED}//models/grid/encoder", 3, f": models.grid: 'encoder' {AXIS}"),
        (f"{SPARSE}//encoder", {"kind": "lstm"}, f" on synthetic-1: encoder: {LSTM}"),
        (f"{SPARSE}//encodre", "x", " on synthetic-1: unknown key 'encodre'; allowed: architect"),
        (f"{SPARSE}//head", {"bias": True}, " on synthetic-1: head.kind: key required"),
        (
            f"{SPARSE}//projection/strength",
            1.5,
            " on synthetic-1: projection: strength (lambda) of sparsegen must be a number below 1",
        ),
        (f"{SPARSE}/datasets", ["synthetic-9"], f": 'synthetic-9' is unknown; allowed: {GROUPS}"),
        (f"{SPARSE}//datasets", 3, " on synthetic-1: datasets: input should be a valid tuple"),
        (f"{FROZEN}/weights_of", "bilstm", f": 'bilstm' is unknown; allowed: {MODELS}"),
        (SWEEP, {"head.bias": [1.0]}, f"{DP}.head.bias: input should be 'projection.strength' or"),
        (SWEEP, TWO, f"{DP}: dictionary should have at most 1 item"),
        (f"{POOLED}//training/epochs", 0, f"{FIRST} synthetic-1: training.epochs: {LEAST}"),
        (
            OVERRIDES,
            [{"when": {"model": "*"}, "set": {"x": 1}}],
            ".overrides.0: unknown key 'when'; allowed: for, set",
        ),
        (OVERRIDES, {"babi": {}}, ".overrides: input should be a valid tuple"),
        (f"{SMALL}/preprocess//tokens", {"a": 5}, ": tokens has keys a; needed: train, dev, test"),
        (f"{SMALL}/adversarial//documents", 3, ": unknown key 'documents'; allowed: overrides, i"),
        (f"{TRAIN}//other", {}, ": 'other' is unknown; allowed: pooled, scaled"),
        ("//scales/large/train_base/scaled", ABSENT, "studies: 'scaled' is unknown; allowed: pool"),
        (f"{TRAIN}/scaled/values", [10.0, 20.0], f": 20 {UNSWEPT} 1, 10"),
        (
            f"{SMALL}/retrain//overrides/0/set",
            {"x": 3},
            ": overrides.0.set: unknown key 'x'; allow",
        ),
        (
            f"{SMALL}/retrain/overrides/1/for",
            {"procedure": "x"},
            f".procedure: 'x' {UNMATCHED} publ",
        ),
        ("analyses//correlations", {}, ": unknown key 'correlations'; allowed: correlation, perm"),
        (f"{ERASURE}//other", "all", ": 'other' is unknown; allowed: pooled, scaled"),
        (f"{ERASURE}/pooled", ["babi", "imbd"], IMBD),
        (f"{ERASURE}/pooled", ["babi", "babi"], ": 'babi' is named twice"),
        (f"{ERASURE}/pooled", "synthetic", ": input should be 'all'"),
        (ERASURE, None, ": input should be a valid dictionary"),
        ("analyses/correlation//topk", 5, f": unknown key 'topk'; allowed: {CORRELATION}"),
        ("analyses/correlation/shares", [0.1, 1.0], ".1: input should be less than 1"),
        ("analyses/permutation/count", 0, f": {LEAST}"),
        ("analyses/adversarial/epsilons", [0.01, 0.0], ".1: input should be greater than 0, got '"),
        (f"{OPPONENTS}/procedures", ["hot"], ": 'hot' is unknown; allowed: published, warm, sweep"),
        (f"{OPPONENTS}/models", ["gru"], f": 'gru' is unknown; allowed: {MODELS}"),
        (f"{OPPONENTS}/guided", "gru", f": 'gru' is unknown; allowed: {MODELS}"),
        (f"{RETRAIN}/studies/pooled//imbd", {"procedures": ["warm"]}, IMBD),
        (f"{PROCEDURES}/warm/start", "cold", ": input should be 'fresh' or 'base', got 'cold'"),
        (f"{PROCEDURES}/warm//strengths", [0.1], f": {STRENGTHS}"),
        (f"{PROCEDURES}/sweep//strengths", [], f": {STRENGTHS}"),
    ],
)
def test_a_mistake_becomes_one_line(key, value, fault):
    assert fault_of(settings_of, "params.yaml", key, value).startswith(fault)


TRAINED, SWEPT = f"{TRAIN}/pooled", f"{TRAIN}/scaled"


@pytest.mark.parametrize(
    ("section", "names", "key", "value", "fault"),
    [
        (POOLED, "dataset babi", "training.epochs", 0, f"{FIRST} babi-1: training.epochs: {LEAST}"),
        (POOLED, "model bilstm-dot", "training.epoch", 1, f"{DOT}: training: unknown key 'epoch'"),
        (
            POOLED,
            "dataset imbd",
            "training.epochs",
            1,
            f"{OF}.dataset: 'imbd' {UNMATCHED} {GROUPS}",
        ),
        (
            POOLED,
            "model lstm-*",
            "training.epochs",
            1,
            f"{OF}.model: 'lstm-*' {UNMATCHED} {MODELS}",
        ),
        (
            POOLED,
            "seed 1",
            "training.epochs",
            1,
            f"{OF}.seed: input should be 'dataset', 'model' o",
        ),
        (POOLED, "", "x", 1, f"{OF}: dictionary should have at least 1 item"),
        (TRAINED, "model *", "epoch", 3, ": overrides.0.set: unknown key 'epoch'; allowed: epochs"),
        (TRAINED, "model *", "epochs", 0, f".epochs: {LEAST}"),
        (TRAINED, "model dp", "epochs", 3, f"{OF}.model: 'dp' {UNMATCHED} {MODELS}"),
        (SWEPT, "model d*", "values", [1.0, 3.0], f"{SET}.values: 3 {UNSWEPT} 1, 10"),
        (SWEPT, "dataset synthetic-three", "values", [1.0], f"{SET}.values: 1 {UNSWEPT} 10"),
        (
            SWEPT,
            "model dp-l",
            "values",
            [1.0],
            f"{SET}.values: no model that it is for has a sweep",
        ),
    ],
)
def test_a_mistake_in_an_override_becomes_one_line(section, names, key, value, fault):
    selectors = dict([names.split()]) if names else {}
    entries = [{"for": selectors, "set": {key: value}}]
    line = fault_of(settings_of, "params.yaml", f"{section}//overrides", entries)
    assert line.startswith(fault)


def test_values_for_a_data_set_that_the_study_leaves_out_are_not_checked():
    entries = [{"for": {"dataset": "babi"}, "set": {"values": [3.0]}}]
    settings = settings_of({f"{SWEPT}/overrides": entries})
    assert "babi" not in settings.studies["scaled"].datasets


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


def test_an_analysis_runs_on_the_listed_data_sets_that_the_study_has():
    settings = settings_of({"analyses/erasure/studies/pooled": ["babi", "imdb", "synthetic"]})
    assert settings.analysed("erasure", "pooled") == ("babi", "synthetic")
    settings = settings_of({"analyses/erasure/studies/scaled": ["babi"]})
    with pytest.raises(UserError, match=r"erasure\.studies\.scaled names no data set of the study"):
        settings.analysed("erasure", "scaled")
