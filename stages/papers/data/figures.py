"""Distribution of document lengths of each data set."""

import math

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

COLUMNS = 5
BINS = 24


def draw_lengths(table: pd.DataFrame) -> Figure:
    """Small multiples from rows (dataset, split, length, documents): share of documents by length.

    Data sets whose documents all have the same length are listed below the panels.
    """
    spread = table.groupby("dataset", sort=False)["length"].nunique()
    names = list(spread.index[spread > 1])
    rows = max(1, math.ceil(len(names) / COLUMNS))
    figure, axes = plt.subplots(
        rows, COLUMNS, figsize=(2.6 * COLUMNS, 1.75 * rows), squeeze=False, layout="constrained"
    )
    for axis, name in zip(axes.flat, names, strict=False):
        _panel(axis, table[table["dataset"] == name], name)
    for axis in axes.flat[len(names) :]:
        axis.set_axis_off()
    figure.supxlabel(f"Tokens in a document{_constant(table, spread)}", fontsize=9)
    figure.supylabel("Share of documents", fontsize=9)
    if names:
        handles, labels = axes.flat[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper right", ncols=2, frameon=False)
    return figure


def _constant(table: pd.DataFrame, spread: pd.Series) -> str:
    """A note on the data sets of constant length."""
    rows = table[table["dataset"].isin(spread.index[spread == 1])]
    groups = rows.groupby("length")["dataset"].unique()
    return "".join(f"\nalways {length}: {', '.join(sets)}" for length, sets in groups.items())


def _panel(axis: Axes, rows: pd.DataFrame, name: str) -> None:
    low, high = rows["length"].min(), rows["length"].max()
    step = math.ceil((high - low + 1) / BINS)
    edges = np.arange(low, high + step + 1, step) - 0.5
    for split, filled, color in (("train", True, "#9ecae1"), ("test", False, "#08519c")):
        part = rows[rows["split"] == split]
        counts, _ = np.histogram(part["length"], bins=edges, weights=part["documents"])
        axis.stairs(counts / counts.sum(), edges, fill=filled, color=color, label=split)
    axis.set_title(name, fontsize=9)
    axis.tick_params(labelsize=7)
    axis.spines[["top", "right"]].set_visible(False)
