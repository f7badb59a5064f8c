"""Tables 1 and 2 of Sun & Lu 2020 and Table 1 of the supplement, beside the published numbers."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from stages.corpora.corpus import Corpus
from stages.papers.sun_lu.evidence import NEUTRAL, Results, of, polar_groups, scores_of
from stages.papers.sun_lu.panels import MODERATE, shown
from stages.statistics.ranks import auc, cliff

PUBLISHED = Path(__file__).with_name("published.csv")
KEYS = ["dataset", "model", "value"]
GROUPS = {"motor": "motorcycles", "med": "medicine"}  # the paper's name -> ours


def published(where: str) -> pd.DataFrame:
    """Numbers of one table or figure of the paper."""
    rows = pd.read_csv(PUBLISHED, dtype={"value": float})
    return rows[rows["where"] == where].drop(columns="where")


def table_1(corpora: Mapping[str, Corpus]) -> pd.DataFrame:
    """Lengths, vocabulary and documents per class, ours beside the paper's."""
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
        rows += [
            {
                "panel": panel,
                "dataset": name,
                "quantity": quantity,
                "published": sizes.get(quantity, np.nan),
                "ours": round(value, 1),
            }
            for quantity, value in ours.items()
        ]
    return pd.DataFrame(rows)


def _published_sizes(panel: str) -> dict[str, float]:
    """The paper's counts with our names of classes; its hockey posts are the positive class."""
    names = {
        "pos": "positive",
        "neg": "negative",
        "rec.motorcycles": "motorcycles",
        "sci.med": "medicine",
        "talk.politics.guns": "guns",
    }
    if panel == "20News I":
        names |= {"pos": "hockey", "neg": "baseball"}
    rows = published("Table 1")
    rows = rows[rows["panel"] == panel]
    sizes = {}
    for quantity, value in zip(rows["quantity"], rows["published"], strict=True):
        split, _, label = quantity.partition("_size_")
        sizes[f"{split}_size_{names[label]}" if label in names else quantity] = value
    return sizes


def table_2(results: Results) -> pd.DataFrame:
    """Accuracy in percent by lambda and model, mean and deviation over seeds, and published."""
    panels = {name: panel for panel, name in results.panels.items()}
    rows = results.scores[results.scores["dataset"].isin(panels)]
    table = rows.groupby(KEYS, sort=False).agg(
        ours=("accuracy", lambda a: 100 * a.mean()),
        sd=("accuracy", lambda a: 100 * a.std(ddof=0)),
        seeds=("seed", "nunique"),
        n=("n", "first"),
    )
    table = table.reset_index().assign(panel=lambda rows: rows["dataset"].map(panels))
    paper = published("Table 2")[["panel", "model", "value", "published"]]
    table = table.merge(paper, on=["panel", "model", "value"], how="left")
    table["difference"] = table["ours"] - table["published"]
    order = ["panel", *KEYS, "published", "ours", "difference", "sd", "seeds", "n"]
    return table[order].round({"ours": 2, "difference": 2, "sd": 2})  # lambda is not rounded


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
    rows = []
    for keys, table in results.tokens.groupby([*KEYS, "seed"], sort=False, dropna=False):
        groups = polar_groups(table)
        if len(groups) < 2:
            continue
        row: dict[str, object] = dict(zip([*KEYS, "seed"], keys, strict=True))
        attention = {g: scores_of(table, g, "attention_score") for g in [*groups, NEUTRAL]}
        if NEUTRAL in attention and attention[NEUTRAL].size:
            for group in groups:
                row[f"auc_{group}"] = auc(attention[group], attention[NEUTRAL]).value
        if set(groups) == {"positive", "negative"}:
            polarity = [scores_of(table, g, "polarity_score") for g in ("positive", "negative")]
            row["auc_polarity"] = auc(*polarity).value
            row["cliff"] = cliff(attention["positive"], attention["negative"]).value
        ranks = table["polarity_score"].abs().rank(), table["attention_score"].rank()
        row["spearman"] = float(np.corrcoef(*ranks)[0, 1])
        rows.append(row)
    runs = results.runs.drop(columns=["encoder", "attention"])
    return pd.DataFrame(rows).merge(runs, on=[*KEYS, "seed"], how="right").round(4)
