"""Tables of the data sets: one row each, numbers and provenance only, never a word of text."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from stages.settings.datasets import Dataset

Stats = Mapping[str, Mapping[str, Any]]


def data_table(datasets: Mapping[str, Dataset], stats: Stats, vectors: Stats) -> pd.DataFrame:
    """Provenance from params.yaml beside the sizes that preprocess and embed counted."""
    return pd.DataFrame([
        {"dataset": name, **_provenance(datasets[name]), **_sizes(stats[name]),
         "out_of_vector_rate": "; ".join(f"{kind} {rates['tokens']}" for kind, rates
                                         in vectors[name]["out_of_vector"].items())}
        for name in stats
    ])


def _provenance(dataset: Dataset) -> dict[str, Any]:
    return {"title": dataset.title, "kind": dataset.source.kind, "stands_for": dataset.stands_for,
            "owner": dataset.owner, "origin": dataset.origin, "terms": dataset.terms,
            "private": dataset.private, "task": dataset.task}


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
