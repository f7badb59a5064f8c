"""What stages get of params.yaml: everything they depend on, and nothing that others do."""

import copy
from pathlib import Path

import pytest
import yaml

from stages.settings.params import parse
from stages.settings.resolved import PAGES, resolved

ROOT = Path(__file__).resolve().parents[2]
PARAMS = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))
PIPELINE = yaml.safe_load((ROOT / "dvc.yaml").read_text(encoding="utf-8"))["stages"]
TESTS = {"correlation", "permutation", "adversarial", "erasure", "polarity", "dispersion"}


def files(**changes):
    """The files after values at dotted keys (slashes for dots) have changed."""
    raw = copy.deepcopy(PARAMS)
    for key, value in changes.items():
        *way, last = key.split("/")
        inner = raw
        for part in way:
            inner = inner[part]
        inner[last] = value
    return resolved(parse(raw, "params.yaml"))


BEFORE = files()


def changed(key, value):
    after = files(**{key: value})
    assert after.keys() == BEFORE.keys()
    return {name for name in after if after[name] != BEFORE[name]}


def test_there_is_a_file_for_every_stage_that_depends_on_one():
    wanted = set()
    for name, entry in PIPELINE.items():
        archives = PARAMS["fetch"]["archives"] if "matrix" in entry else [name]
        for key in PARAMS[entry["foreach"][2:-1]] if "foreach" in entry else archives:
            for dep in entry.get("do", entry)["deps"]:
                if dep.startswith("data/made-of/"):
                    short = dep.removeprefix("data/made-of/")
                    wanted.add(short.replace("${key}", key).replace("${item.archive}", key))
    assert wanted == {f"{name}.json" for name in BEFORE}


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("datasets/bbc/max_length", 7, {"preprocess/bbc"}),
        ("datasets/babi/variants/1/title", "x", {"preprocess/babi"}),
        ("preprocess/min_length", 2, {f"preprocess/{name}" for name in PARAMS["corpora"]}),
        ("scales/smoke/preprocess/max_length", 7, set()),
        ("embed/kinds/normal/dimension", 7, {"embed/babi-normal"}),
        ("archives/imdb", PARAMS["archives"]["bbc"], {"fetch/imdb"}),
        ("scales/laptop/correlation/instances", 7, {"correlation/jain-wallace"}),
        ("scales/laptop/faithfulness/instances", 7, {"correlation/jain-wallace"}),
        ("scales/smoke/correlation/instances", 7, set()),
        ("adversarial/steps", 7, {"adversarial/jain-wallace"}),
        ("studies/sun-lu/groups/gamma", 0.4, {"polarity/sun-lu"}),
        (
            "corpora/imdb/text",
            "data/mine",
            {f"figures/{page}" for page in PAGES} | {"report"},
        ),
        ("engine/tries", 7, set()),
        (
            "datasets/rotten-tomatoes/private",
            True,
            {"preprocess/rotten-tomatoes", "polarity/sun-lu", "dispersion/meister"}
            | {f"{test}/jain-wallace" for test in TESTS - {"polarity", "dispersion"}},
        ),
        ("datasets/clothing/stands_for", "x", {"preprocess/clothing", "figures/scores"}),
    ],
)
def test_a_change_reaches_what_depends_on_it(key, value, expected):
    found = changed(key, value)
    trained = {name for name in found if name.startswith("train_base/sun-lu")}
    assert found - trained == expected
    assert bool(trained) == key.startswith("studies/sun-lu")


def test_an_exception_for_one_data_set_trains_that_one_only():
    budget = PARAMS["scales"]["laptop"]["train_base"]["jain-wallace"]["exceptions"]
    key = "scales/laptop/train_base/jain-wallace/exceptions"
    found = changed(key, budget | {"imdb": {"tokens": 1000}})
    assert found == {"train_base/jain-wallace-imdb"}


def test_the_seed_reaches_all_that_is_drawn():
    found = changed("seed", 7)
    drawn = {name for name in BEFORE if not name.startswith(("figures/", "fetch/", "report"))}
    assert found == drawn
    assert {name.split("/")[0] for name in drawn} >= TESTS


def test_another_scale_reaches_every_stage():
    same = ("figures/", "fetch/", "embed/", "report")
    assert changed("scale", "smoke") >= {name for name in BEFORE if not name.startswith(same)}
