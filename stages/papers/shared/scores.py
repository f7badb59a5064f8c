"""Test scores of a study's models beside the published ones.

A published score is of the paper's own data set; ours may be a stand-in, at a smaller scale.
"""

from pathlib import Path
from typing import Any

import pandas as pd

PUBLISHED = Path(__file__).with_name("published_scores.csv")
KEYS = ["dataset", "model", "value"]


def score_table(models: list[dict[str, Any]], stands_for: dict[str, str]) -> pd.DataFrame:
    """One row per data set and model: mean and deviation over seeds, and the published score.

    `models` are the contents of model.json of one study.
    """
    rows = pd.DataFrame([_row(about) for about in models])
    grouped = rows.groupby(KEYS, sort=False, dropna=False)
    table = grouped.agg(
        seeds=("accuracy", "size"),
        n=("n", "first"),
        train_documents=("train_documents", "first"),
        epoch=("epoch", "median"),
        accuracy=("accuracy", "mean"),
        accuracy_sd=("accuracy", lambda values: values.std(ddof=0)),
        f1=("f1", "mean"),
        roc_auc=("roc_auc", "mean"),
        selected_on=("selected_on", "first"),
        per_class=("per_class", "first"),
    ).reset_index()
    published = pd.read_csv(PUBLISHED, dtype={"value": str}, keep_default_na=False)
    published = published[published["study"] == models[0]["study"]].drop(columns="study")
    table = table.merge(published, on=KEYS, how="left")
    ours = table["accuracy"].where(table["metric"] != "f1", table["f1"])
    table["difference"] = ours - table["published"]
    table["stands_for"] = table["dataset"].map(stands_for)
    return table.round(4)


def _row(about: dict[str, Any]) -> dict[str, Any]:
    test = about["scores"]["test"]
    value = about["value"]
    return {
        "dataset": about["dataset"],
        "model": about["name"],
        "value": "" if value is None else f"{value:g}",
        "train_documents": about["train_documents"],
        "epoch": about["best_epoch"],
        "selected_on": about["selected_on"],
        "per_class": "/".join(map(str, test["per_class"])),
        **{name: test[name] for name in ("n", "accuracy", "f1", "roc_auc")},
    }


def confusion(models: list[dict[str, Any]]) -> pd.DataFrame:
    """Test scores with the counts behind them, one row per data set and model, first seed."""
    rows = []
    for about in models:
        test = about["scores"]["test"]
        rows.append(
            {
                "dataset": about["dataset"],
                "model": about["run"].split("+")[0],
                "seed": about["seed"],
                "n": test["n"],
                "accuracy": test["accuracy"],
                "f1": test["f1"],
                "positives": test["per_class"][1],
                "predicted_positives": test["predicted_per_class"][1],
                "commonest": max(test["per_class"]) / test["n"],
            }
        )
    return pd.DataFrame(rows).sort_values("seed").drop_duplicates(["dataset", "model"])


def run_scores(models: list[dict[str, Any]]) -> pd.DataFrame:
    """Accuracy of every run on test."""
    return pd.DataFrame([run_row(about) for about in models])


def run_row(about: dict[str, Any]) -> dict[str, Any]:
    """The keys of a run, its test accuracy and the number of test documents."""
    value, test = about["value"], about["scores"]["test"]
    return {
        "dataset": about["dataset"],
        "model": about["name"],
        "value": float("nan") if value is None else float(value),
        "seed": about["seed"],
        "n": test["n"],
        "accuracy": test["accuracy"],
        "commonest": max(test["per_class"]) / test["n"],
    }
