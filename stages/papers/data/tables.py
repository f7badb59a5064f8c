"""Tables of the data sets: one row each, with numbers and provenance but no text."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

Stats = Mapping[str, Mapping[str, Any]]
PROVENANCE = ("title", "kind", "stands_for", "owner", "origin", "terms", "private", "task")


def data_table(stats: Stats, missing: Mapping[str, str]) -> pd.DataFrame:
    """One row per data set; `missing` is the share of tokens without a vector, with its kind."""
    return pd.DataFrame(
        [
            {
                "dataset": name,
                **{key: counts[key] for key in PROVENANCE},
                **_sizes(counts),
                "out_of_vector_rate": missing[name],
            }
            for name, counts in stats.items()
        ]
    )


def _sizes(stats: Mapping[str, Any]) -> dict[str, Any]:
    splits = stats["splits"]
    row: dict[str, Any] = {"classes": len(splits["train"]["classes"])}
    for split, counts in splits.items():
        row[split] = counts["documents"]
        row[f"{split}_per_class"] = "/".join(str(n) for n in counts["classes"].values())
    row["mean_length"] = splits["train"]["mean_length"]
    row["max_length"] = max(counts["max_length"] for counts in splits.values())
    row["types"], row["vocabulary"] = stats["types"], stats["vocabulary"]
    row["removed"] = "; ".join(f"{reason} {n}" for reason, n in stats["removed"].items())
    return row


def headline(stats: Stats) -> dict[str, int]:
    """The metrics of the data."""
    splits = [split for counts in stats.values() for split in counts["splits"].values()]
    removed = [counts["removed"] for counts in stats.values()]
    return {
        "datasets": len(stats),
        "documents": sum(split["documents"] for split in splits),
        "tokens": sum(split["tokens"] for split in splits),
        "copies_removed": sum(r.get("copies", 0) + r.get("across_splits", 0) for r in removed),
    }
