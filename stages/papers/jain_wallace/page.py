"""Writes reports/jain-wallace: tables, figures with their numbers, plots, claims, metrics."""

from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path

import pandas as pd

from stages.papers.jain_wallace import evidence, figures, tables
from stages.papers.jain_wallace.claims import CLAIMS, MEASUREMENTS
from stages.papers.jain_wallace.evidence import GRADIENT, LOO, Results, agreement_gaps, encoder_gaps
from stages.papers.jain_wallace.examples import Text, strips
from stages.papers.jain_wallace.panels import PANELS
from stages.papers.jain_wallace.pictures import Frame, picture
from stages.papers.shared import writing
from stages.papers.shared.fidelity import share_inside
from stages.papers.shared.rules import records, row_of
from stages.papers.shared.strips import draw_strips
from stages.settings.studies import Gate

EPSILON, NARROW = 0.05, 0.01  # of the published figures, and of the text
DIGITS = 5
COLUMNS = [*tables.KEYS, "model", "seed", "epsilon", "pair", "instance", "predicted"]
COLUMNS += ["max_attention", "tau", "median", "last"]
MEDIAN, WEIGHT = "Median Output Difference", "Max attention"
DIVERGENCE = "Max JS Divergence within ε"
BINS_WIDE = 65  # left margin in points for the names of the bins


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
    by_number = _sheets(results) | _differences(results)
    figures_by_name = {f"figure-{number}": draw for number, draw in by_number.items()}
    writing.write_figures(figures_by_name, folder, DIGITS, processes)


def _sheets(results: Results) -> dict[int, writing.Draw]:
    gradient = results.taus[results.taus["pair"] == GRADIENT]
    adversaries = results.adversaries[results.adversaries["epsilon"] == EPSILON]

    def draw(table: pd.DataFrame, panel: figures.Draw, xlabel: str, ylabel: str) -> writing.Drawn:
        shown = tables.first_seed(table)
        shown = shown[(shown["attention"] == "additive") & shown["encoder"].isin(figures.SHEET)]
        shown = shown[[name for name in shown if name in COLUMNS]]
        return figures.sheet(shown, panel, results.marked, xlabel, ylabel), shown

    tau, within = "Kendall τ of attention and gradient", f"{DIVERGENCE} = {EPSILON}"
    return {
        2: partial(draw, gradient, figures.tau_histogram, tau, "Fraction"),
        6: partial(draw, results.shuffled, figures.shuffled_violins, MEDIAN, WEIGHT),
        7: partial(draw, adversaries, figures.divergence_histogram, within, "Fraction"),
        8: partial(draw, adversaries, figures.divergence_violins, within, WEIGHT),
    }


def _differences(results: Results) -> dict[int, writing.Draw]:
    def draw(table: pd.DataFrame) -> writing.Drawn:
        return figures.bars(table, "Mean Difference between Correlations"), table

    return {number: partial(draw, table) for number, table in bar_tables(results).items()}


def bar_tables(results: Results) -> dict[int, pd.DataFrame]:
    """Figures 3-5: value and interval of each data set, as in the claims."""
    parts = {3: agreement_gaps(results, LOO), 4: agreement_gaps(results, GRADIENT)}
    parts[5] = encoder_gaps(results)
    return {number: _bars(results, gaps) for number, gaps in parts.items()}


def _bars(results: Results, gaps: dict[str, pd.DataFrame]) -> pd.DataFrame:
    rows = []
    for panel in PANELS:
        name = panel.dataset(gaps)
        row = row_of(name, gaps[name], "gap") if name else None
        if row is not None:
            below = row.row in results.below_gate
            rows.append([panel.title, row.row, *row[1:5], below])
    columns = ["panel", "dataset", "value", "low", "high", "n", "below_gate"]
    return pd.DataFrame(rows, columns=columns)


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

    adversaries = results.adversaries[results.adversaries["epsilon"] == EPSILON]
    tau, density = Frame("Kendall τ", "Fraction"), Frame("Kendall τ", "Density")
    median, within = Frame(MEDIAN, WEIGHT, BINS_WIDE), Frame(DIVERGENCE, WEIGHT, BINS_WIDE)
    divergence = Frame(DIVERGENCE, "Fraction")
    experiments: dict[str, tuple[pd.DataFrame, figures.Draw, Frame]] = {
        "gradients": (of(GRADIENT), figures.tau_histogram, tau),
        "leave-one-out": (of(LOO), figures.tau_histogram, tau),
        "correlations": (results.taus, figures.densities, density),
        "permutation": (results.shuffled, figures.shuffled_violins, median),
        "adversarial-histogram": (adversaries, figures.divergence_histogram, divergence),
        "adversarial-scatter": (adversaries, figures.divergence_violins, within),
    }
    return {
        f"{name}/{'+'.join(model)}": partial(_panel, rows, draw, frame)
        for name, (table, draw, frame) in experiments.items()
        for model, rows in tables.first_seed(table).groupby(tables.KEYS, sort=False)
    }


def _panel(rows: pd.DataFrame, draw: figures.Draw, frame: Frame) -> writing.Drawn:
    return picture(rows, draw, frame), None  # its numbers are in the tables


def write_verdicts(results: Results, gate: Gate, fidelity: float | None, folder: Path) -> None:
    """claims.json and metrics.json."""
    decided = records(CLAIMS, MEASUREMENTS, results, gate)
    numbers = {**headline(results.without(results.refused(gate))), "fidelity": fidelity}
    writing.write_claims(decided, numbers, folder)


def headline(results: Results) -> dict[str, float | None]:
    """Mean tau of the BiLSTM, and the share of distant adversaries, means over data sets."""
    taus = {
        pair: {
            name: evidence.taus(results, name, evidence.BASE, pair).assign(gap=lambda t: t["tau"])
            for name in evidence.datasets(results.taus)
        }
        for pair in (GRADIENT, LOO)
    }
    rows = {
        "tau_gradient_bilstm": evidence.over_datasets(taus[GRADIENT]),
        "tau_leave_one_out_bilstm": evidence.over_datasets(taus[LOO]),
        "distant_adversaries": MEASUREMENTS["JW11"](results)[0][0],
    }
    return {name: None if row is None else round(row.value, 4) for name, row in rows.items()}
