"""Jobs over local processes: one torch thread each, as many processes as there are cores."""

import os
from collections.abc import Callable, Sequence
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
    from joblib import Parallel, delayed

    # forked where the system can: processes that start with everything imported cost nothing
    pool = Parallel(
        n_jobs=processes, backend="multiprocessing", return_as="generator", batch_size=1
    )
    return list(
        tqdm(pool(delayed(work)(job) for job in jobs), total=len(jobs), desc=what, disable=None)
    )


def one_thread() -> None:
    """Let torch use one thread: several processes with one each beat one with several."""
    import torch

    torch.set_num_threads(1)
