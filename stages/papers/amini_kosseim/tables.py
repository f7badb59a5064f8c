"""Tables 1-5 of Amini & Kosseim 2022 beside the printed numbers, and what stands behind them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from stages.papers.amini_kosseim.evidence import (
    BOUNDED,
    Results,
    best_runs,
    informative_mass,
    known_panels,
    mean_of,
    runs_of,
    variances,
)
from stages.papers.amini_kosseim.panels import MOCK, MODELS, REAL, shown

PUBLISHED = Path(__file__).with_name("published.csv")
QUANTITIES = ("epoch", "f1", "tvd", "jsd", "attefa")


def published() -> pd.DataFrame:
    """The printed numbers that can be read without doubt."""
    return pd.read_csv(PUBLISHED, dtype={"seed": str}, keep_default_na=False).assign(
        published=lambda t: pd.to_numeric(t["published"]),
        published_sd=lambda t: pd.to_numeric(t["published_sd"], errors="coerce"),
    )


def printed(
    known: pd.DataFrame, where: str, panel: str, model: str, quantity: str
) -> tuple[float, float]:
    """A printed number and its deviation; empty where there is none."""
    rows = known[
        (known["where"] == where)
        & (known["panel"] == panel)
        & (known["model"] == model)
        & (known["quantity"] == quantity)
    ]
    if not len(rows):
        return float("nan"), float("nan")
    return float(rows.iloc[0]["published"]), float(rows.iloc[0]["published_sd"])


def table_1(stats: Mapping[str, Mapping[str, Any]], stands_for: Mapping[str, str]) -> pd.DataFrame:
    """Data sets: documents of each class and mean length, printed | ours."""
    known, names = published(), shown(set(stats))
    rows = []
    for panel in known_panels():
        name = names.get(panel, "")
        row: dict[str, Any] = {"panel": panel, "dataset": name or "not run"}
        row["stands_for"] = stands_for[name] if name else "needs your own copy of the data"
        for split in ("train", "test"):
            sizes = [
                printed(known, "Table 1", panel, "", f"{split}_{c}")[0] for c in ("neg", "pos")
            ]
            length = printed(known, "Table 1", panel, "", f"{split}_avg_len")[0]
            row |= {f"{split}_printed": f"{sizes[0]:.0f}/{sizes[1]:.0f}"}
            row |= {f"{split}_length_printed": length, f"{split}": "", f"{split}_length": ""}
            if name:
                own = stats[name]["splits"][split]
                row[split] = "/".join(map(str, own["classes"].values()))
                row[f"{split}_length"] = own["mean_length"]
        rows.append(row)
    return pd.DataFrame(rows)


def table_2(results: Results) -> pd.DataFrame:
    """F1 of the bases: reported by earlier work, printed as reproduced, ours."""
    known, names = published(), results.panels
    rows = []
    for panel, dataset in names.items():
        row: dict[str, Any] = {"panel": panel, "dataset": dataset}
        for model in MODELS:
            ours = results.scores
            ours = ours[(ours["dataset"] == dataset) & (ours["model"] == model)]
            row |= {
                f"{model}_earlier": printed(known, "Table 2", panel, model, "earlier_f1")[0],
                f"{model}_printed": printed(known, "Table 2", panel, model, "base_f1")[0],
                f"{model}": float(ours["f1"].iloc[0]) if len(ours) else float("nan"),
                f"{model}_train_documents": int(ours["train_documents"].iloc[0])
                if len(ours)
                else 0,
            }
        rows.append(row)
    return pd.DataFrame(rows).round(3)


def table_3(results: Results) -> pd.DataFrame:
    """Adversaries of the published procedure: mean and population deviation over runs."""
    known = published()
    rows = []
    for panel, dataset in results.panels.items():
        for model, title in MODELS.items():
            runs = runs_of(results, dataset, model)
            if not len(runs):
                continue
            row: dict[str, Any] = {"panel": panel, "dataset": dataset, "model": title}
            for name in QUANTITIES:
                told = printed(known, "Table 3", panel, model, name)
                row |= {f"{name}_printed": told[0], f"{name}_sd_printed": told[1]}
                row |= {name: runs[name].mean(), f"{name}_sd": runs[name].std(ddof=0)}
            found = mean_of(runs, "attefa", dataset, model)
            row |= {"attefa_low": found.low, "attefa_high": found.high}
            row |= {"runs": len(runs), "bases": runs["seed"].nunique()}
            row |= {"collapsed": int(runs["collapsed"].sum()), "n": int(runs["n"].iloc[0])}
            rows.append(row)
    return pd.DataFrame(rows).round(4)


def per_seed(results: Results, where: str, panels: Mapping[str, Any]) -> pd.DataFrame:
    """Tables 4 and 5: every run; the paper's nine, as far as they can be read, then ours."""
    known = published()
    known = known[(known["where"] == where) & known["panel"].isin(panels)]
    keys = ["panel", "model", "seed"]
    theirs = known.pivot_table(index=keys, columns="quantity", values="published", sort=False)
    parts = [theirs.reset_index().assign(source="printed", dataset="")]
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
    """MLP: AtteFa by every procedure, and of the lowest loss over all of them."""
    rows = []
    for panel, dataset in results.panels.items():
        mass = informative_mass(results, dataset, "mlp").mean()
        found = {name: runs_of(results, dataset, "mlp", name) for name in BOUNDED}
        found["lowest loss"] = best_runs(results, dataset, "mlp")
        for name, runs in found.items():
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
