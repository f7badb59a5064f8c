"""Tables 1-5 of Amini & Kosseim 2022 with the published numbers, procedures, fidelity."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from stages.papers.amini_kosseim.evidence import (
    Results,
    estimates,
    optimised,
    published_runs,
    row,
)
from stages.papers.amini_kosseim.panels import MOCK, MODELS, OWN_TEXT, PANELS
from stages.papers.shared import fidelity as shared

PUBLISHED = Path(__file__).with_name("published.csv")
QUANTITIES = ["epoch", "f1", "tvd", "jsd", "attefa"]
KEYS = ["panel", "dataset", "model"]
ROUNDED = {"epoch": 0.5, "f1": 5e-4, "tvd": 5e-4, "jsd": 5e-4, "attefa": 5e-5}  # by as much


def published(where: str, column: str = "published") -> pd.DataFrame:
    """The legible numbers of a published table, a column for each quantity."""
    table = pd.read_csv(PUBLISHED, dtype={"seed": str}, keep_default_na=False)
    table = table[table["where"] == where]
    table[column] = pd.to_numeric(table[column], errors="coerce")
    keys = ["panel", "model", "seed"]
    return table.pivot_table(index=keys, columns="quantity", values=column, sort=False)


def published_size(panel: str) -> int:
    """Training documents of a data set of the paper."""
    sizes = published("Table 1").xs(panel, level="panel").iloc[0]
    return int(sizes["train_neg"] + sizes["train_pos"])


def table_1(results: Results, stats: Mapping[str, Any], names: Mapping[str, str]) -> pd.DataFrame:
    """Data sets: documents of each class and mean length, as published and as tested on.

    Ours are trained on fewer documents, adversaries on fewer still.
    """
    values, rows = published("Table 1").droplevel(["model", "seed"]), []
    trained = {"train": results.scores, "adversaries_train": published_runs(results)}
    for panel in PANELS:
        dataset = results.panels.get(panel, "")
        about: dict[str, Any] = {"panel": panel, "dataset": dataset or "not run"}
        about["stands_for"] = names.get(dataset, "needs your own copy of the data")
        for name, table in trained.items():
            sizes = table[table["dataset"] == dataset].reindex(columns=["model", "train_documents"])
            sizes = sizes[sizes["model"].isin(MODELS)].drop_duplicates()
            about |= {f"{model}_{name}": size for model, size in sizes.to_numpy()}
        for split in ("train", "test"):
            neg, pos, length = values.loc[
                panel, [f"{split}_{c}" for c in ("neg", "pos", "avg_len")]
            ]
            about |= {f"{split}_published": f"{neg:.0f}/{pos:.0f}"}
            about |= {f"{split}_length_published": length}
        if dataset:
            test = stats[dataset]["splits"]["test"]
            about["test"] = "/".join(map(str, test["classes"].values()))
            about["test_length"] = test["mean_length"]
        rows.append(about)
    return pd.DataFrame(rows)


def table_2(results: Results) -> pd.DataFrame:
    """F1 of the bases: of earlier work, as published, ours, and documents trained on."""
    panels = {dataset: panel for panel, dataset in results.panels.items()}
    scores = results.scores[results.scores["model"].isin(MODELS)]
    scores = scores.assign(panel=scores["dataset"].map(panels)).dropna(subset="panel")
    ours = scores.groupby(KEYS, sort=False).agg(
        f1=("f1", "mean"),
        f1_sd=("f1", lambda values: values.std(ddof=0)),
        bases=("seed", "size"),
        n=("n", "first"),
        train_documents=("train_documents", "first"),
    )
    theirs = published("Table 2").droplevel("seed")
    theirs = theirs.rename(columns={"earlier_f1": "f1_earlier", "base_f1": "f1_published"})
    return ours.reset_index().merge(theirs.reset_index(), on=["panel", "model"]).round(4)


def table_3(results: Results) -> pd.DataFrame:
    """Adversaries of the published procedure: mean and population deviation over runs."""
    runs = published_runs(results)
    runs["train_documents"] = runs.get("train_documents")
    grouped = runs.groupby(KEYS, sort=False)
    counts = {"runs": ("seed", "size"), "bases": ("seed", "nunique")}
    counts |= {"collapsed": ("collapsed", "sum")}
    counts |= {name: (name, "first") for name in ("train_documents", "n")}
    intervals = [row("", estimates(results, some), some) for _, some in grouped]
    ends = {f"attefa_{end}": [getattr(i, end, None) for i in intervals] for end in ("low", "high")}
    parts = [grouped[QUANTITIES].mean(), grouped[QUANTITIES].std(ddof=0).add_suffix("_sd")]
    ours = pd.concat([*parts, grouped.agg(**counts)], axis=1).assign(**ends).reset_index()
    for column, suffix in (("published", "_published"), ("published_sd", "_sd_published")):
        theirs = published("Table 3", column).droplevel("seed").add_suffix(suffix)
        ours = ours.merge(theirs.reset_index(), on=["panel", "model"], how="left")
    return ours.round(4)


def per_seed(results: Results, where: str, panels: Collection[str]) -> pd.DataFrame:
    """Tables 4 and 5: runs of the published procedure; ours beside as many of the paper's."""
    ours = published_runs(results)
    ours = ours[ours["panel"].isin(panels)]
    theirs = published(where).reset_index()
    theirs = theirs[theirs["panel"].isin(ours["panel"])]
    place = ["panel", "model", "run"]
    ours, theirs = (
        table.assign(run=table.groupby(["panel", "model"]).cumcount() + 1)
        for table in (ours, theirs)
    )
    table = ours.merge(theirs, on=place, how="outer", suffixes=("", "_published"), sort=False)
    order = list(PANELS).index
    table = table.sort_values(place, key=lambda c: c.map(order) if c.name == "panel" else c)
    both = [name + suffix for name in ("seed", *QUANTITIES) for suffix in ("", "_published")]
    columns = [*place, "dataset", "adversary", *both, "collapsed", "train_documents"]
    return table.reindex(columns=columns).round(4)


def optimisation(results: Results) -> pd.DataFrame:
    """MLP: AtteFa of every procedure, and of the run of lowest loss over all of them."""
    masses = results.bases[results.bases["model"] == "mlp"].groupby("dataset")["informative_mass"]
    table = (
        optimised(results)
        .groupby(["dataset", "way"], sort=False)
        .agg(
            runs=("seed", "size"),
            **{name: (name, "mean") for name in ("attefa", "stvd", "sjsd", "loss")},
            collapsed=("collapsed", "sum"),
        )
    )
    return table.reset_index().merge(masses.mean().reset_index(), how="left").round(4)


def fidelity(results: Results) -> pd.DataFrame:
    """Tables 2 and 3 beside ours; noise is the published deviation, of bases the binomial error."""
    bases = table_2(results).rename(columns={"f1": "ours", "f1_published": "published"})
    bases = bases.assign(where="Table 2", cell="base F1")
    parts = [bases.assign(noise=shared.binomial(bases["published"], bases["n"]))]
    third = table_3(results)
    for name in QUANTITIES:
        columns = {name: "ours", f"{name}_published": "published"}
        noise = third[f"{name}_sd_published"].clip(lower=ROUNDED[name])
        cells = third[[*KEYS, *columns]].rename(columns=columns)
        parts.append(cells.assign(where="Table 3", cell=name, noise=noise))
    cells = pd.concat(parts, ignore_index=True)
    cells["cell"] = [" ".join(key) for key in cells[["panel", "model", "cell"]].to_numpy()]
    return shared.fidelity(cells.assign(own_data=cells["dataset"].isin(OWN_TEXT)))


def attefa_by_mock_set(results: Results) -> pd.DataFrame:
    """Mean AtteFa over the runs of the published procedure, by Mock set and model."""
    runs = published_runs(results)
    runs = runs[runs["panel"].isin(MOCK)]
    means = runs.groupby(["panel", "model"], sort=False)["attefa"].mean().round(4).reset_index()
    label = means["panel"] + " " + means["model"]
    return means.rename(columns={"panel": "dataset"}).assign(label=label)
