"""Tables 1-5 of Amini & Kosseim 2022 with the published numbers, procedures and variances."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from stages.papers.amini_kosseim.evidence import (
    BOUNDED,
    Results,
    best_runs,
    informative_mass,
    mean_of,
    runs_of,
    variances,
)
from stages.papers.amini_kosseim.panels import MOCK, MODELS, PANELS, REAL, shown

PUBLISHED = Path(__file__).with_name("published.csv")
QUANTITIES = ("epoch", "f1", "tvd", "jsd", "attefa")


def published() -> pd.DataFrame:
    """The published numbers that are legible."""
    return pd.read_csv(PUBLISHED, dtype={"seed": str}, keep_default_na=False).assign(
        published=lambda t: pd.to_numeric(t["published"]),
        published_sd=lambda t: pd.to_numeric(t["published_sd"], errors="coerce"),
    )


def published_value(
    values: pd.DataFrame,
    where: str,
    panel: str,
    model: str,
    quantity: str,
    column: str = "published",
) -> float:
    """A published number, or its deviation (`published_sd`); NaN where there is none."""
    rows = values[
        (values["where"] == where)
        & (values["panel"] == panel)
        & (values["model"] == model)
        & (values["quantity"] == quantity)
    ]
    return float(rows.iloc[0][column]) if len(rows) else float("nan")


def table_1(stats: Mapping[str, Mapping[str, Any]], stands_for: Mapping[str, str]) -> pd.DataFrame:
    """Data sets: documents of each class and mean length, published | ours."""
    values, names = published(), shown(set(stats))
    rows = []
    for panel in PANELS:
        name = names.get(panel, "")
        row: dict[str, Any] = {"panel": panel, "dataset": name or "not run"}
        row["stands_for"] = stands_for[name] if name else "needs your own copy of the data"
        for split in ("train", "test"):
            sizes = [
                published_value(values, "Table 1", panel, "", f"{split}_{c}")
                for c in ("neg", "pos")
            ]
            length = published_value(values, "Table 1", panel, "", f"{split}_avg_len")
            row |= {f"{split}_published": f"{sizes[0]:.0f}/{sizes[1]:.0f}"}
            row |= {f"{split}_length_published": length, f"{split}": "", f"{split}_length": ""}
            if name:
                own = stats[name]["splits"][split]
                row[split] = "/".join(map(str, own["classes"].values()))
                row[f"{split}_length"] = own["mean_length"]
        rows.append(row)
    return pd.DataFrame(rows)


def table_2(results: Results) -> pd.DataFrame:
    """F1 of the bases: of earlier work, as published, ours."""
    values, names = published(), results.panels
    rows = []
    for panel, dataset in names.items():
        row: dict[str, Any] = {"panel": panel, "dataset": dataset}
        for model in MODELS:
            ours = results.scores
            ours = ours[(ours["dataset"] == dataset) & (ours["model"] == model)]
            row |= {
                f"{model}_earlier": published_value(values, "Table 2", panel, model, "earlier_f1"),
                f"{model}_published": published_value(values, "Table 2", panel, model, "base_f1"),
                f"{model}": float(ours["f1"].iloc[0]) if len(ours) else float("nan"),
                f"{model}_train_documents": int(ours["train_documents"].iloc[0])
                if len(ours)
                else 0,
            }
        rows.append(row)
    return pd.DataFrame(rows).round(3)


def table_3(results: Results) -> pd.DataFrame:
    """Adversaries of the published procedure: mean and population deviation over runs."""
    values = published()
    rows = []
    for panel, dataset in results.panels.items():
        for model, title in MODELS.items():
            runs = runs_of(results, dataset, model)
            if not len(runs):
                continue
            row: dict[str, Any] = {"panel": panel, "dataset": dataset, "model": title}
            for name in QUANTITIES:
                row |= {
                    f"{name}{suffix}_published": published_value(
                        values, "Table 3", panel, model, name, f"published{suffix}"
                    )
                    for suffix in ("", "_sd")
                }
                row |= {name: runs[name].mean(), f"{name}_sd": runs[name].std(ddof=0)}
            interval = mean_of(runs, "attefa", dataset, model)
            row |= {"attefa_low": interval.low, "attefa_high": interval.high}
            row |= {"runs": len(runs), "bases": runs["seed"].nunique()}
            row |= {"collapsed": int(runs["collapsed"].sum()), "n": int(runs["n"].iloc[0])}
            rows.append(row)
    return pd.DataFrame(rows).round(4)


def per_seed(results: Results, where: str, panels: Mapping[str, Any]) -> pd.DataFrame:
    """Tables 4 and 5: every run; the paper's nine, where legible, then ours."""
    values = published()
    values = values[(values["where"] == where) & values["panel"].isin(panels)]
    keys = ["panel", "model", "seed"]
    theirs = values.pivot_table(index=keys, columns="quantity", values="published", sort=False)
    parts = [theirs.reset_index().assign(source="published", dataset="")]
    for panel, dataset in results.among(panels).items():
        for model in MODELS:
            runs = runs_of(results, dataset, model)
            part = runs[["seed", "adversary", *QUANTITIES, "collapsed", "dataset"]]
            parts.append(part.assign(panel=panel, model=model, source="ours"))
    table = pd.concat(parts, ignore_index=True)
    first = ["source", "panel", "dataset", "model", "seed", "adversary"]
    table = table.reindex(columns=[*first, *QUANTITIES, "collapsed"])
    return table.round(4)


def table_4(results: Results) -> pd.DataFrame:
    """Every run on Mock data."""
    return per_seed(results, "Table 4", MOCK)


def table_5(results: Results) -> pd.DataFrame:
    """Every run on real data."""
    return per_seed(results, "Table 5", REAL)


def optimisation(results: Results) -> pd.DataFrame:
    """MLP: AtteFa of every procedure, and of the run of lowest loss over all of them."""
    rows = []
    for panel, dataset in results.panels.items():
        mass = informative_mass(results, dataset, "mlp").mean()
        by_procedure = {name: runs_of(results, dataset, "mlp", name) for name in BOUNDED}
        by_procedure["lowest loss"] = best_runs(results, dataset, "mlp")
        for name, runs in by_procedure.items():
            if not len(runs):
                continue
            row = {"panel": panel, "dataset": dataset, "procedure": name, "runs": len(runs)}
            means = {c: runs[c].mean() for c in ("attefa", "stvd", "sjsd", "loss")}
            collapsed = int(runs["collapsed"].sum())
            rows.append(row | means | {"collapsed": collapsed, "base_informative_mass": mass})
    columns = ["panel", "dataset", "procedure", "runs", "attefa", "stvd", "sjsd", "loss"]
    return pd.DataFrame(rows, columns=[*columns, "collapsed", "base_informative_mass"]).round(4)


def variance(results: Results) -> pd.DataFrame:
    """Variance of AtteFa between bases and between adversaries of a base."""
    return pd.concat([variances(results, model) for model in MODELS], ignore_index=True).round(6)


def attefa_by_mock_set(results: Results) -> pd.DataFrame:
    """Mean AtteFa over the runs of the published procedure, by Mock set and model."""
    rows = [
        {
            "dataset": panel,
            "model": model,
            "label": f"{panel} {model}",
            "attefa": runs_of(results, dataset, model)["attefa"].mean(),
        }
        for panel, dataset in results.among(MOCK).items()
        for model in MODELS
    ]
    return pd.DataFrame(rows, columns=["dataset", "model", "label", "attefa"]).dropna().round(4)
