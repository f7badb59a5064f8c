"""Verdicts on claims, decided by where an interval lies.

`holds`: the whole interval is on the claimed side. `fails`: all of it is on the other side.
`undecided`: it overlaps a bound. `not run`: there are no results.
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
    """A claim of a paper in our words, and the statistic that decides it."""

    id: str
    statement: str
    where: str
    statistic: str
    published: str


def stated(path: Path) -> dict[str, Claim]:
    """The claims of a statements.csv by id."""
    rows = pd.read_csv(path, dtype=str, keep_default_na=False)
    return {row["id"]: Claim(**row) for row in rows.to_dict("records")}


def within(interval: Interval, low: float = -math.inf, high: float = math.inf) -> Verdict:
    """Whether the interval lies inside (low, high)."""
    if interval.n == 0 or math.isnan(interval.low):
        return NOT_RUN
    if low < interval.low and interval.high < high:
        return HOLDS
    return FAILS if interval.high <= low or interval.low >= high else UNDECIDED


def everywhere(verdicts: Iterable[Verdict]) -> Verdict:
    """The verdict on a claim about every row: all rows must hold, one failing row fails it."""
    decided = [verdict for verdict in verdicts if verdict != NOT_RUN]
    if not decided:
        return NOT_RUN
    if FAILS in decided:
        return FAILS
    return UNDECIDED if UNDECIDED in decided else HOLDS


def record(claim: Claim, interval: Interval, verdict: Verdict, reason: str) -> Record:
    """One entry of claims.json; numbers that do not exist are null."""
    bounds = {"ours": interval.value, "low": interval.low, "high": interval.high}
    numbers = {
        name: None if math.isnan(value) else round(value, 4) for name, value in bounds.items()
    }
    return {**asdict(claim), **numbers, "n": interval.n, "verdict": verdict, "reason": reason}


def every_row(
    claim: Claim,
    intervals: Mapping[str, Interval],
    badness: Callable[[float], float],
    **bounds: float,
) -> Record:
    """The record of a claim about every row, with the number of the row of largest `badness`."""
    if not intervals:
        return not_run(claim, "no row has enough documents")
    decided = {row: within(interval, **bounds) for row, interval in intervals.items()}
    shown = max(intervals, key=lambda row: badness(intervals[row].value))
    held = sum(verdict == HOLDS for verdict in decided.values())
    reason = f"{held} of {len(decided)} rows hold; shown: {shown}. All: {listed(intervals)}"
    return record(claim, intervals[shown], everywhere(decided.values()), reason)


def listed(intervals: Mapping[str, Interval]) -> str:
    """All rows with their values, for the reason."""
    return ", ".join(f"{name} {interval.value:.2f}" for name, interval in intervals.items())


def not_run(claim: Claim, reason: str) -> Record:
    """The record of a claim without results to decide it."""
    return record(claim, NOTHING, NOT_RUN, reason)


def counted(records: Sequence[Record]) -> dict[str, int]:
    """How many claims got each verdict."""
    return {
        name: sum(entry["verdict"] == name for entry in records)
        for name in (HOLDS, FAILS, UNDECIDED, NOT_RUN)
    }


def verdict_metrics(records: Sequence[Record]) -> dict[str, int]:
    """The counts of verdicts under the names they have in metrics.json; the rest was not run."""
    counts = counted(records)
    return {
        "claims_hold": counts[HOLDS],
        "claims_fail": counts[FAILS],
        "claims_undecided": counts[UNDECIDED],
    }
