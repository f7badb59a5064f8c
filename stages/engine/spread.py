"""Jobs over local processes or a dask cluster, as `engine:` in params.yaml says."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from stages.engine import cluster, local
from stages.settings.params import Engine

Job = TypeVar("Job")
Result = TypeVar("Result")


def run_all(
    work: Callable[[Job], Result],
    jobs: Sequence[Job],
    what: str,
    most: int | None,
    engine: Engine,
    about: local.About,
) -> list[Result]:
    """The results in the order of the jobs; `most` bounds the processes of this machine."""
    if engine.kind == "local":
        return local.run_all(work, jobs, what, most, engine.tries, about)
    assert engine.scheduler is not None
    events = cluster.events(work, jobs, engine.scheduler, engine.tries)
    return local.collected(events, jobs, what, about)
