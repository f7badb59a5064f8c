"""Jobs over local processes: one torch thread each, as many processes as there are cores.

A job that fails is tried again, then reported once the others are done; their results are kept.
"""

import json
import os
import sys
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from typing import Any

from tqdm import tqdm

from stages.settings.errors import UserError

Work = Callable[[Any], None]  # of a job


@dataclass(frozen=True)
class Failure:
    """The outcome of a job that failed."""

    reason: str
    trace: str = ""  # empty for a UserError


class Started:
    """The event that a job was started."""


Event = tuple[int, Started | Failure | None]  # place of the job; None: it is done


def run_all(work: Work, jobs: Sequence[str], what: str, most: int | None) -> None:
    """Run jobs, each once, in at most so many processes of this machine."""
    follow(events(work, jobs, most, 1), [{"name": job} for job in jobs], what)


def follow(events: Iterator[Event], named: Sequence[dict[str, Any]], what: str) -> None:
    """Show the progress of jobs until all are done; then raise the failures.

    `named` has the name of each job and the settings that a failure is reported with.
    """
    failed: dict[int, Failure] = {}
    running: dict[int, str] = {}
    with tqdm(total=len(named), desc=what, disable=None, unit="job") as bar:
        for place, event in events:
            if isinstance(event, Started):
                running[place] = named[place]["name"]
            else:
                running.pop(place, None)
                bar.update()
            if isinstance(event, Failure):
                failed[place] = event
            bar.set_postfix_str(", ".join(running.values()))
    _raise_failures(failed, named)


def _raise_failures(failed: dict[int, Failure], named: Sequence[dict[str, Any]]) -> None:
    """Raise one sentence on what failed; print settings and traces of unexpected errors first."""
    if not failed:
        return
    reasons = {failure.reason for failure in failed.values()}
    broken = {place: failure for place, failure in failed.items() if failure.trace}
    if len(reasons) == 1 and not broken:
        raise UserError(reasons.pop())
    for place, failure in sorted(broken.items()):
        settings = json.dumps(named[place], ensure_ascii=False, default=str)
        print(f"failed: {settings}\n{failure.trace}", file=sys.stderr)
    each = "; ".join(f"{named[place]['name']}: {failed[place].reason}" for place in sorted(failed))
    raise UserError(f"{len(failed)} of {len(named)} jobs failed and the others are done: {each}")


def attempt(work: Work, tries: int, job: Any) -> Failure | None:
    """Run a job; the failure if it has failed. A UserError is not tried again."""
    for left in reversed(range(tries)):
        try:
            work(job)
            return None
        except UserError as error:
            return Failure(str(error))
        except Exception as error:
            if not left:
                reason = " ".join(str(error).split()) or "no message"
                return Failure(f"{type(error).__name__}: {reason}", traceback.format_exc())
    raise AssertionError("a job is tried at least once")


def events(work: Work, jobs: Sequence[Any], most: int | None, tries: int) -> Iterator[Event]:
    """Run jobs in at most so many processes of this machine; their events, as they happen."""
    processes = min(len(jobs), most or os.cpu_count() or 1)
    tried = partial(attempt, work, tries)
    if processes <= 1:
        for place, job in enumerate(jobs):
            yield place, Started()
            yield place, tried(job)
        return
    waiting = deque(range(len(jobs)))
    while waiting:
        # a killed process breaks its pool; the jobs that were running are tried one by one
        suspects = yield from _until_one_is_lost(tried, jobs, waiting, processes)
        for place in suspects:
            yield place, _alone(tried, jobs[place], tries)


def _until_one_is_lost(
    tried: Callable[[Any], Failure | None],
    jobs: Sequence[Any],
    waiting: deque[int],
    processes: int,
) -> Generator[Event, None, list[int]]:
    """Run what waits; returns the places of the jobs that were running when a process died."""
    running: dict[Future[Any], int] = {}
    with _pool(processes) as pool:
        try:
            while waiting or running:
                while waiting and len(running) < processes:
                    running[pool.submit(tried, jobs[waiting[0]])] = waiting[0]
                    yield waiting.popleft(), Started()
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    outcome = future.result()
                    yield running.pop(future), outcome
        except BrokenProcessPool:
            return sorted(running.values())
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return []


def _alone(tried: Callable[[Any], Failure | None], job: Any, tries: int) -> Failure | None:
    """The job in a process of its own, as often as it has tries left, at least once."""
    for _ in range(max(tries - 1, 1)):
        with _pool(1) as pool:
            try:
                return pool.submit(tried, job).result()
            except BrokenProcessPool:
                continue
    return Failure("its process was killed", "(memory may have run out)\n")


def _pool(processes: int) -> ProcessPoolExecutor:
    # forked on Linux: modules are already imported in the new process
    context = get_context("fork" if sys.platform == "linux" else None)
    return ProcessPoolExecutor(processes, mp_context=context, initializer=_quiet)


def _quiet() -> None:
    """No progress bars in worker processes: they would overwrite each other."""
    sys.stderr.isatty = lambda: False  # type: ignore[method-assign]
