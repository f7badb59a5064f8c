"""Tables 1 and 2 of Sun & Lu 2020 and Table 1 of the supplement, beside the published numbers."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from stages.corpora.corpus import Corpus
from stages.papers.shared.fidelity import binomial, fidelity
from stages.papers.shared.results import of, shown
from stages.papers.sun_lu.evidence import NEUTRAL, POLAR, Results, polar_groups, values_of
from stages.papers.sun_lu.panels import GENERATED, MODERATE, NOISE, PANELS, RATIOS
from stages.statistics.ranks import auc, cliff, spearman

PUBLISHED = Path(__file__).with_name("published.csv")
KEYS = ["dataset", "model", "value"]
READ_OFF = 2.0  # the error of a number read off a bar chart


def published(where: str) -> pd.DataFrame:
    """Numbers of one table or figure of the paper."""
    rows = pd.read_csv(PUBLISHED, dtype={"value": float})
    return rows[rows["where"] == where].drop(columns="where").dropna(axis=1, how="all")


def table_1(results: Results, corpora: Mapping[str, Corpus]) -> pd.DataFrame:
    """Lengths, vocabulary and documents that DP was trained and scored on, beside the paper's.

    Below them are the training documents of every model.
    """
    rows = []
    for panel, name in shown(PANELS, set(corpora)).items():
        corpus = corpora[name]
        lengths = np.concatenate([part.text.lengths for part in corpus.parts.values()])
        ours = {"avg_length": float(lengths.mean()), "vocab_size": float(len(corpus.types) + 3)}
        for split, part in corpus.parts.items():
            counts = np.bincount(part.labels, minlength=len(corpus.labels))
            for label, n in zip(corpus.labels, counts, strict=True):
                ours[f"{split}_size_{label}"] = float(n)
        trained = results.scores[results.scores["dataset"] == name].groupby("model")
        documents = trained["train_documents"].max().rename("train_size_all_{}".format)
        about = {"panel": panel, "dataset": name}
        rows += [
            about | {"quantity": key, "ours": n} for key, n in (ours | documents.to_dict()).items()
        ]
    table = pd.DataFrame(rows).merge(published("Table 1"), how="left")
    return table[["panel", "dataset", "quantity", "published", "ours"]].round(1)


def table_2(results: Results) -> pd.DataFrame:
    """Accuracy in percent by lambda and model, mean and deviation over seeds, and published."""
    panels = {name: panel for panel, name in results.panels.items()}
    table = results.scores.groupby(KEYS, dropna=False, as_index=False).agg(
        ours=("accuracy", lambda a: 100 * a.mean()),
        sd=("accuracy", lambda a: 100 * a.std(ddof=0)),
        seeds=("seed", "nunique"),
        n=("n", "first"),
    )
    table["panel"] = table["dataset"].map(panels).fillna("generated")
    table = table.merge(published("Table 2"), how="left")
    table["difference"] = table["ours"] - table["published"]
    order = ["panel", *KEYS, "published", "ours", "difference", "sd", "seeds", "n"]
    return table[order].round({"ours": 2, "difference": 2, "sd": 2})  # lambda is not rounded


def fidelity_table(results: Results) -> pd.DataFrame:
    """The accuracies of Table 2 and V.W of Supplement Figure 7 beside ours.

    Counts of documents and of tokens depend on the scale and are left out.
    """
    table = table_2(results)
    shares = table[["published", "ours"]] / 100
    cells = table.assign(
        where="Table 2",
        cell=table["model"].str.upper() + ", lambda " + table["value"].map("{:g}".format),
        own_data=table["panel"] != "SST",
        noise=binomial(shares["published"], table["n"]),
        **shares,
    )
    bars = published("Supplement Figure 7")
    names = [RATIOS["5:1" if ratio == "2:5" else ratio] for ratio in bars["panel"]]
    products = [of(results.runs, name, "dp", MODERATE)["product"].mean() for name in names]
    bars = bars.assign(
        where="Supplement Figure 7",
        cell="V.W, " + bars["panel"],
        dataset=names,
        own_data=True,
        ours=products,
        noise=READ_OFF,
    )
    return fidelity(pd.concat([cells, bars]))


def accuracy_table(results: Results) -> pd.DataFrame:
    """Test accuracy by lambda, one column per model: the mean over seeds and data sets."""
    rows = results.scores[results.scores["dataset"].isin(results.panels.values())]
    means = rows.groupby(["value", "model"])["accuracy"].mean().unstack().round(4).reset_index()
    means.insert(1, "log10_lambda", np.log10(means["value"]))
    return means.rename(columns={"value": "lambda"})


def group_table(results: Results) -> pd.DataFrame:
    """Supplement Table 1: tokens of each group, with the most frequent as examples."""
    rows = []
    for panel, name in results.panels.items():
        table = of(results.tokens, name, "dp", MODERATE).drop_duplicates("token")
        table = table.sort_values("count", ascending=False)
        for group in [*polar_groups(table), NEUTRAL]:
            words = table[table["group"] == group]["word"]
            about = {"panel": panel, "dataset": name, "quantity": group, "ours": len(words)}
            rows.append(about | {"examples": " ".join(words.head(8))})
    table = pd.DataFrame(rows).merge(published("Supplement Table 1"), how="left")
    table = table.rename(columns={"quantity": "group"})
    return table[["panel", "dataset", "group", "published", "ours", "examples"]]


def noise_table(results: Results) -> pd.DataFrame:
    """Data I and Data II by the share of documents with the words of the other class.

    `polarity_size` is the mean absolute polarity score of the words of a class.
    """
    levels = published("Supplement Figure 3").set_index("panel")["published"]
    rows = []
    for percent, (panel, name) in zip(NOISE, GENERATED.items(), strict=True):
        seeds = [table for _, table in of(results.tokens, name, "dp", MODERATE).groupby("seed")]
        polar = [table[table["group"] != NEUTRAL]["polarity_score"].abs().mean() for table in seeds]
        numbers = pd.DataFrame([statistics(table) for table in seeds]).mean()
        about = {"noise_percent": percent, "dataset": name, "seeds": len(seeds)}
        about["polarity_size_published"] = levels.get(panel, np.nan)
        rows.append(about | {"polarity_size": np.mean(polar or np.nan)} | numbers.to_dict())
    return pd.DataFrame(rows).round(4)


def statistics_table(results: Results) -> pd.DataFrame:
    """The numbers behind the scatter plots: one row per model, lambda and seed."""
    keys = [*KEYS, "seed"]
    rows = [
        dict(zip(keys, run, strict=True)) | statistics(table)
        for run, table in results.tokens.groupby(keys, sort=False, dropna=False)
    ]
    runs = results.runs.drop(columns=["encoder", "attention"])
    return (
        pd.DataFrame(rows, columns=None if rows else keys)
        .merge(runs, on=keys, how="right")
        .round(4)
    )


def statistics(table: pd.DataFrame) -> dict[str, float]:
    """AUCs of attention and polarity scores between groups, and the agreement of the two."""
    groups = polar_groups(table)
    pairs = {f"auc_{group}": (auc, "attention_score", group, NEUTRAL) for group in groups}
    if set(groups) == set(POLAR):
        pairs["auc_polarity"] = (auc, "polarity_score", *POLAR)
        pairs["cliff"] = (cliff, "attention_score", *POLAR)
    numbers = {}
    for name, (statistic, column, *both) in pairs.items():
        one, other = (values_of(table, group, column)[None] for group in both)
        if one.size and other.size:
            numbers[name] = float(statistic(one, other)[0])
    rho = spearman(table["polarity_score"].abs().to_numpy(), table["attention_score"].to_numpy())
    return numbers | {"spearman": float(rho)}
