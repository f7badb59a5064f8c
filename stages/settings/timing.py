"""Seconds and memory of every stage, in a side file that is no output of any stage.

Seconds differ from run to run and from machine to machine, so they stay out of DVC's outputs.
"""

import csv
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path

from stages.settings import paths

COLUMNS = ("stage", "item", "seconds", "cpu_seconds", "peak_mb", "scale", "cores")


@contextmanager
def timed() -> Iterator[None]:
    """Record the time and memory of this process if the work inside succeeds."""
    running = _age()  # imports count
    started = time.perf_counter()
    yield
    from stages.settings.params import load  # not at the top: it imports errors

    seconds = running + time.perf_counter() - started
    used = os.times()
    cpu_seconds = used.user + used.system + used.children_user + used.children_system
    measured = (f"{seconds:.2f}", f"{cpu_seconds:.2f}", f"{_peak_mb():.0f}")
    _record((*_names(sys.argv), *measured, load().scale, str(os.cpu_count())), paths.TIMING)


def _record(row: tuple[str, ...], file: Path) -> None:
    """One row for a stage and its item, in place of the row of an earlier run."""
    rows = {old[:2]: old for old in read(file)} | {row[:2]: row}
    file.parent.mkdir(parents=True, exist_ok=True)
    fresh = file.with_name(f".{file.name}.{os.getpid()}")
    with fresh.open("w", newline="", encoding="utf-8") as target:
        writer = csv.writer(target, lineterminator="\n")
        writer.writerows([COLUMNS, *(rows[key] for key in sorted(rows))])
    fresh.replace(file)


def read(file: Path) -> list[tuple[str, ...]]:
    """The rows of a file of these columns; none if there is no such file."""
    if not file.is_file():
        return []
    with file.open(newline="", encoding="utf-8") as source:
        header, *rows = [tuple(row) for row in csv.reader(source)] or [()]
    return rows if header == COLUMNS else []


def _peak_mb() -> float:
    """Peak memory of this process and of its finished children."""
    try:
        import resource
    except ImportError:  # only where there is no POSIX
        return 0.0
    unit = 2**20 if sys.platform == "darwin" else 2**10
    children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / unit
    status = Path("/proc/self/status")
    for line in status.read_text().splitlines() if status.is_file() else ():
        if line.startswith("VmHWM"):  # ru_maxrss includes the parent process
            return max(int(line.split()[1]) / 2**10, children)
    return max(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit, children)


def _names(argv: list[str]) -> tuple[str, str]:
    """Stage and item as DVC names them: train_base and jain-wallace."""
    named = takewhile(lambda argument: not argument.startswith("-"), argv[1:])
    return Path(argv[0]).stem, "-".join(named)


def _age() -> float:
    """Seconds since this process was started, 0 where the system does not say."""
    try:
        started = Path("/proc/self/stat").read_text().rsplit(")", 1)[1].split()[19]
        now = time.clock_gettime(time.CLOCK_BOOTTIME)
        return max(now - int(started) / os.sysconf("SC_CLK_TCK"), 0.0)
    except (OSError, AttributeError, ValueError, IndexError):
        return 0.0
