"""Jobs over local processes: one torch thread each, as many processes as there are cores."""

import os
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import TypeVar

from tqdm import tqdm

Job = TypeVar("Job")
Result = TypeVar("Result")


def run_all(
    work: Callable[[Job], Result], jobs: Sequence[Job], what: str, most: int | None
) -> list[Result]:
    """The results in the order of the jobs; the first failure is raised, the rest are dropped."""
    processes = min(len(jobs), most or os.cpu_count() or 1)
    if processes <= 1:
        return [work(job) for job in tqdm(jobs, desc=what, disable=None)]
    # forked where it is safe: processes that start with everything imported start at once
    context = get_context("fork" if sys.platform == "linux" else None)
    with ProcessPoolExecutor(processes, mp_context=context) as pool:
        found = pool.map(work, jobs)
        try:
            return list(tqdm(found, total=len(jobs), desc=what, disable=None))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def one_thread() -> None:
    """Let torch use one thread: several processes with one each beat one with several."""
    import torch

    torch.set_num_threads(1)
