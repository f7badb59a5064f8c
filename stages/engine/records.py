"""What finished jobs recorded, summed by kind: plans of other runs are computed from it."""

from collections.abc import Iterable
from typing import Any

import pandas as pd

KIND = ["stage", "study", "architecture", "encoder"]  # jobs of one kind cost alike per token


def job_table(records: Iterable[dict[str, Any]]) -> pd.DataFrame:
    """Recorded jobs summed by kind and data set: what later plans are computed from."""
    columns = [*KIND, "dataset"]
    rows = [record for record in records if record.get("tokens")]
    if not rows:
        return pd.DataFrame(columns=[*columns, "jobs", "tokens", "length", "cpu_seconds"])
    grouped = pd.DataFrame(rows).groupby(columns, sort=True)
    summed = grouped.agg(
        jobs=("name", "size"),
        tokens=("tokens", "sum"),
        length=("length", "mean"),
        cpu_seconds=("cpu_seconds", "sum"),
    )
    return summed.reset_index().round({"length": 2, "cpu_seconds": 2})
