"""retrain: adversaries trained from scratch against the runs of a study (AtteFa)."""

from pathlib import Path

from stages.engine.adversaries import BaseAttention, Opposition, describe_base, train_adversaries
from stages.engine.analyses import run_study, save_tables
from stages.engine.retrain_jobs import jobs_of
from stages.settings.errors import stage


def work(job: Opposition | BaseAttention, folder: Path) -> None:
    """One job: adversaries against some bases, or the attention of one base."""
    tables = describe_base(job) if isinstance(job, BaseAttention) else train_adversaries(job)
    save_tables([tables], folder)


if __name__ == "__main__":
    stage(lambda: run_study(work, jobs_of, "retrain", __doc__))
