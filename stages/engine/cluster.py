"""Jobs over the workers of a dask cluster that share this folder (dask.distributed, an extra).

A worker outlives the stage, so it does not import the project: it passes each job to a process
started in the project's folder (`stages.engine.served`), a new one whenever the code changes. Jobs
of a lost worker are passed to another.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from stages.engine.code import STAGES, code_digest
from stages.engine.local import Event, Failure, Work, attempt
from stages.settings.errors import UserError

SECONDS = 20  # for the scheduler to answer


def events(work: Work, jobs: Sequence[Any], scheduler: str, tries: int) -> Iterator[Event]:
    """Run jobs on the workers of a scheduler; their events, as they happen."""
    distributed, dumps, loads = _library()
    tried = partial(attempt, work, tries)
    # the version changes with the code, so that no process runs an older one
    folder, version = str(Path.cwd()), code_digest(STAGES.rglob("*.py"))

    def run(job: bytes) -> bytes:  # a local function: dask cannot pickle it by name, only by value
        return served(folder, version, job)

    with _client(distributed, scheduler) as client:
        if not client.scheduler_info(n_workers=-1)["workers"]:
            print(f"{scheduler} has no worker yet; the jobs wait for one", file=sys.stderr)
        futures = {
            client.submit(run, dumps((tried, job)), pure=False, retries=tries - 1): place
            for place, job in enumerate(jobs)
        }
        for future in distributed.as_completed(list(futures), loop=client.loop):
            yield futures[future], _outcome(future, scheduler, loads)
            future.release()


def _outcome(future: Any, scheduler: str, loads: Callable[[bytes], Any]) -> Any:
    if future.cancelled():
        raise UserError(f"engine.scheduler: {scheduler} was lost with its jobs")
    if future.status == "finished":
        return loads(future.result())
    error = future.exception()
    reason = f"{type(error).__name__}: {' '.join(str(error).split())}"
    return Failure(reason, f"{reason}\n")


def served(folder: str, version: str, job: bytes) -> bytes:
    """Runs on a worker, without importing the project: the result of the thread's own process."""
    import os
    import subprocess
    import sys
    import threading

    from distributed import get_worker

    if not os.path.isdir(os.path.join(folder, "stages")):
        raise RuntimeError(f"worker {get_worker().address} does not see the folder {folder}")
    processes = vars(get_worker()).setdefault("processes_of_the_project", {})
    place = threading.get_ident()
    known, process = processes.get(place, (None, None))
    if known != (folder, version) or process.poll() is not None:
        if process is not None:
            process.stdin.close()  # it ends
            process.wait()
        process = subprocess.Popen(
            [sys.executable, "-m", "stages.engine.served"],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        processes[place] = ((folder, version), process)
    try:
        process.stdin.write(len(job).to_bytes(8, "big") + job)
        process.stdin.flush()
        size = process.stdout.read(8)
        answer: bytes = process.stdout.read(int.from_bytes(size, "big"))
    except BrokenPipeError:
        size = b""
    if len(size) < 8:
        raise RuntimeError(f"the process of a job ended with code {process.wait()}")
    return answer


def _library() -> tuple[Any, Callable[[Any], bytes], Callable[[bytes], Any]]:
    try:
        import distributed
        from cloudpickle import dumps, loads, register_pickle_by_value
    except ImportError:
        raise UserError(
            "engine.kind: dask needs the package distributed, which is not installed; "
            "install it (requirements.txt names the version) or choose local"
        ) from None
    register_pickle_by_value(sys.modules[__name__])  # workers need no module of the project
    return distributed, dumps, loads


def _client(distributed: Any, scheduler: str) -> Any:
    try:
        return distributed.Client(scheduler, timeout=SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise UserError(
            f"engine.scheduler: no dask scheduler answers at {scheduler} ({type(error).__name__}); "
            "start one with `dask scheduler`, or set engine.kind to local"
        ) from None
