"""retrain: adversaries trained from scratch against the runs of a study (AtteFa)."""

from pathlib import Path

from stages.engine import jobs as store
from stages.engine.adversaries import BaseAttention, Opposition, describe_base, train_adversaries
from stages.engine.analyses import save_tables, write_results
from stages.engine.retrain_jobs import jobs_of
from stages.engine.selection import selection
from stages.settings.errors import stage
from stages.settings.params import load


def work(job: Opposition | BaseAttention, folder: Path) -> None:
    """One job: adversaries against some bases, or the attention of one base."""
    tables = describe_base(job) if isinstance(job, BaseAttention) else train_adversaries(job)
    save_tables([tables], folder)


def main() -> None:
    """All adversaries against a study's runs."""
    settings = load()
    chosen = selection(__doc__, lambda study: settings.analysed("retrain", study))
    jobs = {group: jobs_of(settings, chosen.study, group) for group in chosen.groups}
    every = [job for some in jobs.values() for job in some]
    store.run_jobs(work, every, f"retrain {chosen.study}", settings)
    write_results("retrain", chosen, jobs, settings)


if __name__ == "__main__":
    stage(main)
