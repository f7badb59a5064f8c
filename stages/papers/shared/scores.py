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
    rows = pd.DataFrame([run_row(about) for about in models])
    rows["value"] = ["" if pd.isna(value) else f"{value:g}" for value in rows["value"]]
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
    published = published_scores(models[0]["study"])
    table = table.merge(published, on=KEYS, how="left")
    ours = table["accuracy"].where(table["metric"] != "f1", table["f1"])
    table["difference"] = ours - table["published"]
    table["stands_for"] = table["dataset"].map(stands_for)
    return table.round(4)


def run_scores(models: list[dict[str, Any]]) -> pd.DataFrame:
    """Test scores of every run, and the published score that its gate is measured from.

    A model that the paper prints no score of gets the median of its data set there.
    """
    table = pd.DataFrame([run_row(about) for about in models])
    published = published_scores(models[0]["study"])
    median = published.groupby("dataset").agg(
        metric=("metric", "first"), median=("published", "median")
    )
    exact = published.drop(columns=["metric", "published_in"])
    exact["value"] = pd.to_numeric(exact["value"], errors="coerce")
    table = table.merge(exact, on=KEYS, how="left").merge(median, on="dataset", how="left")
    table["published"] = table["published"].fillna(table.pop("median"))
    return table


def published_scores(study: str) -> pd.DataFrame:
    """The scores that a paper prints, by our data set, model and swept value."""
    table = pd.read_csv(PUBLISHED, dtype={"value": str}, keep_default_na=False)
    return table[table["study"] == study].drop(columns="study")


def run_row(about: dict[str, Any]) -> dict[str, Any]:
    """The keys of a run, its test scores and the documents they rest on."""
    value, test = about["value"], about["scores"]["test"]
    return {
        "dataset": about["dataset"],
        "model": about["name"],
        "value": float("nan") if value is None else float(value),
        "seed": about["seed"],
        **{name: test[name] for name in ("n", "accuracy", "f1", "roc_auc")},
        "train_documents": about["train_documents"],
        "epoch": about["best_epoch"],
        "selected_on": about["selected_on"],
        "per_class": "/".join(map(str, test["per_class"])),
        "commonest": max(test["per_class"]) / test["n"],
    }
