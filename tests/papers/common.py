"""What tests of all papers share: keys of runs, joined tables, records of claims, files."""

import json
from dataclasses import fields, replace
from fnmatch import fnmatchcase
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import ANY, patch

import numpy as np
import pandas as pd
import pytest

from stages.papers.shared import rules
from stages.settings.studies import Gate

VERDICTS = {"holds", "fails", "undecided", "not run"}
KEYS = [
    *("id", "statement", "where", "quote", "statistic", "unit", "rule", "threshold", "published"),
    *("ours", "low", "high", "n", "runs", "seeds", "documents", "shown"),
    *("verdict", "reason", "rows"),
]


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
    """A model with accuracy and F1 `value`; half of the labels and predictions are positive."""
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
        "positives": n // 2,
        "predicted_positives": n // 2,
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


def record_of(module: ModuleType, name: str, results: Any, gate: Gate) -> dict[str, Any]:
    """The record of one claim of a paper's claims module."""
    one = {name: rules.read_claims(module.CLAIMS)[name]}
    with patch.object(rules, "read_claims", lambda _: one):
        (record,) = rules.records(module.CLAIMS, module.MEASUREMENTS, results, gate)
    return record


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


def undecided_between(module: ModuleType, name: str, one: Any, other: Any, gate: Gate) -> None:
    """Some mixture of results that fit and results that contradict leaves the claim undecided."""
    low, high, verdict = 0.0, 1.0, ""
    for _ in range(8):
        share = (low + high) / 2
        verdict = record_of(module, name, mixed(share, one, other), gate)["verdict"]
        if verdict == "undecided":
            return
        low, high = (share, high) if verdict == "holds" else (low, share)
    pytest.fail(f"{name}: {verdict} at every share tried, at last {share}")


def case(claim: str, verdict: str, ours: Any, *tables, n: Any = ANY, reason: str = "*", **named):
    """A parameter of a test: a claim, the record it must get (`reason` is a glob), the tables."""
    expected = {"verdict": verdict, "ours": ours, "n": n, "reason": reason}
    return pytest.param(claim, expected, tables or named, id=f"{claim} {verdict}")


def check(record: dict[str, Any], expected: dict[str, Any]) -> None:
    """The record has the verdict, the numbers and the reason of a `case`."""
    assert [record[key] for key in ("verdict", "ours", "n")] == [
        expected[key] for key in ("verdict", "ours", "n")
    ], record["reason"]
    assert fnmatchcase(record["reason"], expected["reason"]), record["reason"]


def check_records(records: list[dict[str, Any]], names: list[str]) -> None:
    """One record for each claim, in order, complete, with an allowed verdict and valid JSON."""
    assert [record["id"] for record in records] == names
    assert all(list(record) == KEYS for record in records)
    assert {record["verdict"] for record in records} <= VERDICTS
    assert all(record["reason"] for record in records)
    json.dumps(records, allow_nan=False)


def check_holds(record: dict[str, Any]) -> None:
    """The claim holds, by documents, with the number in its interval."""
    assert record["verdict"] == "holds", record["reason"]
    assert record["low"] <= record["ours"] <= record["high"]
    assert record["n"] > 0
    assert "nan" not in record["reason"]


def files(folder: Path) -> dict[str, bytes]:
    """Contents of all files of a folder by path."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


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
