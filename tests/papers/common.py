"""What tests of all papers share: keys of runs, joined tables, records of claims, files."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest

from stages.papers.shared import rules
from stages.settings.studies import Gate
from tests.fixtures.project import files as files


def keys(
    dataset: str,
    model: str,
    encoder: str,
    attention: str = "additive",
    value: float = np.nan,
    seed: int = 1,
) -> dict[str, Any]:
    """The columns that every table of results starts with."""
    return {
        "dataset": dataset,
        "model": model,
        "encoder": encoder,
        "attention": attention,
        "value": value,
        "seed": seed,
    }


def score(dataset: str, model: str, value: float, n: int = 1_000_000) -> dict[str, Any]:
    """The scores of a model with accuracy and F1 `value`."""
    return {
        "dataset": dataset,
        "model": model,
        "value": np.nan,
        "seed": 1,
        "n": n,
        "accuracy": value,
        "f1": value,
        "train_documents": 1000,
        "metric": "accuracy",
        "published": np.nan,
        "commonest": 0.5,
    }


def guessed(place: Any, share: float) -> Any:
    """Predictions of two classes, of which a share is right; documents of even place are of 0."""
    label = place % 2
    return np.where(place // 2 * 37 % 100 < share * 100, label, 1 - label)


def answers(share: float, count: int, run: dict[str, Any]) -> pd.DataFrame:
    """Test predictions of a run with this accuracy and F1."""
    place = np.arange(count)
    columns = {"instance": place, "label": place % 2, "predicted": guessed(place, share)}
    return pd.DataFrame(columns | {"probability": 0.9}).assign(**run)


def joined(examples: dict[str, pd.DataFrame], tables: dict[str, Any]) -> dict[str, pd.DataFrame]:
    """Tables, or lists of tables to concatenate; others are empty with the example's columns."""
    fields = {}
    for name, example in examples.items():
        table = tables.get(name, [])
        parts = [table] if isinstance(table, pd.DataFrame) else list(table)
        fields[name] = pd.concat(parts or [example[:0]], ignore_index=True)
    return fields


def rows(table: pd.DataFrame, **where: Any) -> pd.DataFrame:
    """The rows with these values: column=value, or a list of values."""
    return table[matching(table, where)]


def matching(table: pd.DataFrame, where: dict[str, Any]) -> np.ndarray:
    chosen = np.ones(len(table), bool)
    for column, wanted in where.items():
        chosen &= table[column].isin(wanted if isinstance(wanted, list) else [wanted])
    return chosen


def changed(results: Any, table: str, where: dict[str, Any], **columns: Any) -> Any:
    """The results with columns replaced, by values or functions of the table, in some rows."""
    old = getattr(results, table)
    chosen = matching(old, where)
    new = {
        column: np.where(chosen, value(old) if callable(value) else value, old[column])
        for column, value in columns.items()
    }
    return replace(results, **{table: old.assign(**new)})


VERDICTS = {"holds", "fails", "undecided", "not run"}
Changed = Mapping[str, Callable[[], Any]]  # claim -> results


@dataclass(frozen=True)
class Cases:
    """Results of a paper on which its claims hold, and others by claim."""

    claims: ModuleType
    fitting: Any
    gate: Gate
    contradicting: Changed
    below: dict[str, float]  # scores below the gate, and what the reason then says
    gated: str
    between: Changed = field(default_factory=dict)  # undecided, where no mixture of both is
    exact: tuple[str, ...] = ()  # claims without interval, which are never undecided
    apart: tuple[str, ...] = ()  # claims that cannot hold with the others

    @cached_property
    def stated(self) -> dict[str, rules.Claim]:
        return rules.read_claims(Path(str(self.claims.__file__)).with_name("claims.yaml"))

    @cached_property
    def records(self) -> dict[str, dict[str, Any]]:
        """Of all claims, on the fitting results."""
        return {entry["id"]: entry for entry in self.decided(self.fitting)}

    def decided(self, results: Any) -> list[dict[str, Any]]:
        return rules.records(self.claims, results, self.gate)

    def record(self, name: str, results: Any) -> dict[str, Any]:
        """The record of one claim."""
        one = {name: self.stated[name]}
        with patch.object(rules, "read_claims", lambda _: one):
            (record,) = self.decided(results)
        return record

    def undecided(self, name: str) -> bool:
        """Whether results between those that fit and those that contradict leave it undecided."""
        if name in self.between:
            return self.record(name, self.between[name]())["verdict"] == "undecided"
        other, low, high = self.contradicting[name](), 0.0, 1.0
        for _ in range(8):
            share = (low + high) / 2
            verdict = self.record(name, mixed(share, self.fitting, other))["verdict"]
            if verdict == "undecided":
                return True
            low, high = (share, high) if verdict == "holds" else (low, share)
        return False


def mixed(share: float, one: Any, other: Any) -> Any:
    """The tables of `one` with a share of every run's documents from `other`."""
    tables = {}
    for part in fields(one):
        mine, theirs = getattr(one, part.name), getattr(other, part.name)
        if isinstance(mine, pd.DataFrame):
            place = mine["instance"].to_numpy() if "instance" in mine else np.arange(len(mine))
            kept = pd.Series(place * 7919 % 40 >= share * 40, mine.index)
            tables[part.name] = mine.where(kept, theirs)
    return replace(one, **tables)


def written_json(folder: Path, name: str) -> Any:
    """A written JSON file, which must not contain NaN."""
    return json.loads((folder / name).read_text(), parse_constant=pytest.fail)


def texts(axis: Any) -> list[str]:
    """What is written in a panel."""
    return [text.get_text() for text in axis.texts]


def legend(axis: Any) -> list[str]:
    """The entries of a panel's legend."""
    return [text.get_text() for text in axis.get_legend().get_texts()]


def ticks(axis: Any) -> list[str]:
    """The labels along the x axis."""
    return [label.get_text() for label in axis.get_xticklabels()]
