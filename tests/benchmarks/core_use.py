"""Core use of a run: schedules of its recorded jobs, in the order of their estimates.

`python -m tests.benchmarks.core_use [jobs.csv]` prints, for each study and stage and for 2 and 8
workers, the share of the workers' time that is spent on jobs if each takes the next job in that
order; beside it that of the order by the recorded seconds themselves, which no estimate can beat by
much. A stage with fewer or less even jobs than workers stays below one in any order.
"""

import argparse
from pathlib import Path

import pandas as pd

from stages.engine.cost import makespan

RECORDED = Path("reports/laptop/run/jobs.csv")
WORKERS = (2, 8)


def core_use(jobs: pd.DataFrame, order: str, workers: int) -> float:
    """The busy share of the workers' time if jobs start by descending `order`."""
    seconds = jobs.sort_values(order, ascending=False, kind="stable")["seconds"]
    return float(seconds.sum() / (workers * makespan(seconds, workers)))


def table(jobs: pd.DataFrame) -> pd.DataFrame:
    """One row for each study and stage."""
    rows = []
    for (study, stage), some in jobs.groupby(["study", "stage"], sort=False):
        row = {"study": study, "stage": stage, "jobs": len(some), "seconds": some["seconds"].sum()}
        row["longest"] = some["seconds"].max()
        for workers in WORKERS:
            row[f"{workers} workers"] = core_use(some, "estimate", workers)
            row[f"{workers}, exact order"] = core_use(some, "seconds", workers)
        rows.append(row)
    return pd.DataFrame(rows).round(3)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("jobs", nargs="?", type=Path, default=RECORDED)
    print(table(pd.read_csv(parser.parse_args().jobs)).to_string(index=False))
