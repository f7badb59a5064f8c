"""Writes reports/jain-wallace: tables, figures with their numbers, plots, claims, metrics."""

from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from stages.papers.jain_wallace import evidence, figures, tables
from stages.papers.jain_wallace.claims import CLAIMS, MEASUREMENTS
from stages.papers.jain_wallace.evidence import GRADIENT, LOO, Results
from stages.papers.jain_wallace.examples import Text, strips
from stages.papers.jain_wallace.panels import PANELS
from stages.papers.shared import writing
from stages.papers.shared.fidelity import share_inside
from stages.papers.shared.rules import Row, records, row_of
from stages.papers.shared.strips import draw_strips
from stages.settings.studies import Gate

EPSILON, NARROW = 0.05, 0.01  # of the published figures, and of the text
DIGITS = 5
COLUMNS = [*tables.KEYS, "model", "seed", "epsilon", "pair", "instance", "predicted"]
COLUMNS += ["max_attention", "tau", "median", "last"]
BAR = ["value", "low", "high", "n"]
MEDIAN, WEIGHT = "Median Output Difference", "Max attention"


def write_tables(
    results: Results, faithfulness: pd.DataFrame, table_1: pd.DataFrame, folder: Path
) -> float | None:
    """All tables, and the one for plots; returns the share of published numbers inside noise."""
    correlation = tables.correlation_table(results.taus)
    permutation = tables.permutation_grid(results.shuffled)
    adversarial = tables.adversarial_grid(results.adversaries)
    compared = tables.fidelity_table(correlation, permutation, adversarial, results.scores)
    by_name = {
        "table-1": table_1,
        "table-2": tables.table_2(correlation),
        "correlation": correlation,
        "permutation": permutation,
        "adversarial": adversarial,
        "faithfulness": tables.faithfulness_table(faithfulness),
        "fidelity": compared,
    }
    writing.write_tables(by_name, folder / "tables")
    writing.write_tables({"tau": tables.tau_table(correlation)}, folder / "plots")
    return share_inside(compared)


def write_figures(results: Results, folder: Path, processes: int | None) -> None:
    """Figures 2-8, each beside a CSV with the numbers in it."""
    adversaries = results.adversaries[results.adversaries["epsilon"] == EPSILON]
    gradient = results.taus[results.taus["pair"] == GRADIENT]
    tau, within = "Kendall τ of attention and gradient", f"Max JS Divergence within ε = {EPSILON}"
    sheet, bars = partial(_sheet, results), partial(_bars, results)
    drawn: dict[str, writing.Draw] = {
        "figure-2": partial(sheet, gradient, figures.tau_histogram, tau, "Fraction"),
        "figure-6": partial(sheet, results.shuffled, figures.shuffled_violins, MEDIAN, WEIGHT),
        "figure-7": partial(sheet, adversaries, figures.divergence_histogram, within, "Fraction"),
        "figure-8": partial(sheet, adversaries, figures.divergence_violins, within, WEIGHT),
    }
    drawn |= {f"figure-{number}": partial(bars, number) for number in evidence.GAPS}
    writing.write_figures(drawn, folder, DIGITS, processes)


def _sheet(
    results: Results, table: pd.DataFrame, panel: figures.Draw, xlabel: str, ylabel: str
) -> writing.Drawn:
    shown = tables.first_seed(table)
    shown = shown[(shown["attention"] == "additive") & shown["encoder"].isin(figures.SHEET)]
    shown = shown[[name for name in shown if name in COLUMNS]]
    return figures.sheet(shown, panel, results.marked, xlabel, ylabel), shown


def _bars(results: Results, figure: int) -> writing.Drawn:
    table = bar_table(results, figure)
    return figures.bars(table, "Mean Difference between Correlations"), table


def bar_table(results: Results, figure: int) -> pd.DataFrame:
    """Figures 3-5: value and interval of each data set, as in the claims."""
    gaps = evidence.tau_gaps(results, figure)
    rows = [row for name, gap in gaps.items() if (row := row_of(name, gap, "gap"))]
    table = pd.DataFrame([row[:5] for row in rows], columns=["dataset", *BAR])
    return table.assign(below_gate=table["dataset"].isin(list(results.below_gate)))


def write_examples(
    results: Results,
    weights: pd.DataFrame,
    words: Callable[[str, Collection[int]], dict[int, Text]],
    folder: Path,
    processes: int | None,
) -> None:
    """Figure 1 (IMDB, or SST where it was not run) and Appendix D."""
    kept = weights.groupby("dataset")["instance"].unique()
    texts = {name: words(name, [int(row) for row in rows]) for name, rows in kept.items()}
    texts = {name: documents for name, documents in texts.items() if documents}
    first = "imdb" if "imdb" in texts else "sst"
    sheets = {"figure-1": [first], "appendix-d": [panel.key for panel in PANELS]}

    def draw(keys: list[str]) -> writing.Drawn:
        drawn, numbers = strips(results, weights, texts, NARROW, keys)
        return draw_strips(drawn), numbers

    by_name = {name: partial(draw, keys) for name, keys in sheets.items()}
    writing.write_figures(by_name, folder, DIGITS, processes)


def write_grid(results: Results, folder: Path, processes: int | None) -> None:
    """Every experiment for every data set, encoder and attention."""
    writing.write_figures(grid(results), folder, DIGITS, processes, cropped=False)


def grid(results: Results) -> dict[str, writing.Draw]:
    """Functions that draw the pictures of the grid, by experiment/model."""

    def of(pair: str) -> pd.DataFrame:
        return results.taus[results.taus["pair"] == pair]

    distant = results.adversaries[results.adversaries["epsilon"] == EPSILON]
    tau, jsd = "Kendall τ", "Max JS Divergence within ε"
    narrow, wide = 47, 65  # left margins; names of bins need more
    experiments: dict[str, tuple[pd.DataFrame, figures.Draw, str, str, int]] = {
        "gradients": (of(GRADIENT), figures.tau_histogram, tau, "Fraction", narrow),
        "leave-one-out": (of(LOO), figures.tau_histogram, tau, "Fraction", narrow),
        "correlations": (results.taus, figures.densities, tau, "Density", narrow),
        "permutation": (results.shuffled, figures.shuffled_violins, MEDIAN, WEIGHT, wide),
        "adversarial-histogram": (distant, figures.divergence_histogram, jsd, "Fraction", narrow),
        "adversarial-scatter": (distant, figures.divergence_violins, jsd, WEIGHT, wide),
    }
    return {
        f"{name}/{'+'.join(model)}": partial(_picture, rows, *options)
        for name, (table, *options) in experiments.items()
        for model, rows in tables.first_seed(table).groupby(tables.KEYS, sort=False)
    }


def _picture(*options: Any) -> writing.Drawn:
    return figures.picture(*options), None  # its numbers are in the tables


def write_verdicts(results: Results, gate: Gate, fidelity: float | None, folder: Path) -> None:
    """claims.json and metrics.json."""
    decided = records(CLAIMS, MEASUREMENTS, results, gate)
    numbers = {**headline(results.without(results.refused(gate))), "fidelity": fidelity}
    writing.write_claims(decided, numbers, folder)


def headline(results: Results) -> dict[str, float | None]:
    """Mean tau of the BiLSTM, and the share of distant adversaries, means over data sets."""

    def mean_tau(pair: str) -> Row | None:
        names = evidence.datasets(results.taus)
        taus = {name: evidence.taus(results, name, evidence.BASE, pair) for name in names}
        return evidence.over_datasets(taus, "tau")

    rows = {
        "tau_gradient_bilstm": mean_tau(GRADIENT),
        "tau_leave_one_out_bilstm": mean_tau(LOO),
        "distant_adversaries": MEASUREMENTS["JW11"](results)[0][0],
    }
    return {name: None if row is None else round(row.value, 4) for name, row in rows.items()}
