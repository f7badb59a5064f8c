"""Tables 1 and 2 of Jain & Wallace 2019, and the exhaustive ones behind the figures.

Every row has the published number beside ours: `printed` in the paper, or `released` with the
authors' code. Classes are predicted classes; a model that gives four or more different answers is
not split. Documents without a tau (one token, or a constant measure) are left out of means and
counted; as in the released code they count as not significant.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from stages.papers.jain_wallace.panels import PANELS, Panel
from stages.settings.seeds import generator
from stages.statistics.bootstrap import of_mean

PUBLISHED = Path(__file__).with_name("published.csv")
CELL = ["dataset", "encoder", "attention"]
BINS = ("[0.00,0.25)", "[0.25,0.50)", "[0.50,0.75)", "[0.75,1.00)")
OVERALL = "Overall"
RELEASED_EPSILON = 0.05


def published() -> pd.DataFrame:
    """Numbers of the paper and of its released results, in our names."""
    return pd.read_csv(PUBLISHED, dtype={"class": str}, keep_default_na=False)


def first_seed(table: pd.DataFrame) -> pd.DataFrame:
    """One model per cell: replicas with other seeds answer another question."""
    return table[table["seed"] == table.groupby(["dataset", "model"])["seed"].transform("min")]


def by_class(table: pd.DataFrame) -> pd.DataFrame:
    """Every row twice: under its predicted class, where there are fewer than four, and overall."""
    answers = table.groupby(CELL)["predicted"].transform("nunique")
    classes = table[answers < 4].assign(**{"class": lambda t: t["predicted"].astype(str)})
    return pd.concat([classes, table.assign(**{"class": OVERALL})], ignore_index=True)


def attention_bin(maximum: pd.Series) -> pd.Series:
    """The quarter of [0, 1] that the largest weight lies in."""
    return pd.Series(np.array(BINS)[np.minimum((maximum * 4).astype(int), 3)], maximum.index)


def correlation_table(taus: pd.DataFrame, instances: pd.DataFrame) -> pd.DataFrame:
    """Mean, deviation, interval and significant share of tau for every cell, pair and class."""
    keys = ["dataset", "model", "seed", "instance"]
    joined = first_seed(taus).merge(instances[[*keys, "predicted"]], on=keys)
    rows = []
    for cell, group in by_class(joined).groupby([*CELL, "pair", "class"], sort=False):
        draw = generator(0, *map(str, cell))
        found = of_mean(group["tau"].to_numpy(), draw)
        rows.append(
            dict(zip([*CELL, "pair", "class"], cell, strict=True))
            | {
                "mean": found.value,
                "low": found.low,
                "high": found.high,
                "std": float(np.nanstd(group["tau"])) if found.n else np.nan,
                "sig_frac": float((group["p"] <= 0.05).mean()),
                "top_k_distance": float(group["top_k_distance"].mean()),
                "n": found.n,
                "undefined": int(group["tau"].isna().sum()),
            }
        )
    return with_released(pd.DataFrame(rows), "pair")


def with_released(table: pd.DataFrame, experiment: str | None, name: str = "") -> pd.DataFrame:
    """The table with the mean that the authors released for the same cell, where there is one."""
    known = published()
    known = known[(known["source"] == "released") & (known["statistic"].isin(["mean", "median"]))]
    keys = {
        panel.dataset(set(table["dataset"])): panel.key
        for panel in PANELS
        if panel.dataset(set(table["dataset"]))
    }
    known = known.rename(columns={"experiment": "released_for", "value": "released"})
    known = known[["released_for", "panel", "encoder", "attention", "class", "released"]]
    wanted = table.assign(
        panel=[keys.get(name, "") for name in table["dataset"]],
        released_for=table[experiment] if experiment else name,
    )
    on = ["released_for", "panel", "encoder", "attention", "class"]
    return wanted.merge(known, on=on, how="left").drop(columns=["panel", "released_for"]).round(4)


def permutation_grid(instances: pd.DataFrame) -> pd.DataFrame:
    """Quartiles of the median change by cell, class and largest weight."""
    table = by_class(first_seed(instances))
    table = table.assign(bin=attention_bin(table["max_attention"]))
    grouped = table.groupby([*CELL, "class", "bin"], sort=False)["median"]
    found = grouped.quantile([0.25, 0.5, 0.75]).unstack()
    found.columns = pd.Index(["q25", "median", "q75"])
    found["n"] = grouped.size()
    found = found.reset_index().sort_values([*CELL, "class", "bin"], kind="stable")
    found["experiment"] = "permutation " + found["bin"]
    return with_released(found, "experiment").drop(columns="experiment")


def adversarial_grid(instances: pd.DataFrame) -> pd.DataFrame:
    """Farthest attention by cell, class and epsilon: last iterate as published, and best."""
    rows = []
    for cell, group in by_class(first_seed(instances)).groupby([*CELL, "class", "epsilon"]):
        found = of_mean(group["last"].to_numpy(), generator(0, *map(str, cell)))
        rows.append(
            dict(zip([*CELL, "class", "epsilon"], cell, strict=True))
            | {
                "mean": found.value,
                "low": found.low,
                "high": found.high,
                "median": group["last"].median(),
                "share_above_half": (group["last"] > 0.5).mean(),
                "mean_of_best_iterate": group["best"].mean(),
                "infeasible": int((~group["feasible"]).sum()),
                "n": found.n,
            }
        )
    found = with_released(pd.DataFrame(rows), None, "adversarial")
    found.loc[found["epsilon"] != RELEASED_EPSILON, "released"] = np.nan
    return found


def faithfulness_table(table: pd.DataFrame) -> pd.DataFrame:
    """Mean comprehensiveness and sufficiency of every ranking, with intervals."""
    rows = []
    for cell, group in first_seed(table).groupby([*CELL, "measure"], sort=False):
        row = dict(zip([*CELL, "measure"], cell, strict=True)) | {"n": len(group)}
        for name in ("comprehensiveness", "sufficiency"):
            found = of_mean(group[name].to_numpy(), generator(0, name, *map(str, cell)))
            row |= {name: found.value, f"{name}_low": found.low, f"{name}_high": found.high}
        rows.append(row)
    return pd.DataFrame(rows).round(4)


def table_1(
    stats: Mapping[str, Mapping[str, Any]], scores: pd.DataFrame, stands_for: Mapping[str, str]
) -> pd.DataFrame:
    """Data sets and test scores of BiLSTM with additive attention, printed | ours."""
    known = published()
    known = known[known["experiment"] == "table-1"]
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
            row[f"{column}_printed"] = _printed(known, panel, column)
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


def _printed(known: pd.DataFrame, panel: Panel, column: str) -> str:
    names = {
        "vocabulary": ["vocab_size"],
        "mean_length": ["avg_length"],
        "train": ["train_size"],
        "test": ["test_size"],
        "score": ["test_f1", "test_accuracy", "test_micro_f1"],
    }[column]
    rows = known[(known["panel"] == panel.key) & known["statistic"].isin(names)]
    return "/".join(f"{value:g}" for value in rows.sort_values("class")["value"])


def table_2(grid: pd.DataFrame) -> pd.DataFrame:
    """Tau of attention with gradients (BiLSTM, Average) and leave-one-out (BiLSTM), as printed."""
    known = published()
    known = known[known["source"] == "printed"]
    columns = (
        ("gradient", "bilstm"),
        ("gradient", "average"),
        ("leave_one_out", "bilstm"),
    )
    rows = []
    present = set(grid["dataset"])
    for panel in PANELS:
        printed = known[(known["panel"] == panel.key) & (known["experiment"] != "table-1")]
        ours = grid[(grid["dataset"] == panel.dataset(present)) & (grid["attention"] == "additive")]
        for group in sorted(set(printed["class"])):
            row = {"panel": panel.title, "dataset": panel.dataset(present) or "not run"}
            row["class"] = group
            for measure, encoder in columns:
                row |= _tau_columns(printed, ours, f"attention-{measure}", encoder, group)
            rows.append(row)
    return pd.DataFrame(rows)


def _tau_columns(
    printed: pd.DataFrame, ours: pd.DataFrame, pair: str, encoder: str, group: str
) -> dict[str, Any]:
    """`mean ± std`, significant share and n of one column of Table 2, printed and ours."""
    name = f"{pair.removeprefix('attention-')} {encoder}"
    told = printed[(printed["experiment"] == pair) & (printed["encoder"] == encoder)]
    told = told[told["class"] == group].set_index("statistic")["value"]
    found = ours[(ours["pair"] == pair) & (ours["encoder"] == encoder) & (ours["class"] == group)]
    row: dict[str, Any] = {
        f"{name} printed": f"{told['mean']:.2f} ± {told['std']:.2f}",
        f"{name} printed sig": told["sig_frac"],
        f"{name}": "",
        f"{name} interval": "",
        f"{name} sig": "",
        f"{name} n": 0,
        f"{name} undefined": 0,
    }
    if len(found):
        own = found.iloc[0]
        row[name] = f"{own['mean']:.2f} ± {own['std']:.2f}"
        row[f"{name} interval"] = f"{own['low']:.2f} to {own['high']:.2f}"
        row[f"{name} sig"] = round(own["sig_frac"], 2)
        row[f"{name} n"], row[f"{name} undefined"] = own["n"], own["undefined"]
    return row
