"""Tables of the data sets: one row each, numbers and provenance only, never a word of text."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

Stats = Mapping[str, Mapping[str, Any]]
PROVENANCE = ("title", "kind", "stands_for", "owner", "origin", "terms", "private", "task")


def data_table(stats: Stats, missing: Mapping[str, Mapping[str, float]]) -> pd.DataFrame:
    """One row per data set; `missing` is the share of tokens without a vector, by kind."""
    return pd.DataFrame(
        [
            {
                "dataset": name,
                **{key: found[key] for key in PROVENANCE},
                **_sizes(found),
                "out_of_vector_rate": "; ".join(f"{k} {v}" for k, v in missing[name].items()),
            }
            for name, found in stats.items()
        ]
    )


def _sizes(stats: Mapping[str, Any]) -> dict[str, Any]:
    splits = stats["splits"]
    row: dict[str, Any] = {"classes": len(splits["train"]["classes"])}
    for split, counted in splits.items():
        row[split] = counted["documents"]
        row[f"{split}_per_class"] = "/".join(str(n) for n in counted["classes"].values())
    row["mean_length"] = splits["train"]["mean_length"]
    row["max_length"] = max(counted["max_length"] for counted in splits.values())
    row["types"], row["vocabulary"] = stats["types"], stats["vocabulary"]
    row["removed"] = "; ".join(f"{reason} {n}" for reason, n in stats["removed"].items())
    return row


def headline(stats: Stats) -> dict[str, int]:
    """What `dvc metrics show` prints of the data."""
    splits = [counted for found in stats.values() for counted in found["splits"].values()]
    removed = [found["removed"] for found in stats.values()]
    return {
        "datasets": len(stats),
        "documents": sum(counted["documents"] for counted in splits),
        "tokens": sum(counted["tokens"] for counted in splits),
        "copies_removed": sum(r.get("copies", 0) + r.get("across_splits", 0) for r in removed),
    }
