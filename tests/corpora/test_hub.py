"""The hub reader on a fake `datasets` package, and on the real one with local files."""

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from stages.corpora.examples import Example
from stages.corpora.readers import hub
from stages.settings.errors import UserError
from stages.settings.sources import Hub

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


class Data(list[dict[str, Any]]):
    """Rows with the column attributes of the library."""

    def __init__(self, rows: list[dict[str, Any]], **features: object) -> None:
        super().__init__(rows)
        self.features = features
        self.column_names = list(features)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str | None, str]]:
    """A fake `datasets` that serves one split and records its calls."""
    recorded: list[tuple[str, str | None, str]] = []
    rows: list[dict[str, Any]] = [
        {"premise": "a", "hypothesis": "b", "gold": 1, "year": 1999, "tokens": ["x"]},
        {"premise": "c", "hypothesis": None, "gold": -1, "year": 2000, "tokens": ["y"]},
        {"premise": "d", "hypothesis": "e", "gold": None, "year": None, "tokens": ["z"]},
    ]

    def load_dataset(name: str, config: str | None, split: str) -> Data:
        recorded.append((name, config, split))
        if split == "broken":
            raise RuntimeError("row 3: secret")
        if split == "unknown":
            raise ValueError("Unknown split \"unknown\".\nShould be one of ['train'].")
        return Data(rows, premise=str, hypothesis=str, gold=ClassLabel(), year=int, tokens=list)

    module = ModuleType("datasets")
    vars(module).update(load_dataset=load_dataset, ClassLabel=ClassLabel)
    monkeypatch.setitem(sys.modules, "datasets", module)
    return recorded


def read(place: Path, **changes: Any) -> list[Example]:
    settings: dict[str, Any] = {
        "kind": "hub",
        "reader": "hub",
        "name": "stanfordnlp/snli",
        "splits": {"train": "train"},
        "text": "premise",
        "label": "gold",
    }
    return list(hub.read(place, Hub(**{**settings, **changes})))


def test_class_numbers_become_names_and_no_class_is_empty(tmp_path: Path, calls: Any) -> None:
    assert read(tmp_path, query="hypothesis") == [
        Example("a", "neutral", "train", "b"),
        Example("c", "", "train", ""),
        Example("d", "", "train", "e"),
    ]
    assert calls == [("stanfordnlp/snli", None, "train")]


def test_text_columns_are_joined_and_other_labels_are_written_out(
    tmp_path: Path, calls: Any
) -> None:
    examples = read(
        tmp_path,
        text=("premise", "hypothesis"),
        label="year",
        config="plain",
        splits={"dev": "validation", "all": "train[:5%]"},
    )
    texts = [("a b", "1999"), ("c ", "2000"), ("d e", "")]
    assert examples == [
        *(Example(*text, "dev") for text in texts),
        *(Example(*text) for text in texts),
    ]
    assert [call[1:] for call in calls] == [("plain", "validation"), ("plain", "train[:5%]")]


def test_a_folder_in_place_comes_before_the_hub(tmp_path: Path, calls: Any) -> None:
    (tmp_path / "mine").mkdir()
    read(tmp_path, name="mine")
    read(tmp_path, name="other")
    assert [call[0] for call in calls] == [str(tmp_path / "mine"), "other"]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        (
            {"text": ("premise", "none")},
            "no column 'none'; there are: premise, hypothesis, gold, year",
        ),
        ({"label": "none"}, "no column 'none'; there are: "),
        ({"query": "none"}, "no column 'none'; there are: "),
        (
            {"text": "tokens"},
            "split train, row 1: column 'tokens' is list; allowed: text or a number",
        ),
        (
            {"splits": {"train": "broken"}},
            r"split broken: datasets cannot load it \(RuntimeError\)",
        ),
        ({"splits": {"train": "unknown"}}, r"Should be one of \['train'\]"),
    ],
)
@pytest.mark.usefixtures("calls")
def test_what_is_missing_is_refused(tmp_path: Path, changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(UserError, match=f"stanfordnlp/snli, .*{reason}") as caught:
        read(tmp_path, **changes)
    assert "secret" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_without_the_package_the_error_names_the_install_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(UserError, match=r"stanfordnlp/snli .*not installed: pip install datasets"):
        read(tmp_path)


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The real package, offline, with its cache in the test's own folder."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    datasets = pytest.importorskip("datasets")
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    return datasets


@pytest.mark.usefixtures("library")
def test_the_real_package_reads_a_local_repository(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "README.md").write_text(CARD)
    (tmp_path / "mine" / "train.csv").write_text("premise,hypothesis,gold\na,b,1\nc,d,-1\n")
    (tmp_path / "mine" / "test.csv").write_text("premise,hypothesis,gold\ne,f,0\n")
    splits = {"train": "train", "test": "test"}
    assert read(tmp_path, name="mine", query="hypothesis", splits=splits) == [
        Example("a", "neutral", "train", "b"),
        Example("c", "", "train", "d"),
        Example("e", "entailment", "test", "f"),
    ]
    with pytest.raises(UserError, match=r"mine, split dev: .*Unknown split"):
        read(tmp_path, name="mine", splits={"dev": "dev"})
    with pytest.raises(UserError, match="nobody/nothing, split train: datasets cannot load it"):
        read(tmp_path, name="nobody/nothing")
