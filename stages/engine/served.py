"""A process of a cluster worker in the project's folder: jobs on stdin, results on stdout.

Started as `python -m stages.engine.served`. It ends with the worker, even in the middle of a job:
another worker may already run that job.
"""

import os
import sys
from queue import SimpleQueue
from threading import Thread
from typing import BinaryIO

Jobs = SimpleQueue[bytes]


def listen(source: BinaryIO, jobs: Jobs) -> None:
    """Read jobs, each after its length in eight bytes; exit when the source closes."""
    while True:
        size = source.read(8)
        job = source.read(int.from_bytes(size, "big"))
        if len(size) < 8:
            os._exit(0)
        jobs.put(job)


def main() -> None:
    """Serve jobs until stdin closes."""
    from cloudpickle import dumps, loads

    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # printed output must not mix with results
    jobs: Jobs = SimpleQueue()
    Thread(target=listen, args=(sys.stdin.buffer, jobs), daemon=True).start()
    while True:
        work, payload = loads(jobs.get())
        result = dumps(work(payload))
        answers.write(len(result).to_bytes(8, "big") + result)
        answers.flush()


if __name__ == "__main__":
    main()
