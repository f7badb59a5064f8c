"""Per-document values behind the claims of Meister et al. 2021, by data set and model."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from stages.papers.meister.panels import ENCODERS, MODELS, PANELS
from stages.papers.shared.results import StudyResults
from stages.papers.shared.rows import FEWEST, Row, row_of_values
from stages.settings.seeds import generator
from stages.statistics.bootstrap import hierarchical
from stages.statistics.kendall import kendall_of_samples


@dataclass(frozen=True)
class Results(StudyResults):
    """Tidy tables of all runs of the study."""

    PANELS = PANELS
    LISTED = "instances"

    instances: pd.DataFrame
    states: pd.DataFrame
    taus: pd.DataFrame
    untrained: pd.DataFrame
    scores: pd.DataFrame  # one row per run: accuracy on test, documents
    retrained: pd.DataFrame  # documents under adversarial models

    def models(self, *projections: str) -> list[tuple[str, str]]:
        """(data set, model) of the paper's models that were run, with these projections or all."""
        present = set(zip(self.instances["dataset"], self.instances["model"], strict=True))
        pairs = [(dataset, model) for dataset in self.panels.values() for model in MODELS]
        return [pair for pair in pairs if pair in present and pair[1].endswith(projections or "")]

    def encoders(self) -> list[tuple[str, str]]:
        """(data set, encoder) pairs."""
        return [(dataset, encoder) for dataset in self.panels.values() for encoder in ENCODERS]


def with_lambda(table: pd.DataFrame, dataset: str, encoder: str) -> pd.DataFrame:
    """The rows of sparsegen and of sparsemax, which is lambda 0, with the column `lambda`."""
    models = [f"{encoder}-sparsegen", f"{encoder}-sparsemax"]
    rows = table[(table["dataset"] == dataset) & table["model"].isin(models)]
    return rows.assign(**{"lambda": rows["value"].fillna(0.0)})


def tau_of(table: pd.DataFrame, measure: str, of_what: str = "weight") -> pd.DataFrame:
    """The rows with tau-b of weights, or of scores, and a measure of importance."""
    return table[(table["measure"] == measure) & (table["of"] == of_what)]


def difference(one: pd.DataFrame, other: pd.DataFrame, column: str) -> pd.DataFrame:
    """`one` minus `other` on the same documents and seeds, as column `difference`."""
    both = one.merge(other, on=["seed", "instance"])
    return both.assign(difference=both[f"{column}_x"] - both[f"{column}_y"])


def trend(label: str, rows: pd.DataFrame, column: str, against: str = "lambda") -> Row | None:
    """Tau-b over runs between the means of two columns; runs are resampled.

    None for fewer than four lambdas, or where one side is constant.
    """
    runs = rows.groupby(["lambda", "seed"], as_index=False).agg(
        x=(against, "mean"), y=(column, "mean"), n=(column, "count")
    )
    runs = runs[runs["n"] >= FEWEST]
    if runs["lambda"].nunique() < 4 or min(runs["x"].nunique(), runs["y"].nunique()) < 2:
        return None
    columns = [runs[name].to_numpy(np.float64) for name in ("x", "y")]
    values = hierarchical(kendall_of_samples, [columns], generator(0, label, column))
    return row_of_values(label, values, int(runs["n"].max()), len(runs), runs["seed"].nunique())
