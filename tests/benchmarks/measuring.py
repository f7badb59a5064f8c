"""Measures speed: all ways in one run, in turns, the best of several repeats each.

Seconds are processor time of this process (one torch thread), so that other programs on the
machine have little effect.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch

torch.set_num_threads(1)

ROUNDS, MOST = 3, 9
ENOUGH = 10  # seconds after which one round suffices


@dataclass(frozen=True)
class Side:
    """One way to do the work, and the number of units (mostly documents) per call."""

    way: str
    work: Callable[[], object]
    count: int


@dataclass(frozen=True)
class Case:
    """The fast path of this project, the literal oracle, and a library's version.

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
    """Processor time of the fastest of a few repeats."""
    measurements = []
    for _ in range(repeats):
        started = time.process_time()
        work()
        measurements.append(time.process_time() - started)
    return min(measurements)


def measured(case):
    """Table rows, one per way; more rounds if the first do not reach the bar."""
    case.ours.work()  # compiled and warm
    started = time.process_time()
    often = max(1, min(5, int(1 / max(seconds(case.ours.work, 1), 0.01))))
    best = {side.way: float("inf") for side in case.sides}
    for done in range(1, MOST + 1):
        for side in case.sides:
            taken = seconds(side.work, often if side is case.ours else 1) / side.count
            best[side.way] = min(best[side.way], taken)
        enough = done >= ROUNDS or time.process_time() - started > ENOUGH
        if enough and best[case.literal.way] / best[case.ours.way] >= case.bar:
            break
    return [
        {
            "case": case.name,
            "way": side.way,
            "per_second": 1 / best[side.way],
            "unit": case.unit,
            "tokens_per_second": case.tokens / best[side.way],
            "peak_mb": peak_mb(side.work),
            "ratio": best[side.way] / best[case.ours.way],
            "bar": case.bar if side is case.literal else float("nan"),
        }
        for side in case.sides
    ]


def reached(case):
    """Prints the measurements and asserts that the bar is reached."""
    ours, literal, *library = measured(case)
    line = f"{ours['per_second']:,.0f} {case.unit}/s, {literal['way']} {literal['per_second']:,.1f}"
    print(f"\n{case.name}: {line}, {literal['ratio']:.1f}x")
    for row in library:
        print(f"  {row['way']} {row['per_second']:,.1f}, {row['ratio']:.1f}x")
    assert literal["ratio"] >= case.bar


def peak_mb(work):
    """Peak memory that the work adds; NaN where the system does not report it."""
    marks, status = Path("/proc/self/clear_refs"), Path("/proc/self/status")
    try:
        marks.write_text("5")  # resets the peak
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
