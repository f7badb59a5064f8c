"""Tables 1 and 2 of Meister et al. 2021 with the published numbers, and means of every model."""

from pathlib import Path

import numpy as np
import pandas as pd

from stages.papers.meister.evidence import Results, by_lambda, of, trend
from stages.papers.meister.panels import BAG, ENCODERS, MODELS
from stages.papers.shared.rules import Row, row_of

MISSING = Row("", np.nan, np.nan, np.nan, 0, 0, 0)
PUBLISHED = Path(__file__).with_name("published.csv")
MODEL = ["dataset", "model", "value"]


def published(where: str, panel: str, model: str) -> pd.Series:
    """The paper's number and deviation; NaN where it has none."""
    rows = pd.read_csv(PUBLISHED)
    rows = rows[(rows["where"] == where) & (rows["panel"] == panel) & (rows["model"] == model)]
    empty = pd.Series({"published": float("nan"), "published_sd": float("nan")})
    return rows.iloc[0][["published", "published_sd"]] if len(rows) else empty


def table_1(results: Results) -> pd.DataFrame:
    """Normalised entropy of the influence of inputs on a state: mean and deviation over documents,
    and over all states of all documents."""
    rows = []
    for model, name in MODELS.items():
        for panel, dataset in results.panels.items():
            chosen, states = (of(t, dataset, model) for t in (results.instances, results.states))
            row = row_of(f"{dataset} {model}", chosen, "entropy_states") or MISSING
            rows.append(
                {
                    "model": name,
                    "panel": panel,
                    "dataset": dataset,
                    **published("Table 1", panel, model),
                    "ours": row.value,
                    "low": row.low,
                    "high": row.high,
                    "sd": chosen["entropy_states"].std(ddof=0),
                    "n": row.documents,
                    "seeds": row.seeds,
                    "over_states": states["entropy"].mean(),
                    "over_states_sd": states["entropy"].std(ddof=0),
                }
            )
    table = pd.DataFrame(rows)
    table["difference"] = table["ours"] - table["published"]
    return table.round(3)


def table_2(results: Results) -> pd.DataFrame:
    """Tau-b between lambda (or the achieved share of zeros) and the entropy of input importance."""
    rows = []
    for encoder, name in ENCODERS.items():
        for panel, dataset in results.panels.items():
            scales = by_lambda(results.instances, dataset, encoder)
            zeros = {k: 1 - float(group["support"].mean()) for k, group in scales.items()}
            label, column = f"{dataset} {encoder}", "entropy_gradient_input"
            by_gradient = trend(label, scales, column) or MISSING
            achieved = trend(label, scales, column, instead=zeros) or MISSING
            removed = trend(label, scales, "entropy_without_input") or MISSING
            pooled = pd.concat([g.assign(scale=k) for k, g in scales.items()]) if scales else None
            whole = (
                float("nan")
                if pooled is None
                else pooled["scale"].corr(pooled["entropy_gradient_input"], method="kendall")
            )
            rows.append(
                {
                    "encoder": name,
                    "panel": panel,
                    "dataset": dataset,
                    "published": published("Table 2", panel, encoder)["published"],
                    "ours": by_gradient.value,
                    "low": by_gradient.low,
                    "high": by_gradient.high,
                    "lambdas": len(scales),
                    "pooled": whole,
                    "with_achieved_sparsity": achieved.value,
                    "leave_one_out": removed.value,
                }
            )
    return pd.DataFrame(rows).round(3)


def model_table(results: Results) -> pd.DataFrame:
    """Every model: accuracy, achieved sparsity, entropies and mean tau-b."""
    columns = [c for c in results.instances.columns if c.startswith("entropy_")]
    means = results.instances.groupby(MODEL, sort=False, dropna=False).agg(
        n=("instance", "size"),
        support=("support", "mean"),
        correct=("correct", "mean"),
        farthest_correct=("farthest_correct", "mean"),
        farthest_jsd=("farthest_jsd", "mean"),
        **{name: (name, "mean") for name in columns},
        **{f"{name}_missing": (name, lambda v: int(v.isna().sum())) for name in columns[:1]},
    )
    taus = results.taus.assign(pair=results.taus["of"] + " " + results.taus["measure"])
    wide = taus.pivot_table(index=MODEL, columns="pair", values="tau", dropna=False)
    wide = wide.dropna(how="all").rename(columns=lambda pair: f"tau {pair}")
    left = means.reset_index().assign(key=lambda t: t["value"].fillna(-1e9))
    right = wide.reset_index().assign(key=lambda t: t["value"].fillna(-1e9)).drop(columns="value")
    joined = left.merge(right, on=["dataset", "model", "key"], how="left").drop(columns="key")
    return joined.round(4)


def baseline_table(results: Results) -> pd.DataFrame:
    """Entropies to compare a "high" entropy with: untrained models, no context, chance."""
    names = ["entropy_gradient_input", "entropy_without_input", "entropy_states", "entropy_chance"]
    trained = results.instances[results.instances["model"].isin([*MODELS, BAG])]
    parts = [trained.assign(state="trained"), results.untrained.assign(state="untrained")]
    return (
        pd.concat(parts)
        .groupby(["dataset", "model", "state"], sort=False)[names]
        .mean()
        .reset_index()
        .round(4)
    )


def correlation(results: Results) -> pd.DataFrame:
    """Mean tau-b of attention and gradients of inputs, by projection: softmax, or lambda."""
    taus = results.taus[results.taus["of"] == "weight"]
    taus = taus[taus["measure"] == "gradient_input"].fillna({"value": 0.0})  # sparsemax: lambda 0
    encoder, kind = taus["model"].str.split("-", n=1, expand=True).to_numpy().T
    softmax = kind == "softmax"
    scale = taus["value"].mask(softmax, -np.inf)  # softmax first
    rows = taus.assign(model=encoder, scale=scale)
    means = rows.groupby(["dataset", "model", "scale"])["tau"].mean().reset_index()
    means["lambda"] = [f"{k:g}" if np.isfinite(k) else "softmax" for k in means["scale"]]
    return means[["lambda", "model", "dataset", "tau"]].round(4)
