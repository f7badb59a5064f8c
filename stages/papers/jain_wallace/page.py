"""All that reports/jain-wallace shows: tables, figures with their numbers, claims, metrics."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from stages.papers.claims import counted
from stages.papers.jain_wallace import evidence, figures, tables
from stages.papers.jain_wallace.claims import GRADIENT, LOO, encoder_gap, gap
from stages.papers.jain_wallace.evidence import Results
from stages.papers.jain_wallace.examples import Text, strips
from stages.papers.jain_wallace.panels import PANELS
from stages.papers.jain_wallace.verdicts import decided
from stages.papers.strips import draw_strips
from stages.papers.style import save_svg
from stages.settings.files import write_json

EPSILON, NARROW = 0.05, 0.01  # of the published figures, and of the text
DRAWN = (
    *tables.CELL,
    "model",
    "seed",
    "epsilon",
    "pair",
    "instance",
    "predicted",
    "max_attention",
    "tau",
    "median",
    "last",
)
MEDIAN, WEIGHT = "Median Output Difference", "Max attention"
DIVERGENCE = "Max JS Divergence within ε"


@dataclass(frozen=True)
class Drawing:
    """One picture of the exhaustive grid, to be drawn in another process."""

    rows: pd.DataFrame
    draw: figures.Draw
    labels: tuple[str, str]
    path: Path

    def save(self) -> None:
        """Draw it and write it."""
        figure = figures.single(self.rows, self.draw, *self.labels)
        save_svg(figure, self.path)
        plt.close(figure)


def write_tables(results: Results, faithfulness: pd.DataFrame, folder: Path) -> pd.DataFrame:
    """The exhaustive tables; returns that of the correlations, which Table 2 is part of."""
    grid = tables.correlation_table(results.taus.drop(columns="predicted"), results.instances)
    found = {
        "correlation": grid,
        "table-2": tables.table_2(grid),
        "permutation": tables.permutation_grid(results.shuffled),
        "adversarial": tables.adversarial_grid(results.adversaries),
        "faithfulness": tables.faithfulness_table(faithfulness),
    }
    for name, table in found.items():
        table.to_csv(folder / f"{name}.csv", index=False)
    return grid


def write_figures(results: Results, folder: Path) -> None:
    """Figures 2-8, each beside a CSV with the numbers in it."""
    gradient = results.taus[results.taus["pair"] == GRADIENT]
    adversaries = results.adversaries[results.adversaries["epsilon"] == EPSILON]
    sheets: list[tuple[int, pd.DataFrame, figures.Draw, str, str]] = [
        (2, gradient, figures.tau_histogram, "Kendall τ of attention and gradient", "Fraction"),
        (6, results.shuffled, figures.shuffled_violins, MEDIAN, WEIGHT),
        (7, adversaries, figures.divergence_histogram, f"{DIVERGENCE} = {EPSILON}", "Fraction"),
        (8, adversaries, figures.divergence_violins, f"{DIVERGENCE} = {EPSILON}", WEIGHT),
    ]
    for number, table, draw, xlabel, ylabel in sheets:
        shown = tables.first_seed(table)
        shown = shown[(shown["attention"] == "additive") & shown["encoder"].isin(figures.SHEET)]
        shown = shown[[name for name in shown if name in DRAWN]]
        _save(figures.sheet(shown, draw, xlabel, ylabel), shown, folder / f"figure-{number}")
    label = "Mean Difference between Correlations"
    for number, table in bar_tables(results).items():
        _save(figures.bars(table, label), table, folder / f"figure-{number}")


def _save(figure: Figure, table: pd.DataFrame, stem: Path) -> None:
    save_svg(figure, stem.with_suffix(".svg"))
    plt.close(figure)
    table.round(5).to_csv(stem.with_suffix(".csv"), index=False)


def write_examples(
    instances: pd.DataFrame,
    weights: pd.DataFrame,
    words: Callable[[str, Collection[int]], dict[int, Text]],
    folder: Path,
) -> None:
    """Figure 1 (IMDB, or SST where it was not run) and Appendix D."""
    kept = weights.groupby("dataset")["instance"].unique()
    texts = {name: words(name, [int(row) for row in rows]) for name, rows in kept.items()}
    texts = {name: found for name, found in texts.items() if found}
    first = "imdb" if "imdb" in texts else "sst"
    sheets = {"figure-1": [first], "appendix-d": [panel.key for panel in PANELS]}
    for name, keys in sheets.items():
        found, numbers = strips(instances, weights, texts, NARROW, keys)
        _save(draw_strips(found), numbers, folder / name)


def bar_tables(results: Results) -> dict[int, pd.DataFrame]:
    """Figures 3-5: value and interval of each data set."""
    parts = {3: gap(results, LOO), 4: gap(results, GRADIENT), 5: encoder_gap(results)}
    return {number: _bars(values) for number, values in parts.items()}


def _bars(values: dict[str, np.ndarray]) -> pd.DataFrame:
    rows = []
    for panel in PANELS:
        name = panel.dataset(values)
        if name is not None:
            found = evidence.mean_of(values[name], name, "bars")
            rows.append({"panel": panel.title, "dataset": name, **found._asdict()})
    return pd.DataFrame(rows)


def grid(results: Results, folder: Path) -> Iterator[Drawing]:
    """Every experiment for every data set, encoder and attention."""

    def of(pair: str) -> pd.DataFrame:
        return results.taus[results.taus["pair"] == pair]

    adversaries = results.adversaries[results.adversaries["epsilon"] == EPSILON]
    tau = ("Kendall τ", "Fraction")
    experiments: dict[str, tuple[pd.DataFrame, Callable[..., None], tuple[str, str]]] = {
        "gradients": (of(GRADIENT), figures.tau_histogram, tau),
        "leave-one-out": (of(LOO), figures.tau_histogram, tau),
        "correlations": (results.taus, figures.densities, ("Kendall τ", "Density")),
        "permutation": (results.shuffled, figures.shuffled_violins, (MEDIAN, WEIGHT)),
        "adversarial-histogram": (
            adversaries,
            figures.divergence_histogram,
            (DIVERGENCE, "Fraction"),
        ),
        "adversarial-scatter": (adversaries, figures.divergence_violins, (DIVERGENCE, WEIGHT)),
    }
    for name, (table, draw, labels) in experiments.items():
        (folder / name).mkdir(parents=True, exist_ok=True)
        for cell, rows in tables.first_seed(table).groupby(tables.CELL, sort=False):
            yield Drawing(rows, draw, labels, folder / name / f"{'+'.join(cell)}.svg")


def write_verdicts(results: Results, scale: str, folder: Path) -> None:
    """claims.json, and the ten headline numbers in metrics.json."""
    records = decided(results, scale)
    write_json(folder / "claims.json", records)
    write_json(folder / "metrics.json", metrics(results, records))


def metrics(results: Results, records: list[dict[str, Any]]) -> dict[str, Any]:
    """Means over data sets of the numbers that the paper argues with, and the verdicts."""
    by_id = {entry["id"]: entry["ours"] for entry in records}
    names = evidence.datasets(results.taus)

    def mean_tau(encoder: str, pair: str) -> float | None:
        values = {name: evidence.tau(results, name, encoder, pair).to_numpy() for name in names}
        found = evidence.over_sets(values, "metrics")
        return round(found.value, 4) if found.n else None

    verdicts = counted(records)
    return {
        "tau_gradient_bilstm": mean_tau("bilstm", GRADIENT),
        "tau_gradient_average": mean_tau("average", GRADIENT),
        "tau_leave_one_out_bilstm": mean_tau("bilstm", LOO),
        "gap_to_leave_one_out": by_id["JW5"],
        "gap_to_gradient": by_id["JW6"],
        "average_minus_bilstm": by_id["JW7"],
        "unmoved_when_shuffled": by_id["JW9"],
        "distant_adversaries": by_id["JW11"],
        "claims_hold": verdicts["holds"],
        "claims_fail": verdicts["fails"],
    }
