"""A dask cluster of real processes on this machine: a scheduler and workers that can be killed."""

import json
import os
import signal
import subprocess
import sys
import time

from distributed import Client


class Cluster:
    """One scheduler; its workers have one thread each and start in an empty folder."""

    def __init__(self, folder):
        self.folder, self.workers = folder, []
        place = folder / "scheduler.json"
        self.scheduler = self._start("scheduler", "--port", "0", "--scheduler-file", str(place))
        until = time.monotonic() + 600
        while not (place.exists() and place.read_text().strip()):
            assert time.monotonic() < until, "the scheduler did not start"
            time.sleep(0.1)
        self.address = json.loads(place.read_text())["address"]

    def _start(self, what, *arguments):
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
        module = f"distributed.cli.dask_{what}"
        return subprocess.Popen(
            [sys.executable, "-m", module, *arguments, "--host", "127.0.0.1", "--no-dashboard"],
            cwd=self.folder,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=(self.folder / f"{what}.log").open("a"),
        )

    def add(self, count=1):
        for _ in range(count):
            name = f"worker-{len(self.workers)}"
            options = ("--nthreads", "1", "--no-nanny", "--name", name)
            self.workers.append(self._start("worker", self.address, *options))
        alive = sum(worker.poll() is None for worker in self.workers)
        with self.client() as client:
            client.wait_for_workers(alive, timeout=600)

    def client(self):
        return Client(self.address, set_as_default=False, timeout=600)

    def kill_a_busy_one(self, client):
        """SIGKILL to the first worker that is at work."""
        until = time.monotonic() + 600
        while time.monotonic() < until:
            workers = client.scheduler_info(n_workers=-1)["workers"]
            busy = [workers[a]["name"] for a, jobs in client.processing().items() if jobs]
            if busy:
                victim = self.workers[int(str(busy[0]).removeprefix("worker-"))]
                victim.send_signal(signal.SIGKILL)
                victim.wait()
                return
            time.sleep(0.02)
        raise AssertionError("no worker was ever busy")

    def close(self):
        for process in (*self.workers, self.scheduler):
            if process.poll() is None:
                process.terminate()
            process.wait(timeout=300)
