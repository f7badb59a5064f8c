"""The hub reader on a fake `datasets` package, and on the real one with local files."""

import re
import sys
from types import ModuleType
from typing import ClassVar

import pytest

from stages.corpora.examples import Example
from tests.corpora.reading import error_of, examples_of

CARD = """---
dataset_info:
  features:
  - name: premise
    dtype: string
  - name: hypothesis
    dtype: string
  - name: gold
    dtype:
      class_label:
        names:
          '0': entailment
          '1': neutral
---
"""


class ClassLabel:
    """The attribute of the library's class that the reader uses."""

    names = ("entailment", "neutral")


class Data(list):
    """Rows with the attribute of the library that the reader uses."""

    features: ClassVar = {"gold": ClassLabel(), "year": int}


@pytest.fixture
def calls(monkeypatch):
    """A fake `datasets` that serves one split and records its calls."""
    recorded = []
    rows = [
        {"premise": "a", "hypothesis": "b", "gold": 1, "year": 1999, "tokens": ["x"]},
        {"premise": "c", "hypothesis": None, "gold": -1, "year": 2000, "tokens": ["y"]},
        {"premise": "d", "hypothesis": "e", "gold": None, "year": None, "tokens": ["z"]},
    ]

    def load_dataset(name, config, split):
        recorded.append((name, config, split))
        if split == "broken":
            raise RuntimeError("row 3: secret")
        if split == "unknown":
            raise ValueError("Unknown split \"unknown\".\nShould be one of ['train'].")
        return Data(rows)

    module = ModuleType("datasets")
    vars(module).update(load_dataset=load_dataset, ClassLabel=ClassLabel)
    monkeypatch.setitem(sys.modules, "datasets", module)
    return recorded


SNLI = {
    "kind": "hub",
    "reader": "hub",
    "name": "stanfordnlp/snli",
    "splits": {"train": "train"},
    "text": "premise",
    "label": "gold",
}


def test_class_numbers_become_names_and_no_class_is_empty(tmp_path, calls):
    assert examples_of(tmp_path, **SNLI | {"query": "hypothesis"}) == [
        Example("a", "neutral", "train", "b"),
        Example("c", "", "train", ""),
        Example("d", "", "train", "e"),
    ]
    assert calls == [("stanfordnlp/snli", None, "train")]


def test_text_columns_are_joined_and_a_folder_in_place_comes_before_the_hub(tmp_path, calls):
    (tmp_path / "mine").mkdir()
    changes = {"text": ("premise", "hypothesis"), "label": "year", "config": "plain"}
    splits = {"dev": "validation", "all": "train[:5%]"}
    examples = examples_of(tmp_path, **SNLI | changes | {"splits": splits, "name": "mine"})
    texts = [("a b", "1999"), ("c ", "2000"), ("d e", "")]
    in_dev = [Example(*text, "dev") for text in texts]
    assert examples == in_dev + [Example(*text) for text in texts]
    mine = str(tmp_path / "mine")
    assert calls == [(mine, "plain", "validation"), (mine, "plain", "train[:5%]")]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"text": ("premise", "none")}, "no column 'none'; there are: premise, hypothesis, gold"),
        ({"text": "tokens"}, "split train, row 1: column 'tokens' is list; allowed: text, number"),
        ({"splits": {"train": "broken"}}, r"split broken: datasets cannot load it \(RuntimeError"),
        ({"splits": {"train": "unknown"}}, r"Should be one of \['train'\]"),
    ],
)
@pytest.mark.usefixtures("calls")
def test_what_is_missing_is_refused(tmp_path, changes, reason):
    message = error_of(tmp_path, **SNLI | changes)
    assert re.match(f"stanfordnlp/snli, .*{reason}", message)


def test_without_the_package_the_error_names_the_install_command(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "datasets", None)
    message = error_of(tmp_path, **SNLI)
    assert re.match("stanfordnlp/snli .*not installed: pip install datasets", message)


def test_the_real_package_reads_a_local_repository(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    datasets = pytest.importorskip("datasets")
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "README.md").write_text(CARD)
    (tmp_path / "mine" / "train.csv").write_text("premise,hypothesis,gold\na,b,1\nc,d,-1\n")
    (tmp_path / "mine" / "test.csv").write_text("premise,hypothesis,gold\ne,f,0\n")
    mine = SNLI | {"name": "mine", "query": "hypothesis"}
    assert examples_of(tmp_path, **mine | {"splits": {"train": "train", "test": "test"}}) == [
        Example("a", "neutral", "train", "b"),
        Example("c", "", "train", "d"),
        Example("e", "entailment", "test", "f"),
    ]
    message = error_of(tmp_path, **mine | {"splits": {"dev": "dev"}})
    assert re.match("mine, split dev: .*Unknown split", message)
    message = error_of(tmp_path, **SNLI | {"name": "nobody/nothing"})
    assert message.startswith("nobody/nothing, split train: datasets cannot load it")
