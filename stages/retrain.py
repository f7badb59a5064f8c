"""retrain: adversaries trained from scratch against the runs of a study (AtteFa)."""

from pathlib import Path
from typing import Any

from stages.engine import jobs as store
from stages.engine.adversaries import base_attention, train_adversaries
from stages.engine.analyses import save_tables, with_keys, write_results
from stages.engine.retrain_jobs import adversary_jobs, base_jobs
from stages.engine.selection import selection
from stages.settings.errors import stage
from stages.settings.params import load


def work(payload: tuple[Any, ...], folder: Path) -> None:
    """One job: adversaries against some bases, or the attention of one base."""
    kind, *rest = payload
    if kind == "base":
        base, filler = rest
        save_tables([with_keys(base_attention(base, filler), base)], folder)
    else:
        save_tables([train_adversaries(*rest)], folder)


def main() -> None:
    """All adversaries against a study's runs."""
    settings = load()
    chosen = selection(__doc__, lambda study: settings.analysed("retrain", study))
    jobs = {
        group: [
            *adversary_jobs(settings, chosen.study, group),
            *base_jobs(settings, chosen.study, group),
        ]
        for group in chosen.groups
    }
    every = [job for some in jobs.values() for job in some]
    store.run_jobs(work, every, f"retrain {chosen.study}", settings)
    write_results("retrain", chosen, jobs, settings)


if __name__ == "__main__":
    stage(main)
