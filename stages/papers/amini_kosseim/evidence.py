"""Runs of adversaries and their bases, from which the claims of Amini & Kosseim 2022 are decided.

Intervals resample test documents, bases, and the adversaries of each base, because adversaries of
one base are not independent. All runs of a model share their documents, so they share the draws.
"""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import pandas as pd

from stages.papers.amini_kosseim.panels import MODELS, PANELS
from stages.papers.shared.results import StudyResults, of
from stages.papers.shared.rows import FEWEST, Row, row_of_values
from stages.settings.seeds import generator
from stages.statistics.attefa import LARGEST
from stages.statistics.bootstrap import REPEATS, Floats, hierarchical, mean

RUN = ["procedure", "seed", "adversary"]
PUBLISHED = "published"
BOUNDED = (PUBLISHED, "warm", "longer", "held")  # procedures that minimise the published loss
BEST = "lowest loss"
ON_TEST = "mlp-test"  # the MLP at the epoch that is best on test


@dataclass(frozen=True)
class Results(StudyResults):
    """Tidy tables of all retrained adversaries of the study."""

    PANELS = PANELS
    LISTED = "runs"

    runs: pd.DataFrame
    instances: pd.DataFrame
    bases: pd.DataFrame  # one row per document and base: output, length, mass on informative words
    scores: pd.DataFrame  # one row per base: test scores, documents

    def among(self, names: Collection[str]) -> dict[str, str]:
        """The panels with these names that were run."""
        return {panel: dataset for panel, dataset in self.panels.items() if panel in names}


def runs_of(
    results: Results,
    dataset: str,
    model: str,
    procedure: str = PUBLISHED,
    selected_on: str = "dev",
) -> pd.DataFrame:
    """Runs of one procedure against the bases of one model."""
    table = of(results.runs, dataset, model)
    return table[(table["procedure"] == procedure) & (table["selected_on"] == selected_on)]


def optimised(results: Results) -> pd.DataFrame:
    """MLP: runs of all procedures with the published loss, and again the best against each base.

    `way` is the procedure, or BEST for the run of lowest loss.
    """
    pairs = [(dataset, way) for dataset in results.panels.values() for way in BOUNDED]
    tables = [runs_of(results, dataset, "mlp", way) for dataset, way in pairs]
    runs = pd.concat([results.runs[:0], *tables], ignore_index=True)
    best = runs.loc[runs.groupby(["dataset", "seed"], sort=False)["loss"].idxmin()]
    return pd.concat([runs.assign(way=runs["procedure"]), best.assign(way=BEST)])


def published_runs(results: Results) -> pd.DataFrame:
    """Runs of the published procedure on the paper's data sets, with its name of each."""
    keys = [(panel, name, model) for panel, name in results.panels.items() for model in MODELS]
    tables = [runs_of(results, *pair).assign(panel=panel) for panel, *pair in keys]
    return pd.concat(tables) if tables else results.runs[:0].assign(panel="")


def estimates(results: Results, runs: pd.DataFrame, column: str = "attefa") -> Floats:
    """Mean of a column over runs of one model on one data set, and its replicates (1 + repeats,).

    `column` is a mean over documents, or AtteFa. NaN below FEWEST documents.
    """
    dataset, model = runs[["dataset", "model"]].iloc[0]
    table = of(results.instances, dataset, model)
    table = table[table["strength"].isna()]  # not of the swept loss
    wide = table.pivot(index="instance", columns=RUN, values=["stvd", "jsd"])
    if (n := len(wide)) < FEWEST:
        return np.full(1 + REPEATS, np.nan)
    keys = list(runs[RUN].itertuples(index=False, name=None))
    change, divergence = (wide[name][keys].to_numpy(np.float64) for name in ("stvd", "jsd"))
    draw = generator(0, dataset, model, "documents")
    counts = np.vstack([np.ones(n), draw.multinomial(n, np.full(n, 1 / n), REPEATS)]) / n
    stvd, sjsd = counts @ change, counts @ divergence / LARGEST  # (1 + repeats, runs)
    parts = {"stvd": stvd, "sjsd": sjsd, "tvd": stvd / 2, "jsd": sjsd * LARGEST}
    values = np.minimum(stvd / sjsd, 1.0) if column == "attefa" else parts[column]
    return over_bases(values, runs["seed"], dataset, model)


def over_bases(values: Floats, seeds: pd.Series, *names: str) -> Floats:
    """Means (1 + repeats,) of runs (1 + repeats, runs), or of (runs,) that documents do not vary.

    But for the first, bases are resampled, then the adversaries of each.
    """
    draw = generator(0, "bases", *names)
    values = np.broadcast_to(values, (1 + REPEATS, len(seeds)))
    bases = [np.flatnonzero(seeds == seed) for seed in seeds.unique()]
    chosen = draw.integers(0, len(bases), (1 + REPEATS, len(bases)))
    chosen[0] = np.arange(len(bases))
    means = np.empty(chosen.shape)
    for number, runs in enumerate(bases):
        taken = draw.integers(0, len(runs), (*chosen.shape, len(runs)))
        taken[0] = np.arange(len(runs))
        of_base = np.take_along_axis(values[:, None], runs[taken], 2).mean(2)
        means = np.where(chosen == number, of_base, means)
    return np.asarray(means.mean(1))


def row(label: str, values: Floats, *tables: pd.DataFrame) -> Row | None:
    """A row from an estimate and its replicates; it rests on the runs of some tables."""
    if np.isnan(values).all():
        return None
    runs = pd.concat(tables)
    return row_of_values(label, values, int(runs["n"].max()), len(runs), runs["seed"].nunique())


def over_sets(values: Floats, name: str) -> Floats:
    """The mean over data sets, and its replicates, in which data sets are resampled."""
    return hierarchical(mean, [[values]], generator(0, name))


def variances(results: Results) -> pd.DataFrame:
    """Variance of AtteFa between bases and between adversaries of one base."""
    keys = ["panel", "dataset", "model"]
    runs = published_runs(results).groupby([*keys, "seed"], sort=False)["attefa"]
    by_base = runs.agg(["mean", "var", "size"]).groupby(keys, sort=False)
    table = by_base.agg(
        bases=("size", "size"),
        adversaries=("size", "min"),
        between_bases=("mean", "var"),
        between_adversaries=("var", "mean"),
    ).reset_index()
    of_adversaries = table["between_adversaries"] / table["adversaries"]
    table["between_bases"] = (table["between_bases"] - of_adversaries).clip(lower=0)
    return table[(table["bases"] > 1) & (table["adversaries"] > 1)].round(10)
