"""Verdicts: a claim is decided by where an interval lies, never by hand.

`holds` when the whole interval is on the claimed side, `fails` when it is all on the other side,
`undecided` when it touches both, `not run` when there is nothing to look at.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from stages.statistics.bootstrap import NOTHING, Interval

Verdict = str
Record = dict[str, Any]
HOLDS, FAILS, UNDECIDED, NOT_RUN = "holds", "fails", "undecided", "not run"


@dataclass(frozen=True)
class Claim:
    """What a paper says, in our own words, and what decides it."""

    id: str
    statement: str
    where: str
    statistic: str
    published: str


def stated(path: Path) -> dict[str, Claim]:
    """The claims of a statements.csv by id."""
    rows = pd.read_csv(path, dtype=str, keep_default_na=False)
    return {row["id"]: Claim(**row) for row in rows.to_dict("records")}


def within(found: Interval, low: float = -math.inf, high: float = math.inf) -> Verdict:
    """Whether the interval lies inside (low, high)."""
    if found.n == 0 or math.isnan(found.low):
        return NOT_RUN
    if low < found.low and found.high < high:
        return HOLDS
    return FAILS if found.high <= low or found.low >= high else UNDECIDED


def everywhere(verdicts: Iterable[Verdict]) -> Verdict:
    """A claim about every row: one failure is enough, and every row must hold."""
    seen = [verdict for verdict in verdicts if verdict != NOT_RUN]
    if not seen:
        return NOT_RUN
    if FAILS in seen:
        return FAILS
    return UNDECIDED if UNDECIDED in seen else HOLDS


def record(claim: Claim, found: Interval, verdict: Verdict, reason: str) -> dict[str, Any]:
    """One entry of claims.json; numbers that do not exist are null."""
    numbers = {
        name: None if math.isnan(value) else round(value, 4)
        for name, value in (("ours", found.value), ("low", found.low), ("high", found.high))
    }
    return {**asdict(claim), **numbers, "n": found.n, "verdict": verdict, "reason": reason}


def every_row(
    claim: Claim,
    intervals: Mapping[str, Interval],
    badness: Callable[[float], float],
    **bounds: float,
) -> Record:
    """A claim about every row, shown by the row that is nearest to breaking it."""
    if not intervals:
        return not_run(claim, "no row has enough documents")
    decided = {row: within(found, **bounds) for row, found in intervals.items()}
    shown = max(intervals, key=lambda row: badness(intervals[row].value))
    held = sum(verdict == HOLDS for verdict in decided.values())
    reason = f"{held} of {len(decided)} rows hold; shown: {shown}. All: {listed(intervals)}"
    return record(claim, intervals[shown], everywhere(decided.values()), reason)


def listed(intervals: Mapping[str, Interval]) -> str:
    """All rows with their values, for the reason."""
    return ", ".join(f"{name} {found.value:.2f}" for name, found in intervals.items())


def not_run(claim: Claim, reason: str) -> dict[str, Any]:
    """A claim that nothing in this run can decide."""
    return record(claim, NOTHING, NOT_RUN, reason)


def counted(records: Sequence[dict[str, Any]]) -> dict[str, int]:
    """How many claims got each verdict."""
    return {
        name: sum(entry["verdict"] == name for entry in records)
        for name in (HOLDS, FAILS, UNDECIDED, NOT_RUN)
    }
