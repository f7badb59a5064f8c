"""Tables 1 and 2 of Meister et al. 2021 with the published numbers, and means of every model."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from stages.papers.meister.evidence import Results, tau_of, trend, with_lambda
from stages.papers.meister.panels import BAG, ENCODERS, MODELS, OURS, PANELS
from stages.papers.shared.fidelity import binomial, fidelity
from stages.papers.shared.results import of
from stages.papers.shared.rows import NO_ROW, Row, row_of

PUBLISHED = Path(__file__).with_name("published.csv")
MODEL = ["dataset", "model", "value"]
SPREAD = "entropy_gradient_input"


def _with_published(rows: list[dict[str, Any]], where: str, names: dict[str, str]) -> pd.DataFrame:
    """The rows with the paper's number and deviation, NaN where it has none, and full names."""
    cells = pd.read_csv(PUBLISHED).query("where == @where").drop(columns="where")
    table = pd.DataFrame(rows).merge(cells, on=["panel", "model"], how="left")
    difference = table["ours"] - table["published"]
    return table.assign(difference=difference, model=table["model"].map(names)).round(3)


def _cell(model: str, panel: str, dataset: str, row: Row) -> dict[str, Any]:
    names = {"model": model, "panel": panel, "dataset": dataset}
    return names | {"ours": row.value, "low": row.low, "high": row.high}


def table_1(results: Results) -> pd.DataFrame:
    """Normalised entropy of the influence of inputs on a state: mean and deviation over documents,
    and over all states of all documents."""
    rows = []
    for model in MODELS | OURS:
        for panel, dataset in results.panels.items():
            tables = (results.instances, results.states, results.scores)
            chosen, states, scores = (of(table, dataset, model) for table in tables)
            if model in OURS and not len(chosen):
                continue
            row = row_of(f"{dataset} {model}", chosen, "entropy_states") or NO_ROW
            rows.append(
                _cell(model, panel, dataset, row)
                | {
                    "sd": chosen["entropy_states"].std(ddof=0),
                    "n": row.documents,
                    "seeds": row.seeds,
                    "train_documents": scores["train_documents"].max(),
                    "accuracy": scores["accuracy"].mean(),
                    "over_states": states["entropy"].mean(),
                    "over_states_sd": states["entropy"].std(ddof=0),
                }
            )
    return _with_published(rows, "Table 1", MODELS | OURS)


def table_2(results: Results) -> pd.DataFrame:
    """Tau-b between lambda (or the achieved share of zeros) and the entropy of input importance."""
    rows = []
    for encoder in ENCODERS:
        for panel, dataset in results.panels.items():
            table = with_lambda(results.instances, dataset, encoder)
            table = table.assign(zeros=1 - table["support"])
            label = f"{dataset} {encoder}"
            row = trend(label, table, SPREAD) or NO_ROW
            achieved = trend(label, table, SPREAD, against="zeros") or NO_ROW
            left_out = trend(label, table, "entropy_without_input") or NO_ROW
            rows.append(
                _cell(encoder, panel, dataset, row)
                | {
                    "lambdas": table["lambda"].nunique(),
                    "pooled": table["lambda"].corr(table[SPREAD], method="kendall"),
                    "with_achieved_sparsity": achieved.value,
                    "leave_one_out": left_out.value,
                }
            )
    return _with_published(rows, "Table 2", ENCODERS).drop(columns="published_sd")


def fidelity_table(results: Results) -> pd.DataFrame:
    """Tables 1 and 2 as cells; tau is a share of concordant pairs of lambdas, so binomial."""
    first, second = table_1(results), table_2(results)
    pairs = second["lambdas"] * (second["lambdas"] - 1) / 2
    noise = 2 * binomial((1 + second["published"]) / 2, pairs.clip(lower=1))
    cells = pd.concat(
        [
            first.assign(where="Table 1", noise=first["published_sd"]),
            second.assign(where="Table 2", noise=noise),
        ],
        ignore_index=True,
    )
    own = [PANELS[panel][0] for panel in cells["panel"]] == cells["dataset"]
    return fidelity(cells.assign(cell=cells["model"] + ", " + cells["panel"], own_data=own))


def model_table(results: Results) -> pd.DataFrame:
    """Every model: accuracy, achieved sparsity, entropies, distant attention, mean tau-b."""
    groups = results.instances.groupby(MODEL, sort=False, dropna=False)
    keys = [*MODEL, "encoder", "attention", "seed", "instance", "label"]
    means = groups[results.instances.columns.drop(keys).tolist()].mean().reset_index()
    means.insert(len(MODEL), "n", groups.size().to_numpy())
    means["entropy_missing"] = groups["entropy_attention"].agg(lambda v: v.isna().sum()).to_numpy()
    taus = results.taus.assign(pair="tau " + results.taus["of"] + " " + results.taus["measure"])
    wide = taus.groupby([*MODEL, "pair"], dropna=False)["tau"].mean().unstack("pair")
    return means.merge(wide.reset_index(), on=MODEL, how="left").round(4)


def baseline_table(results: Results) -> pd.DataFrame:
    """Entropies to compare a "high" entropy with: untrained models, no context, chance."""
    names = [SPREAD, "entropy_without_input", "entropy_states", "entropy_chance"]
    trained = results.instances[results.instances["model"].isin([*MODELS, *OURS, BAG])]
    parts = [trained.assign(state="trained"), results.untrained.assign(state="untrained")]
    groups = pd.concat(parts).groupby(["dataset", "model", "state"], sort=False)
    return groups[names].mean().reset_index().round(4)


def correlation(results: Results) -> pd.DataFrame:
    """Mean tau-b of attention and gradients of inputs, by projection: softmax, or lambda."""
    taus = tau_of(results.taus, "gradient_input").fillna({"value": 0.0})  # sparsemax: lambda 0
    encoder, kind = taus["model"].str.split("-", n=1, expand=True).to_numpy().T
    scale = taus["value"].mask(kind == "softmax", -np.inf)  # softmax first
    rows = taus.assign(model=encoder, scale=scale)
    means = rows.groupby(["dataset", "model", "scale"])["tau"].mean().reset_index()
    means["lambda"] = [f"{k:g}" if np.isfinite(k) else "softmax" for k in means["scale"]]
    return means[["lambda", "model", "dataset", "tau"]].round(4)
