"""Tables 1-3 of Serrano & Smith 2019 and the numbers behind Figures 9-13.

Percentages are over documents with more than one item. The published contingency tables draw the
random item as the authors' code does, so they are compared with our rows of mode `as_coded`.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from stages.corpora.corpus import Corpus
from stages.papers.serrano_smith.panels import MODELS, shown

PUBLISHED = Path(__file__).with_name("published.csv")
PAIR = ["dataset", "model"]
QUARTERS = (0.25, 0.5, 0.75)


def published() -> pd.DataFrame:
    """The paper's numbers, with our names of models and rankings."""
    return pd.read_csv(PUBLISHED, keep_default_na=False)


def contingency(single: pd.DataFrame) -> pd.DataFrame:
    """Percentages (both flip, only the top item, only the random one, neither) of every model."""
    top, other = single["top_flips"].astype(float), single["random_flips"]
    parts = single.assign(
        both=top * other,
        only_top=top * (1 - other),
        only_random=(1 - top) * other,
        neither=(1 - top) * (1 - other),
    )
    keys = [*PAIR, "ranking", "mode"]
    columns = ["both", "only_top", "only_random", "neither"]
    table = 100 * parts.groupby(keys, sort=False)[columns].mean()
    table["top_flips"] = table["both"] + table["only_top"]
    table["random_flips"] = table["both"] + table["only_random"]
    table["n"] = parts.groupby(keys, sort=False).size()
    return _with_published(table.reset_index(), columns).round(3)


def _with_published(table: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    """Each percentage with the published one, where the paper reports it."""
    panels = {name: panel for panel, name in shown(set(table["dataset"])).items()}
    values = published()
    values = values[values["where"].isin(["Table 2", "Figure 13"])]
    wide = values.pivot_table(
        index=["panel", "model", "ranking"], columns="quantity", values="value"
    ).reset_index()
    wide = wide.rename(columns={name: f"{name}_published" for name in columns})
    wide["mode"] = "as_coded"
    joined = table.assign(panel=[panels.get(name, "") for name in table["dataset"]])
    return joined.merge(wide, on=["panel", "model", "ranking", "mode"], how="left").drop(
        columns="panel"
    )


def flip_table(multi: pd.DataFrame) -> pd.DataFrame:
    """How much is erased at the first flip, for every model and ranking (first random order)."""
    rows = []
    for key, group in multi[multi["order"] == 0].groupby([*PAIR, "ranking"], sort=False):
        flipped = group[group["count"] > 0]
        to_mean = group[group["count_to_mean"] > 0]
        row: dict[str, Any] = dict(zip([*PAIR, "ranking"], key, strict=True))
        row |= {"n": len(group), "never": int((group["count"] == 0).sum())}
        for name in ("fraction", "mass"):
            quartiles = flipped[name].quantile(list(QUARTERS)) if len(flipped) else [np.nan] * 3
            row |= dict(
                zip([f"{name}_{q}" for q in ("q25", "median", "q75")], quartiles, strict=True)
            )
        row["above_half"] = 100 * (flipped["fraction"] > 0.5).mean()
        row["only_when_empty"] = 100 * (flipped["count"] == flipped["length"]).mean()
        row["fraction_median_to_mean"] = (to_mean["count_to_mean"] / to_mean["length"]).median()
        row["never_to_mean"] = int((group["count_to_mean"] == 0).sum())
        rows.append(row)
    return pd.DataFrame(rows).round(4)


def excluded(instances: pd.DataFrame) -> pd.DataFrame:
    """Documents of a single item, which cannot be erased, and how often any single item flips."""
    grouped = instances.groupby(PAIR, sort=False)
    several = instances[instances["length"] > 1].groupby(PAIR, sort=False)
    return pd.DataFrame(
        {
            "documents": grouped.size(),
            "of_one_item": grouped["length"].apply(lambda n: int((n <= 1).sum())),
            "mean_items": grouped["length"].mean().round(2),
            "any_single_flips": (100 * several["any_single_flips"].mean()).round(2),
        }
    ).reset_index()


def sizes(corpus: Corpus) -> dict[str, float]:
    """A data set in the quantities of Table 1; lengths are of all its documents."""
    parts = corpus.parts
    words = np.concatenate([part.text.lengths for part in parts.values()])
    counts = {
        "avg_words": words.mean(),
        "sd_words": words.std(),
        "n_train_plus_dev": len(parts["train"]) + len(parts["dev"]),
        "n_test": len(parts["test"]),
        "n_classes": len(corpus.labels),
    }
    sentences = [part.sentences.lengths for part in parts.values() if part.sentences is not None]
    if sentences:
        joined = np.concatenate(sentences)
        counts |= {"avg_sentences": joined.mean(), "sd_sentences": joined.std()}
    return {name: round(float(value), 1) for name, value in counts.items()}


def table_1(stats: Mapping[str, Mapping[str, float]]) -> pd.DataFrame:
    """Sizes of the data sets, published | ours; `stats` by data set in the paper's quantities."""
    values = published()
    values = values[values["where"] == "Table 1"]
    rows = []
    for panel, name in shown(set(stats)).items():
        of_panel = values[values["panel"] == panel].set_index("quantity")["value"]
        row: dict[str, Any] = {"panel": panel, "dataset": name}
        for quantity, value in of_panel.items():
            row[f"{quantity}_published"] = value
            row[str(quantity)] = stats[name].get(str(quantity), "")
        rows.append(row)
    return pd.DataFrame(rows)


def table_2(grid: pd.DataFrame) -> pd.DataFrame:
    """HANrnn, top item by attention: all modes, with the published percentages."""
    rows = grid[(grid["model"] == "han-rnn") & (grid["ranking"] == "attention")]
    return rows.drop(columns=["ranking"]).reset_index(drop=True)


def table_3(scores: pd.DataFrame) -> pd.DataFrame:
    """Test accuracy in percent, published | ours."""
    values = published()
    accuracies = values[values["where"] == "Table 3"].set_index(["panel", "model"])["value"]
    ours = scores.set_index(PAIR)
    rows = []
    for panel, name in shown(set(scores["dataset"])).items():
        for model, title in MODELS.items():
            if (name, model) in ours.index:
                own = ours.loc[[(name, model)]].iloc[0]
                rows.append(
                    {
                        "panel": panel,
                        "dataset": name,
                        "model": title,
                        "accuracy_published": accuracies[panel, model],
                        "accuracy": round(100 * own["accuracy"], 1),
                        "n": int(own["n"]),
                    }
                )
    return pd.DataFrame(rows)
