"""Writes reports/sun-lu: tables, figures with their numbers, plots, claims, metrics."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path

import pandas as pd

from stages.corpora.corpus import Corpus
from stages.papers.shared import writing
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


def write(
    results: Results,
    corpora: Mapping[str, Corpus],
    dots: pd.DataFrame,
    folder: Path,
    processes: int | None,
) -> None:
    """Everything in reports/sun-lu but the page itself."""
    by_name = {
        "table-1": tables.table_1(corpora),
        "table-2": tables.table_2(results),
        "supplement-table-1": tables.group_table(results),
        "statistics": tables.statistics_table(results),
    }
    writing.write_tables(by_name, folder / "tables")
    figures_by_name = drawings(results, dots)
    exact = ("value",)  # lambda is not rounded
    writing.write_figures(figures_by_name, folder / "figures", 4, processes, exact)
    writing.write_tables({"accuracy": tables.accuracy_table(results)}, folder / "plots")
    writing.write_claims(decided(results), headline(results), folder)


def drawings(results: Results, dots: pd.DataFrame) -> dict[str, writing.Draw]:
    """Functions that draw Figures 1-5, those of the supplement and ours, by name."""
    scattered = [[(*panel, measure) for measure in (POLARITY, ATTENTION)] for panel in SCATTERED]
    local = [[("SST", "dp-l", MODERATE, measure) for measure in (LOCAL, ATTENTION)]]
    supplement = training_figures.every(results, dots)
    return {
        "supplement-14-24": partial(figures.sheet, results, scattered),
        "figure-1": schematics.draw_model,
        "figure-2": partial(figures.figure_2, results),
        "figure-3": partial(figures.figure_3, results),
        "figure-4": partial(figures.figure_4, results),
        "figure-5": partial(figures.figure_5, results),
        "supplement-13": partial(figures.sheet, results, local),
        "supplement-25-27": partial(figures.labels_toward, results),
        "terms": partial(training_figures.terms, results),
        "accuracy": partial(figures.accuracy_by_scale, results),
        **{f"supplement-{number}": draw for number, draw in supplement.items()},
    }


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
