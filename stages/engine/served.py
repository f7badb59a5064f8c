"""A process that a worker of a cluster keeps in the project's folder: jobs in, answers out.

Started as `python -m stages.engine.served`. It ends with the worker, even in the middle of a job:
another worker may already have been given that job.
"""

import os
import sys
from collections.abc import Callable
from queue import SimpleQueue
from threading import Thread
from typing import Any, BinaryIO

Jobs = SimpleQueue[bytes]


def listen(source: BinaryIO, jobs: Jobs) -> None:
    """Take jobs, each after its length in eight bytes; the end of the source ends the process."""
    while True:
        size = source.read(8)
        job = source.read(int.from_bytes(size, "big"))
        if len(size) < 8:
            os._exit(0)
        jobs.put(job)


def answer(job: bytes, dumps: Callable[[Any], bytes], loads: Callable[[bytes], Any]) -> bytes:
    """What the job's work returns."""
    work, given = loads(job)
    return dumps(work(given))


def main() -> None:
    """Answer until there is nobody to ask."""
    from cloudpickle import dumps, loads

    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever work prints is no answer
    jobs: Jobs = SimpleQueue()
    Thread(target=listen, args=(sys.stdin.buffer, jobs), daemon=True).start()
    while True:
        found = answer(jobs.get(), dumps, loads)
        answers.write(len(found).to_bytes(8, "big") + found)
        answers.flush()


if __name__ == "__main__":
    main()
