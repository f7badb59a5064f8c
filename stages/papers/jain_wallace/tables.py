"""Tables 1 and 2 of Jain & Wallace 2019, and the exhaustive ones behind the figures.

Rows have the published number beside ours: from the `paper`, or `released` with the authors' code.
Classes are predicted classes; a model that gives four or more different answers is not split.
Documents without a tau (one token, or a constant measure) are left out of means and counted; as in
the released code they count as not significant. Numbers of a model trained several times are means
over its seeds of the number of each; counts of documents are those of a seed.
"""

import itertools
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from stages.papers.jain_wallace.panels import OWN, PANEL_OF, PANELS, REASONS, TASKS
from stages.papers.shared.fidelity import binomial, fidelity
from stages.papers.shared.results import shown
from stages.settings.seeds import generator
from stages.statistics.bootstrap import Interval, hierarchical, interval, mean

PUBLISHED = Path(__file__).with_name("published.csv")
KEYS = ["dataset", "encoder", "attention"]
CELL = ["experiment", "panel", "encoder", "attention", "class", "statistic"]
BINS = ("[0.00,0.25)", "[0.25,0.50)", "[0.50,0.75)", "[0.75,1.00)")
OVERALL = "Overall"
MODEL = ["dataset", "model", "metric"]
RELEASED_EPSILON = 0.05
# differences that training again makes: of tau, of its deviation (95 % of the differences between
# Table 2 and the released tables, two runs of the authors' code), of a divergence
TAU, DEVIATION, DIVERGENCE = 0.1, 0.06, 0.05
SCORES = ["test_f1", "test_accuracy", "test_micro_f1"]


@cache
def published() -> pd.DataFrame:
    """Numbers of the paper and of its released results; every kind of test score is `score`."""
    table = pd.read_csv(PUBLISHED, dtype={"class": str}, keep_default_na=False)
    return table.assign(statistic=table["statistic"].replace(SCORES, "score"))


def published_documents(dataset: str) -> float:
    """How many documents the paper trained on."""
    table = published()
    chosen = (table["panel"] == PANEL_OF[dataset]) & (table["statistic"] == "train_size")
    return float(table.loc[chosen, "value"].sum())


def released_gaps() -> pd.Series:
    """How far apart the released taus with gradients of dot and additive attention are."""
    kind = "experiment == 'attention-gradient' and statistic == 'mean' and `class` == 'Overall'"
    table = published().query(f"source == 'released' and {kind}")
    wide = table.pivot(index=["panel", "encoder"], columns="attention", values="value")
    return (wide["dot"] - wide["additive"]).abs().dropna()


def with_gates(scores: pd.DataFrame) -> pd.DataFrame:
    """Scores of runs; `published` is the authors' score of the same encoder and attention.

    Models with uniform or frozen attention have none: their score is what a claim measures.
    """
    theirs = published().query("source == 'released' and statistic == 'score'")
    names = theirs["panel"] + " " + theirs["encoder"] + "-" + theirs["attention"]
    released = dict(zip(names, theirs["value"], strict=True))
    ours = scores["dataset"].map(PANEL_OF).fillna("") + " " + scores["model"]
    in_table_1 = scores["model"] == "bilstm-additive"
    return scores.assign(published=scores["published"].where(in_table_1, ours.map(released)))


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


def summarised(table: pd.DataFrame, by: list[str], column: str, **others: Any) -> pd.DataFrame:
    """Mean of a column with its interval and count by group, and other aggregates."""
    rows = []
    for names, group in table.groupby(by, sort=False):
        draw = generator(0, column, *map(str, names))
        rows.append([*names, *of_means(group[column], group["seed"], draw)])
    means = pd.DataFrame(rows, columns=[*by, "mean", "low", "high", "n"])
    return means.merge(over_seeds(table, by, **others), on=by)


def of_means(values: pd.Series, seeds: pd.Series, draw: np.random.Generator) -> Interval:
    """The mean over seeds of the mean of values; seeds are resampled, then documents."""
    by_seed = values.dropna().groupby(seeds)
    if not len(by_seed):
        return Interval(np.nan, np.nan, np.nan, 0)
    runs = [[some.to_numpy(np.float64)] for _, some in by_seed]
    return interval(hierarchical(mean, runs, draw), round(by_seed.size().mean()))


def over_seeds(table: pd.DataFrame, by: list[str], **aggregates: Any) -> pd.DataFrame:
    """The mean over seeds of each aggregate, by group, and the number of `seeds`."""
    each = table.groupby([*by, "seed"], sort=False).agg(**aggregates, seeds=("seed", "nunique"))
    groups = each.groupby(by, sort=False)
    means = groups.mean().assign(seeds=groups["seeds"].sum())
    counts = each.select_dtypes("integer").columns
    means[counts] = means[counts].round().astype("int64")
    return means.reset_index()


def correlation_table(taus: pd.DataFrame) -> pd.DataFrame:
    """Mean, deviation, interval and significant share of tau for every model, pair and class."""
    rows = by_class(taus)
    return summarised(
        rows.assign(significant=rows["p"] <= 0.05, missing=rows["tau"].isna()),
        [*KEYS, "pair", "class"],
        "tau",
        std=("tau", lambda values: values.std(ddof=0)),
        sig_frac=("significant", "mean"),
        top_k_distance=("top_k_distance", "mean"),
        undefined=("missing", "sum"),
    ).round(4)


def permutation_grid(instances: pd.DataFrame) -> pd.DataFrame:
    """Quartiles of the median change by model, class and largest weight."""
    table = by_class(instances)
    table = table.assign(bin=attention_bin(table["max_attention"]))
    by = [*KEYS, "class", "bin"]
    quartiles = over_seeds(
        table,
        by,
        q25=("median", lambda changes: changes.quantile(0.25)),
        median=("median", "median"),
        q75=("median", lambda changes: changes.quantile(0.75)),
        n=("median", "size"),
    )
    return quartiles.sort_values(by, kind="stable").round(4)


def adversarial_grid(instances: pd.DataFrame) -> pd.DataFrame:
    """Farthest attention by model, class and epsilon: last iterate as published, and best."""
    rows = by_class(instances)
    return summarised(
        rows.assign(far=rows["last"] > 0.5, none=~rows["feasible"].astype(bool)),
        [*KEYS, "class", "epsilon"],
        "last",
        median=("last", "median"),
        share_above_half=("far", "mean"),
        mean_of_best_iterate=("best", "mean"),
        infeasible=("none", "sum"),
    ).round(4)


def faithfulness_table(table: pd.DataFrame) -> pd.DataFrame:
    """Mean comprehensiveness and sufficiency of every ranking, with intervals."""
    names = ["comprehensiveness", "sufficiency"]
    rows = table.melt([*KEYS, "seed", "measure"], names, "quantity", "loss")
    return summarised(rows, [*KEYS, "measure", "quantity"], "loss").round(4)


def tau_table(grid: pd.DataFrame) -> pd.DataFrame:
    """Mean tau of attention and each measure by data set and encoder, additive attention."""
    rows = grid[(grid["class"] == OVERALL) & (grid["attention"] == "additive")]
    rows = rows[rows["pair"].str.startswith("attention-")].rename(columns={"mean": "tau"})
    rows["measure"] = rows["pair"].str.removeprefix("attention-")
    rows["label"] = rows["dataset"] + " " + rows["encoder"] + " " + rows["measure"]
    return rows[["dataset", "encoder", "measure", "label", "tau"]]


def table_1(models: list[dict[str, Any]], stats: Mapping[str, Any]) -> pd.DataFrame:
    """What the BiLSTM was trained and tested on, and its test score, published and ours."""
    paper = published().query("experiment == 'table-1' and source == 'paper'").sort_values("class")
    base: dict[str, list[dict[str, Any]]] = {}
    for about in models:
        if about["name"] == "bilstm-additive":
            base.setdefault(about["dataset"], []).append(about)
    rows = []
    trained = shown(PANELS, base)
    for panel in PANELS:
        name = trained.get(panel, "")
        own = _sizes(base[name], stats[name], TASKS.get(panel)) if name else {}
        stands_for = (
            stats[name]["stands_for"] if name else REASONS.get(panel, "").replace("\n", " ")
        )
        row = {"panel": panel, "dataset": name or "not run", "stands_for": stands_for}
        for column in ("vocab_size", "avg_length", "train_size", "test_size", "score"):
            theirs = paper[(paper["panel"] == panel) & (paper["statistic"] == column)]["value"]
            row[f"{column}_published"] = "/".join(f"{value:g}" for value in theirs)
            row[column] = own.get(column, "")
        rows.append(row)
    return pd.DataFrame(rows)


def _sizes(
    runs: Sequence[Mapping[str, Any]], stats: Mapping[str, Any], task: str | None
) -> dict[str, Any]:
    """Documents and tokens of a model's runs; training documents are a part of the corpus."""
    about, metric = runs[0], "accuracy" if task else "f1"
    test = about["scores"]["test"]
    classes = test["per_class"] if len(test["per_class"]) <= 3 else [test["n"]]
    return {
        "vocab_size": stats["vocabulary"],
        "avg_length": round(about["train_tokens"] / about["train_documents"], 1),
        "train_size": about["train_documents"],
        "test_size": "/".join(map(str, classes)),
        "score": round(float(np.mean([run["scores"]["test"][metric] for run in runs])), 4),
    }


def table_2(grid: pd.DataFrame) -> pd.DataFrame:
    """Tau of attention with gradients (BiLSTM, Average) and with leave-one-out (BiLSTM)."""
    paper = published().query("source == 'paper' and experiment != 'table-1'")
    keys = ["panel", "class", "pair", "encoder"]
    theirs = paper.rename(columns={"experiment": "pair"})
    theirs = theirs.pivot(index=keys, columns="statistic", values="value").reset_index()
    ours = grid[grid["attention"] == "additive"].assign(panel=grid["dataset"].map(PANEL_OF))
    table = theirs.merge(ours, on=keys, suffixes=("_published", ""))
    order = {panel: place for place, panel in enumerate(PANELS)}
    table = table.assign(place=table["panel"].map(order)).sort_values(["place", "class", "pair"])
    pairs = [[f"{name}_published", name] for name in ("mean", "std", "sig_frac")]
    columns = ["dataset", "class", "pair", "encoder", *itertools.chain(*pairs)]
    return table[[*columns, "low", "high", "n", "undefined", "seeds"]]


def fidelity_table(
    correlation: pd.DataFrame,
    permutation: pd.DataFrame,
    adversarial: pd.DataFrame,
    scores: pd.DataFrame,
) -> pd.DataFrame:
    """Every published number on correlations, shuffled and adversarial attention, and scores."""
    parts = ["encoder", "attention"]
    runs = over_seeds(scores, MODEL, **{name: (name, "mean") for name in ("f1", "accuracy", "n")})
    runs = runs.assign(**{"class": OVERALL, "experiment": "table-1"})
    runs[parts] = runs["model"].str.split("-", n=1, expand=True)
    runs["score"] = runs["f1"].where(runs["metric"] == "f1", runs["accuracy"])
    within = adversarial[adversarial["epsilon"] == RELEASED_EPSILON]
    ours = [
        correlation.rename(columns={"pair": "experiment"}),
        permutation.assign(experiment="permutation " + permutation["bin"]),
        within.assign(experiment="adversarial").drop(columns="median"),
        runs,
    ]
    statistics = ["mean", "std", "sig_frac", "median", "score"]
    keys = [*KEYS, "class", "experiment", "n"]
    cells = pd.concat(ours).melt(keys, statistics, "statistic", "ours")
    cells = cells.assign(panel=cells["dataset"].map(PANEL_OF)).merge(published(), on=CELL)
    experiment, statistic = cells["experiment"], cells["statistic"]
    cells["noise"] = np.select(
        [(statistic == "mean") & (experiment == "adversarial"), statistic == "mean"],
        [DIVERGENCE, TAU],
        np.where(statistic == "std", DEVIATION, binomial(cells["value"].clip(0, 1), cells["n"])),
    )
    where = np.where(experiment == "table-1", "Table 1", "Table 2")
    cells["where"] = np.where(cells["source"] == "paper", where, "released tables")
    model = cells["encoder"] + "-" + cells["attention"]
    cells["cell"] = experiment + " " + model + " " + cells["class"] + " " + statistic
    own = cells["dataset"].isin(OWN)
    return fidelity(cells.assign(own_data=own, published=cells["value"]))
