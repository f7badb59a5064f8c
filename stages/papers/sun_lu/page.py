"""Tables, figures with their numbers, claims and metrics of reports/sun-lu."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path

import pandas as pd

from stages.corpora.corpus import Corpus
from stages.papers import writing
from stages.papers.sun_lu import figures, schematics, tables, training_figures
from stages.papers.sun_lu.evidence import Results
from stages.papers.sun_lu.figures import ATTENTION, POLARITY
from stages.papers.sun_lu.panels import MODERATE
from stages.papers.sun_lu.verdicts import decided

# Supplement Figures 14-24: the paper's data set, model and lambda
SCATTERED = (
    ("SST", "dp-l", MODERATE),
    ("SST", "dp-a", 20.0),
    ("IMDB", "dp-a", MODERATE),
    ("20News I", "dp-a", 1.0),
    ("20News I", "dp-a", MODERATE),
    ("20News I", "dp-a", 20.0),
    ("20News I", "dp-a", 50.0),
    ("20News II", "dp-a", MODERATE),
    ("IMDB", "ad", MODERATE),
)
HEADLINE = (1.0, 10.0, 100.0, 10000.0)  # values of lambda in metrics.json
LOCAL = ("local_attention", "Attention Score, mean in context")


def write_tables(results: Results, corpora: Mapping[str, Corpus], folder: Path) -> pd.DataFrame:
    """All tables; returns Table 2."""
    accuracies = tables.table_2(results)
    by_name = {
        "table-1": tables.table_1(corpora),
        "table-2": accuracies,
        "supplement-table-1": tables.group_table(results),
        "statistics": tables.statistics_table(results),
    }
    writing.write_tables(by_name, folder)
    return accuracies


def write_figures(
    results: Results,
    dots: pd.DataFrame,
    accuracies: pd.DataFrame,
    folder: Path,
    most: int | None,
) -> None:
    """Figures 1-5 and those of the supplement, each beside a CSV with the numbers in it."""
    scattered = [[(*panel, measure) for measure in (POLARITY, ATTENTION)] for panel in SCATTERED]
    local = [[("SST", "dp-l", MODERATE, measure) for measure in (LOCAL, ATTENTION)]]
    drawn: dict[str, writing.Draw] = {
        "supplement-14-24": partial(figures.sheet, results, scattered),
        "figure-2": partial(figures.figure_2, results),
        "figure-3": partial(figures.figure_3, results),
        "figure-4": partial(figures.figure_4, results),
        "figure-5": partial(figures.figure_5, results),
        "supplement-13": partial(figures.sheet, results, local),
        "supplement-25-27": partial(figures.labels_toward, results),
        "terms": partial(training_figures.terms, results),
        "accuracy": lambda: (figures.accuracy_by_scale(accuracies), accuracies),
        "figure-1": lambda: (schematics.draw_model(), None),
    }
    for number, draw in training_figures.every(results, dots).items():
        drawn[f"supplement-{number}"] = draw
    writing.write_figures(drawn, folder, 4, most, exact=("value",))  # lambda is not rounded


def write_verdicts(results: Results, folder: Path) -> None:
    """claims.json and metrics.json."""
    writing.write_claims(decided(results), headline(results), folder)


def headline(results: Results) -> dict[str, float | None]:
    """Accuracy of DP at a small, a moderate and two large values of lambda, mean over data sets."""
    rows = results.scores
    rows = rows[(rows["model"] == "dp") & rows["dataset"].isin(results.panels.values())]
    by_scale = rows.groupby("value")["accuracy"].mean()
    return {
        f"dp_accuracy_{value:g}": round(float(accuracy), 4)
        for value, accuracy in by_scale.items()
        if value in HEADLINE
    }
