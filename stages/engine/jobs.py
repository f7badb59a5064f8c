"""The job store: finished jobs of training, analyses and retraining under data/jobs/<key>/.

The key of a job is the digest of its payload, of the files it reads and of the code it runs. A
finished job is never run again while its key stays the same; job.json records the digest of every
file it wrote, and files are checked against it before they are used. The store is no output of any
stage: stages link the files they need into their outputs.

Each stage notes the keys it used last, by scale. `python -m stages.engine.jobs` prints the size of
the store; with `--prune` it removes the jobs that no stage used last.
"""

import argparse
import hashlib
import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any

from pydantic_core import to_jsonable_python

from stages.engine import cluster, local
from stages.engine.code import code_digest
from stages.engine.selection import selection
from stages.settings import paths
from stages.settings.errors import UserError, stage
from stages.settings.files import files_below, read_json, remove_others, replacing, write_json
from stages.settings.params import Settings, load

RECORD = "job.json"
RECORDED = ["name", "stage", "study", "architecture", "encoder", "dataset", "runs"]
RECORDED += ["estimate", "seconds", "cpu_seconds"]


@dataclass(frozen=True)
class Job:
    """One unit of work that is spread over processes and kept when done.

    `payload` is what the work gets; it must hold everything that decides the result apart from
    `files` and `code`. `labels` describe the job in its record.
    """

    name: str
    payload: Any
    files: tuple[Path, ...]
    code: tuple[Path, ...]
    labels: dict[str, Any] = field(default_factory=dict)
    estimate: float = 0.0  # of its seconds

    @property
    def settings(self) -> Any:
        """The payload as what JSON can hold."""
        return to_jsonable_python(self.payload)

    @cached_property
    def key(self) -> str:
        """The digest of payload, files and code."""
        files = [(str(path), file_digest(path)) for path in self.files]
        text = json.dumps([self.settings, files, code_digest(self.code)], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    @property
    def folder(self) -> Path:
        """Where its results are kept."""
        return paths.JOBS / self.key


Work = Callable[[Any, Path], None]  # of payload and the folder to write into


def run_jobs(work: Work, jobs: Sequence[Job], what: str, settings: Settings) -> None:
    """Run the jobs that are not in the store, the longest first, on processes or workers."""
    waiting = [job for job in jobs if not finished(job)]
    if len(waiting) < len(jobs):
        done = len(jobs) - len(waiting)
        print(f"{what}: {done} of {len(jobs)} jobs are in the store", file=sys.stderr)
    paths.JOBS.mkdir(parents=True, exist_ok=True)
    waiting.sort(key=lambda job: -job.estimate)
    run, engine = partial(_run, work), settings.engine
    if engine.kind == "local":
        events = local.events(run, waiting, settings.budget.processes, engine.tries)
    else:
        assert engine.scheduler is not None
        events = cluster.events(run, waiting, engine.scheduler, engine.tries)
    named = [{"name": job.name, "settings": job.settings} for job in waiting]
    local.follow(events, named, what)


def note_use(stage_name: str, settings: Settings, jobs: Iterable[Job]) -> None:
    """Note the keys that a stage used at this scale, for `--prune`."""
    paths.JOBS_USED.mkdir(parents=True, exist_ok=True)
    file = paths.JOBS_USED / f"{stage_name}-{settings.scale}.json"
    write_json(file, sorted({job.key for job in jobs}))


def _run(work: Work, job: Job) -> None:
    """One job, written to the store as a whole or not at all."""
    # not at the top: stages without waiting jobs need not load them
    import torch
    from numba.core.event import install_timer

    torch.set_num_threads(1)  # several processes with one thread each beat one with several
    started, cpu = time.perf_counter(), time.process_time()
    compiling: list[float] = []  # seconds; the first job to need a kernel compiles it
    with replacing(job.folder) as folder:
        with install_timer("numba:compile", compiling.append):
            work(job.payload, folder)
        measured = {
            "estimate": round(job.estimate, 3),
            "seconds": round(time.perf_counter() - started, 3),
            "cpu_seconds": round(max(time.process_time() - cpu - sum(compiling), 0.0), 3),
        }
        record = {"name": job.name, **job.labels, **measured, "files": _digests_below(folder)}
        write_json(folder / RECORD, record)


def finished(job: Job) -> bool:
    """Whether the store has the job with every file as it was written; damaged jobs are removed."""
    record = job.folder / RECORD
    if not record.is_file():
        return False
    try:
        files, present = read_json(record)["files"], _digests_below(job.folder)
        damaged = [name for name, digest in files.items() if present.get(name) != digest]
    except (ValueError, KeyError, TypeError):
        damaged = [RECORD]
    if damaged:
        print(f"{job.folder / damaged[0]} is damaged; {job.name} runs again", file=sys.stderr)
        shutil.rmtree(job.folder)
        return False
    return True


def link(job: Job, target: Path) -> None:
    """Link the job's files into a folder of a stage's outputs."""
    if not job.folder.is_dir():
        raise UserError(f"{job.folder} is not in the store; run the stage again, one run at a time")
    for name, path in files_below(job.folder).items():
        if name != RECORD:
            link_file(path, target / name)


def run_corpora(
    work: Work,
    job_of: Callable[[Settings, str, str], Job],
    stage_name: str,
    description: str | None,
    parent: Path,
) -> None:
    """The jobs of all data sets or of those after `--only`; their files in a folder for each.

    `job_of` gives the job of a data set of a group.
    """
    settings = load()
    chosen = selection(description, lambda _: settings.corpora, "corpora")
    jobs = [
        job_of(settings, group, name) for group in chosen.groups for name in settings.members(group)
    ]
    run_jobs(work, jobs, stage_name, settings)
    for job in jobs:
        with replacing(parent / job.labels["dataset"]) as folder:
            link(job, folder)
    if chosen.whole:
        remove_others(parent, [job.labels["dataset"] for job in jobs])
        note_use(stage_name, settings, jobs)


def link_file(path: Path, place: Path) -> None:
    """A hard link, or a copy where the file system has none."""
    place.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(path, place)
    except OSError:
        shutil.copyfile(path, place)


def file_digest(path: Path) -> str:
    """The digest of a file's content, or of all files below a folder."""
    if not path.exists():
        raise UserError(f"{path} is not there; `dvc repro` makes it")
    if path.is_dir():
        digests = _digests_below(path).items()
        text = "".join(f"{name} {digest}\n" for name, digest in digests)
        return hashlib.sha256(text.encode()).hexdigest()
    return _digest_of(path)


def _digests_below(folder: Path) -> dict[str, str]:
    return {name: _digest_of(path) for name, path in files_below(folder).items()}


def _digest_of(path: Path) -> str:
    status = path.stat()
    return _read_digest(path, status.st_size, status.st_mtime_ns, status.st_ino)


@cache
def _read_digest(path: Path, size: int, changed: int, inode: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def records(scale: str) -> list[dict[str, Any]]:
    """What the jobs recorded that stages used last at a scale: labels, estimate, seconds."""
    files = sorted(paths.JOBS_USED.glob(f"*-{scale}.json"))
    places = [paths.JOBS / key / RECORD for file in files for key in read_json(file)]
    found = (read_json(place) for place in places if place.is_file())
    return [{name: record.get(name) for name in RECORDED} for record in found]


def main() -> None:
    """Print the size of the store, or remove what nothing uses."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--prune", action="store_true", help="remove jobs that nothing uses")
    options = arguments.parse_args()
    # also what killed jobs left half-written
    folders = [path for path in sorted(paths.JOBS.glob("*")) if path != paths.JOBS_USED]
    used = {key for file in paths.JOBS_USED.glob("*.json") for key in read_json(file)}
    idle = [folder for folder in folders if folder.name not in used]
    print(f"{len(folders)} jobs, {_megabytes(folders):,.0f} MB; ", end="")
    print(f"{len(idle)} jobs, {_megabytes(idle):,.0f} MB of them used by no stage")
    if options.prune:
        for folder in idle:
            shutil.rmtree(folder)
        print(f"removed {len(idle)} jobs")


def _megabytes(folders: Iterable[Path]) -> float:
    files = (path for folder in folders for path in files_below(folder).values())
    return sum(path.stat().st_size for path in files) / 2**20


if __name__ == "__main__":
    stage(main, note=False)
