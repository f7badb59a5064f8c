"""Tables 1-3 of Serrano & Smith 2019, the numbers behind Figures 9-13, and their fidelity.

Percentages are over documents with more than one item. The published contingency tables draw the
random item as the authors' code does, so they are compared with our rows of mode `as_coded`.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from stages.corpora.corpus import Corpus
from stages.papers.serrano_smith.panels import MODELS, PANELS
from stages.papers.shared.fidelity import binomial, fidelity
from stages.papers.shared.results import shown

PUBLISHED = Path(__file__).with_name("published.csv")
PAIR = ["dataset", "model"]
BY = ["panel", "model", "ranking"]
SHARES = ["both", "only_top", "only_random", "neither"]
ROUNDING = 0.0005  # of a published share
QUARTILES = {"q25": 0.25, "median": 0.5, "q75": 0.75}


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
    grouped = parts.groupby([*PAIR, "ranking", "mode"], sort=False)
    table = 100 * grouped[SHARES].mean()
    table["top_flips"] = table["both"] + table["only_top"]
    table["random_flips"] = table["both"] + table["only_random"]
    table["n"] = grouped["instance"].nunique()
    table = table.reset_index()
    values = published().pivot_table(index=BY, columns="quantity", values="value")[SHARES]
    values = values.dropna().add_suffix("_published").reset_index().assign(mode="as_coded")
    joined = _with_panel(table).merge(values, on=[*BY, "mode"], how="left")
    return joined.drop(columns="panel").round(3)


def _with_panel(table: pd.DataFrame) -> pd.DataFrame:
    """Our rows with the paper's name of the data set that each stands for."""
    panels = {name: panel for panel, name in shown(PANELS, set(table["dataset"])).items()}
    return table.assign(panel=[panels.get(name, "") for name in table["dataset"]])


def flip_table(multi: pd.DataFrame) -> pd.DataFrame:
    """How much is erased at the first flip, for every model and ranking (first random order)."""
    rows = []
    for key, group in multi[multi["order"] == 0].groupby([*PAIR, "ranking"], sort=False):
        flipped = group[group["count"] > 0]
        to_mean = group[group["count_to_mean"] > 0]
        row: dict[str, Any] = dict(zip([*PAIR, "ranking"], key, strict=True))
        row |= {"n": len(group), "never": int((group["count"] == 0).sum())}
        for name in ("fraction", "mass"):
            row |= {f"{name}_{q}": flipped[name].quantile(at) for q, at in QUARTILES.items()}
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


def sizes(corpus: Corpus, trained: int) -> dict[str, float]:
    """A data set in the quantities of Table 1: lengths are of all its documents.

    `trained` is the number of training documents of a run, which has a budget.
    """
    parts = corpus.parts
    words = np.concatenate([part.text.lengths for part in parts.values()])
    counts = {
        "avg_words": words.mean(),
        "sd_words": words.std(),
        "n_train_plus_dev": trained + len(parts["dev"]),
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
    values = values[values["where"] == "Table 1"].pivot(
        index="panel", columns="quantity", values="value"
    )
    ours = pd.DataFrame(stats).T.rename_axis("dataset").reset_index()
    table = values.add_suffix("_published").reset_index().merge(_with_panel(ours), on="panel")
    columns = ["panel", "dataset"]
    table = table[[*columns, *sorted(set(table) - set(columns))]]
    return table.sort_values("panel", key=lambda panels: panels.map(list(PANELS).index))


def table_2(grid: pd.DataFrame) -> pd.DataFrame:
    """HANrnn, top item by attention: all modes, with the published percentages."""
    rows = grid[(grid["model"] == "han-rnn") & (grid["ranking"] == "attention")]
    return rows.drop(columns=["ranking"]).reset_index(drop=True)


def table_3(cells: pd.DataFrame) -> pd.DataFrame:
    """Test accuracy in percent, published | ours, from the compared percentages."""
    rows = cells[cells["where"] == "Table 3"]
    names = {"value": "accuracy_published", "ours": "accuracy"}
    table = rows.rename(columns=names)[["panel", "dataset", "model", *names.values(), "n"]]
    return table.replace({"model": MODELS}).round({"accuracy": 1}).reset_index(drop=True)


def compared(grid: pd.DataFrame, flips: pd.DataFrame, scores: pd.DataFrame) -> pd.DataFrame:
    """Every published percentage of Tables 2, 3 and Figures 6, 13 with ours and our documents.

    Sizes (Table 1) are not compared: ours are samples.
    """
    accuracy = scores.assign(ours=100 * scores["accuracy"], ranking="")
    accuracy = accuracy.groupby([*PAIR, "ranking"], as_index=False).agg(
        {"ours": "mean", "n": "max"}
    )
    keys = [*PAIR, "ranking", "n"]
    ours = [
        grid[grid["mode"] == "as_coded"].melt(keys, SHARES, "quantity", "ours"),
        flips.assign(n=flips["n"] - flips["never"]).melt(keys, ["above_half"], "quantity", "ours"),
        accuracy.assign(quantity="test_accuracy_pct"),
    ]
    return published().merge(_with_panel(pd.concat(ours)), on=[*BY, "quantity"])


def fidelity_table(cells: pd.DataFrame) -> pd.DataFrame:
    """The compared percentages as shares, with binomial noise and the rounding of the paper."""
    shares = cells[["value", "ours"]] / 100
    own = {names[0] for names in PANELS.values()}
    table = cells.assign(
        cell=cells[["panel", "model", "ranking", "quantity"]].agg(" ".join, axis=1),
        own_data=cells["dataset"].isin(own),
        published=shares["value"],
        ours=shares["ours"],
        noise=binomial(shares.mean(axis=1), cells["n"]) + ROUNDING,
    )
    return fidelity(table)
