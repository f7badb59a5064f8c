"""Tables 1 and 2 of Sun & Lu 2020 and Table 1 of the supplement, beside the published numbers."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from stages.corpora.corpus import Corpus
from stages.papers.shared.fidelity import binomial, fidelity
from stages.papers.sun_lu.evidence import NEUTRAL, POLAR, Results, of, polar_groups, values_of
from stages.papers.sun_lu.panels import MODERATE, RATIOS, shown
from stages.statistics.ranks import auc, cliff

PUBLISHED = Path(__file__).with_name("published.csv")
KEYS = ["dataset", "model", "value"]
GROUPS = {"motor": "motorcycles", "med": "medicine"}  # the paper's name -> ours
CLASSES = {
    "pos": "positive",
    "neg": "negative",
    "rec.motorcycles": "motorcycles",
    "sci.med": "medicine",
    "talk.politics.guns": "guns",
}
READ_OFF = 2.0  # the error of a number read off a bar chart


def published(where: str) -> pd.DataFrame:
    """Numbers of one table or figure of the paper."""
    rows = pd.read_csv(PUBLISHED, dtype={"value": float})
    return rows[rows["where"] == where].drop(columns="where")


def table_1(results: Results, corpora: Mapping[str, Corpus]) -> pd.DataFrame:
    """Lengths, vocabulary and documents that DP was trained and scored on, beside the paper's.

    Below them are the training documents of every model.
    """
    rows = []
    for panel, name in shown(set(corpora)).items():
        corpus = corpora[name]
        lengths = np.concatenate([part.text.lengths for part in corpus.parts.values()])
        ours = {"avg_length": float(lengths.mean()), "vocab_size": float(len(corpus.types) + 3)}
        for split, part in corpus.parts.items():
            counts = np.bincount(part.labels, minlength=len(corpus.labels))
            for label, n in zip(corpus.labels, counts, strict=True):
                ours[f"{split}_size_{label}"] = float(n)
        sizes = _published_sizes(panel)
        trained = results.scores[results.scores["dataset"] == name].groupby("model")
        for model, n in trained["train_documents"].max().items():
            ours[f"train_size_all_{model}"] = float(n)
            sizes[f"train_size_all_{model}"] = sizes["train_size"]
        about = {"panel": panel, "dataset": name}
        rows += [
            about | {"quantity": key, "published": sizes.get(key, np.nan), "ours": round(value, 1)}
            for key, value in ours.items()
        ]
    return pd.DataFrame(rows)


def _published_sizes(panel: str) -> dict[str, float]:
    """The paper's counts with our names of classes; its hockey posts are the positive class."""
    names = CLASSES | ({"pos": "hockey", "neg": "baseball"} if panel == "20News I" else {})
    rows = published("Table 1")
    rows = rows[rows["panel"] == panel]
    sizes = {"train_size": rows[rows["quantity"].str.startswith("train_")]["published"].sum()}
    for quantity, value in zip(rows["quantity"], rows["published"], strict=True):
        split, _, label = quantity.partition("_size_")
        sizes[f"{split}_size_{names[label]}" if label else quantity] = value
    return sizes


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
    paper = published("Table 2")[["panel", "model", "value", "published"]]
    table = table.merge(paper, on=["panel", "model", "value"], how="left")
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
        sizes = published("Supplement Table 1")
        sizes = sizes[sizes["panel"] == panel].set_index("quantity")["published"]
        sizes = sizes.rename(index=GROUPS)
        for group in [*polar_groups(table), NEUTRAL]:
            chosen = table[table["group"] == group].sort_values("count", ascending=False)
            rows.append(
                {
                    "panel": panel,
                    "dataset": name,
                    "group": group,
                    "published": sizes.get(group, np.nan),
                    "ours": len(chosen),
                    "examples": " ".join(chosen["word"].head(8)),
                }
            )
    return pd.DataFrame(rows)


def statistics_table(results: Results) -> pd.DataFrame:
    """The numbers behind the scatter plots: one row per model, lambda and seed."""
    keys = [*KEYS, "seed"]
    rows = [
        dict(zip(keys, run, strict=True)) | _statistics(table)
        for run, table in results.tokens.groupby(keys, sort=False, dropna=False)
    ]
    runs = results.runs.drop(columns=["encoder", "attention"])
    return (
        pd.DataFrame(rows, columns=None if rows else keys)
        .merge(runs, on=keys, how="right")
        .round(4)
    )


def _statistics(table: pd.DataFrame) -> dict[str, float]:
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
    ranks = table["polarity_score"].abs().rank(), table["attention_score"].rank()
    return numbers | {"spearman": float(np.corrcoef(*ranks)[0, 1])}
