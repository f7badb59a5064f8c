"""Decides one claim of a paper, on results that a test made for it."""

import json
from types import ModuleType
from typing import Any
from unittest.mock import patch

from stages.papers.shared.claims import stated

VERDICTS = {"holds", "fails", "undecided", "not run"}
KEYS = [
    *("id", "statement", "where", "statistic", "published"),
    *("ours", "low", "high", "n", "verdict", "reason"),
]


def record_of(module: ModuleType, name: str, *arguments: Any) -> dict[str, Any]:
    """The record of one claim, decided as in the whole list by the module's `decided`."""
    one = {name: stated(module.STATEMENTS)[name]}
    with patch.object(module, "stated", lambda _: one):
        (record,) = module.decided(*arguments)
    return record


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
