"""The `engine:` section: where jobs run. It changes no result."""

from typing import Literal

from pydantic import model_validator

from stages.settings.section import Count, Section


class Engine(Section):
    """Processes of this machine, or workers of a dask cluster."""

    kind: Literal["local", "dask"]
    scheduler: str | None = None
    tries: Count  # of a job, before it counts as failed

    @model_validator(mode="after")
    def _scheduler_of_its_kind(self) -> "Engine":
        if self.kind == "dask" and not self.scheduler:
            raise ValueError("kind 'dask' needs a scheduler, for example tcp://127.0.0.1:8786")
        return self
