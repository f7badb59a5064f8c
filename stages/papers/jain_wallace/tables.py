"""Tables 1 and 2 of Jain & Wallace 2019, and the exhaustive ones behind the figures.

Every row has the published number beside ours: from the `paper`, or `released` with the authors'
code. Classes are predicted classes; a model that gives four or more different answers is not split.
Documents without a tau (one token, or a constant measure) are left out of means and counted; as in
the released code they count as not significant.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from stages.papers.jain_wallace.panels import PANELS, Panel
from stages.settings.seeds import generator
from stages.statistics.bootstrap import Interval, of_mean

PUBLISHED = Path(__file__).with_name("published.csv")
KEYS = ["dataset", "encoder", "attention"]
BINS = ("[0.00,0.25)", "[0.25,0.50)", "[0.50,0.75)", "[0.75,1.00)")
OVERALL = "Overall"
RELEASED_EPSILON = 0.05


def published() -> pd.DataFrame:
    """Numbers of the paper and of its released results, with our names of data sets and models."""
    return pd.read_csv(PUBLISHED, dtype={"class": str}, keep_default_na=False)


def first_seed(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of the first seed of each model."""
    return table[table["seed"] == table.groupby(["dataset", "model"])["seed"].transform("min")]


def by_class(table: pd.DataFrame) -> pd.DataFrame:
    """Every row twice: under its predicted class, where there are fewer than four, and overall."""
    answers = table.groupby(KEYS)["predicted"].transform("nunique")
    classes = table[answers < 4].assign(**{"class": lambda t: t["predicted"].astype(str)})
    return pd.concat([classes, table.assign(**{"class": OVERALL})], ignore_index=True)


def attention_bin(maximum: pd.Series) -> pd.Series:
    """The quarter of [0, 1] of the largest weight."""
    return pd.Series(np.array(BINS)[np.minimum((maximum * 4).astype(int), 3)], maximum.index)


def correlation_table(taus: pd.DataFrame, instances: pd.DataFrame) -> pd.DataFrame:
    """Mean, deviation, interval and significant share of tau for every model, pair and class."""
    keys = ["dataset", "model", "seed", "instance"]
    joined = first_seed(taus).merge(instances[[*keys, "predicted"]], on=keys)
    rows = []
    for names, group in by_class(joined).groupby([*KEYS, "pair", "class"], sort=False):
        interval = of_mean(group["tau"].to_numpy(), generator(0, *map(str, names)))
        rows.append(
            dict(zip([*KEYS, "pair", "class"], names, strict=True))
            | {
                **_mean_columns(interval),
                "std": float(np.nanstd(group["tau"])) if interval.n else np.nan,
                "sig_frac": float((group["p"] <= 0.05).mean()),
                "top_k_distance": float(group["top_k_distance"].mean()),
                "n": interval.n,
                "undefined": int(group["tau"].isna().sum()),
            }
        )
    return with_released(pd.DataFrame(rows), "pair")


def _mean_columns(interval: Interval) -> dict[str, float]:
    return {"mean": interval.value, "low": interval.low, "high": interval.high}


def with_released(table: pd.DataFrame, experiment: str | None, name: str = "") -> pd.DataFrame:
    """The table with the mean that the authors released for the same model, where there is one."""
    released = published()
    released = released[
        (released["source"] == "released") & (released["statistic"].isin(["mean", "median"]))
    ]
    keys = {
        panel.dataset(set(table["dataset"])): panel.key
        for panel in PANELS
        if panel.dataset(set(table["dataset"]))
    }
    on = ["released_for", "panel", "encoder", "attention", "class"]
    released = released.rename(columns={"experiment": "released_for", "value": "released"})
    released = released[[*on, "released"]]
    wanted = table.assign(
        panel=[keys.get(name, "") for name in table["dataset"]],
        released_for=table[experiment] if experiment else name,
    )
    merged = wanted.merge(released, on=on, how="left")
    return merged.drop(columns=["panel", "released_for"]).round(4)


def permutation_grid(instances: pd.DataFrame) -> pd.DataFrame:
    """Quartiles of the median change by model, class and largest weight."""
    table = by_class(first_seed(instances))
    table = table.assign(bin=attention_bin(table["max_attention"]))
    grouped = table.groupby([*KEYS, "class", "bin"], sort=False)["median"]
    quartiles = grouped.quantile([0.25, 0.5, 0.75]).unstack()
    quartiles.columns = pd.Index(["q25", "median", "q75"])
    quartiles["n"] = grouped.size()
    quartiles = quartiles.reset_index().sort_values([*KEYS, "class", "bin"], kind="stable")
    quartiles["experiment"] = "permutation " + quartiles["bin"]
    return with_released(quartiles, "experiment").drop(columns="experiment")


def adversarial_grid(instances: pd.DataFrame) -> pd.DataFrame:
    """Farthest attention by model, class and epsilon: last iterate as published, and best."""
    rows = []
    for names, group in by_class(first_seed(instances)).groupby([*KEYS, "class", "epsilon"]):
        interval = of_mean(group["last"].to_numpy(), generator(0, *map(str, names)))
        rows.append(
            dict(zip([*KEYS, "class", "epsilon"], names, strict=True))
            | {
                **_mean_columns(interval),
                "median": group["last"].median(),
                "share_above_half": (group["last"] > 0.5).mean(),
                "mean_of_best_iterate": group["best"].mean(),
                "infeasible": int((~group["feasible"]).sum()),
                "n": interval.n,
            }
        )
    table = with_released(pd.DataFrame(rows), None, "adversarial")
    table.loc[table["epsilon"] != RELEASED_EPSILON, "released"] = np.nan
    return table


def faithfulness_table(table: pd.DataFrame) -> pd.DataFrame:
    """Mean comprehensiveness and sufficiency of every ranking, with intervals."""
    rows = []
    for names, group in first_seed(table).groupby([*KEYS, "measure"], sort=False):
        row = dict(zip([*KEYS, "measure"], names, strict=True)) | {"n": len(group)}
        for name in ("comprehensiveness", "sufficiency"):
            interval = of_mean(group[name].to_numpy(), generator(0, name, *map(str, names)))
            row |= {name: interval.value}
            row |= {f"{name}_low": interval.low, f"{name}_high": interval.high}
        rows.append(row)
    return pd.DataFrame(rows).round(4)


def tau_table(grid: pd.DataFrame) -> pd.DataFrame:
    """Mean tau of attention and each measure by data set and encoder, additive attention."""
    rows = grid[(grid["class"] == OVERALL) & (grid["attention"] == "additive")]
    rows = rows[rows["pair"].str.startswith("attention-")]
    rows = rows.assign(measure=rows["pair"].str.removeprefix("attention-"), tau=rows["mean"])
    rows["label"] = rows["dataset"] + " " + rows["encoder"] + " " + rows["measure"]
    return rows[["dataset", "encoder", "measure", "label", "tau"]]


def table_1(
    stats: Mapping[str, Mapping[str, Any]], scores: pd.DataFrame, stands_for: Mapping[str, str]
) -> pd.DataFrame:
    """Data sets and test scores of BiLSTM with additive attention, published and ours."""
    paper = published()
    paper = paper[paper["experiment"] == "table-1"]
    best = scores[scores["model"] == "bilstm-additive"].set_index("dataset")
    rows = []
    for panel in PANELS:
        name = panel.dataset(set(stats))
        row: dict[str, Any] = {"panel": panel.title, "dataset": name or "not run"}
        row["stands_for"] = stands_for[name] if name else panel.absent.replace("\n", " ")
        own = _sizes(stats[name]) if name else {}
        if name in best.index:
            score = best.loc[name]
            own["score"] = score["f1"] if panel.task == "classification" else score["accuracy"]
        for column in ("vocabulary", "mean_length", "train", "test", "score"):
            row[f"{column}_published"] = _published_size(paper, panel, column)
            row[column] = own.get(column, "")
        rows.append(row)
    return pd.DataFrame(rows)


def _sizes(stats: Mapping[str, Any]) -> dict[str, Any]:
    splits = stats["splits"]
    few = len(splits["train"]["classes"]) <= 3
    count = {
        split: "/".join(map(str, splits[split]["classes"].values()))
        if few
        else str(splits[split]["documents"])
        for split in ("train", "test")
    }
    own = {"vocabulary": stats["vocabulary"], "mean_length": splits["train"]["mean_length"]}
    return own | count


def _published_size(paper: pd.DataFrame, panel: Panel, column: str) -> str:
    names = {
        "vocabulary": ["vocab_size"],
        "mean_length": ["avg_length"],
        "train": ["train_size"],
        "test": ["test_size"],
        "score": ["test_f1", "test_accuracy", "test_micro_f1"],
    }[column]
    rows = paper[(paper["panel"] == panel.key) & paper["statistic"].isin(names)]
    return "/".join(f"{value:g}" for value in rows.sort_values("class")["value"])


def table_2(grid: pd.DataFrame) -> pd.DataFrame:
    """Tau of attention with gradients (BiLSTM, Average) and with leave-one-out (BiLSTM)."""
    paper = published()
    paper = paper[paper["source"] == "paper"]
    columns = (
        ("gradient", "bilstm"),
        ("gradient", "average"),
        ("leave_one_out", "bilstm"),
    )
    rows = []
    present = set(grid["dataset"])
    for panel in PANELS:
        theirs = paper[(paper["panel"] == panel.key) & (paper["experiment"] != "table-1")]
        ours = grid[(grid["dataset"] == panel.dataset(present)) & (grid["attention"] == "additive")]
        for group in sorted(set(theirs["class"])):
            row = {"panel": panel.title, "dataset": panel.dataset(present) or "not run"}
            row["class"] = group
            for measure, encoder in columns:
                row |= _tau_columns(theirs, ours, f"attention-{measure}", encoder, group)
            rows.append(row)
    return pd.DataFrame(rows)


def _tau_columns(
    theirs: pd.DataFrame, ours: pd.DataFrame, pair: str, encoder: str, group: str
) -> dict[str, Any]:
    """`mean ± std`, significant share and n of one column of Table 2, published and ours."""
    name = f"{pair.removeprefix('attention-')} {encoder}"
    column = theirs[(theirs["experiment"] == pair) & (theirs["encoder"] == encoder)]
    column = column[column["class"] == group].set_index("statistic")["value"]
    chosen = ours[(ours["pair"] == pair) & (ours["encoder"] == encoder) & (ours["class"] == group)]
    row: dict[str, Any] = {
        f"{name} published": f"{column['mean']:.2f} ± {column['std']:.2f}",
        f"{name} published sig": column["sig_frac"],
        f"{name}": "",
        f"{name} interval": "",
        f"{name} sig": "",
        f"{name} n": 0,
        f"{name} undefined": 0,
    }
    if len(chosen):
        own = chosen.iloc[0]
        row[name] = f"{own['mean']:.2f} ± {own['std']:.2f}"
        row[f"{name} interval"] = f"{own['low']:.2f} to {own['high']:.2f}"
        row[f"{name} sig"] = round(own["sig_frac"], 2)
        row[f"{name} n"], row[f"{name} undefined"] = own["n"], own["undefined"]
    return row
