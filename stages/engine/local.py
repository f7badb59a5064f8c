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
from typing import Any, TypeVar

from tqdm import tqdm

from stages.settings.errors import UserError

Job = TypeVar("Job")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Failure:
    """The outcome of a job that failed."""

    reason: str
    trace: str = ""  # empty for a UserError


class Started:
    """The event that a job was started."""


Event = tuple[int, Any]  # place of the job, and Started, a Failure or what the job returned
About = Callable[[Any], dict[str, Any]]


def run_all(
    work: Callable[[Job], Result],
    jobs: Sequence[Job],
    what: str,
    most: int | None,
    tries: int = 1,
    about: About | None = None,
) -> list[Result]:
    """The results in the order of the jobs, by at most so many processes of this machine."""
    return collected(events(work, jobs, most, tries), jobs, what, about)


def collected(
    events: Iterator[Event], jobs: Sequence[Any], what: str, about: About | None
) -> list[Any]:
    """The results in the order of the jobs; failures raise once all the others are done.

    `about` gives the name of a job and the settings that a failure is reported with.
    """
    named = [about(job) if about else {"name": str(job)[:80]} for job in jobs]
    results: dict[int, Any] = {}
    running: dict[int, str] = {}
    with tqdm(total=len(jobs), desc=what, disable=None, unit="job") as bar:
        for place, event in events:
            if isinstance(event, Started):
                running[place] = named[place]["name"]
            else:
                running.pop(place, None)
                results[place] = event
                bar.update()
            bar.set_postfix_str(", ".join(running.values()))
    _raise_failures(
        {place: event for place, event in results.items() if isinstance(event, Failure)}, named
    )
    return [results[place] for place in range(len(jobs))]


def _raise_failures(failed: dict[int, Failure], named: list[dict[str, Any]]) -> None:
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


def attempt(work: Callable[[Job], Result], tries: int, job: Job) -> Result | Failure:
    """The result of a job or its failure; a UserError is not tried again."""
    for left in reversed(range(tries)):
        try:
            return work(job)
        except UserError as error:
            return Failure(str(error))
        except Exception as error:
            if not left:
                reason = " ".join(str(error).split()) or "no message"
                return Failure(f"{type(error).__name__}: {reason}", traceback.format_exc())
    raise AssertionError("a job is tried at least once")


def events(
    work: Callable[[Job], Result], jobs: Sequence[Job], most: int | None, tries: int
) -> Iterator[Event]:
    """Events of the jobs, as they happen."""
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
    tried: Callable[[Job], Result | Failure],
    jobs: Sequence[Job],
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


def _alone(tried: Callable[[Job], Result | Failure], job: Job, tries: int) -> Any:
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
