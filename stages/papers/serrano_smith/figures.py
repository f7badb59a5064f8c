"""Figures 3-13 of Serrano & Smith 2019; the six architectures on one sheet where it shows them all.

Scatter plots show a sample that is even along the axis, as in the paper; statistics use all points.
"""

from collections.abc import Callable, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from stages.papers.serrano_smith.evidence import Results
from stages.papers.serrano_smith.panels import MODELS, PANELS, RANKINGS
from stages.papers.shared.drawing import mark_not_run
from stages.settings.seeds import generator
from stages.statistics.bootstrap import Floats

NAMES = ("Random", "Attention", "Gradient", "Attn * Grad")
FRACTIONS = ("#2589CC", "#80D4FF", "#D4F3FF", "#FFFFFF")
MASSES = ("#A970FF", "#EEA8FF", "#FFE0FF", "#FFFFFF")
BLUE = "#4c72b0"
TOP_ONLY, RANDOM_ONLY = "#DAE8FC", "#F8A102"
NOTE: dict[str, Any] = {"ha": "center", "fontsize": 7, "color": "#555555"}
Draw = Callable[[Axes, pd.DataFrame], None]


def facets(
    results: Results, table: pd.DataFrame, models: Sequence[str], draw: Draw, labels: Sequence[str]
) -> Figure:
    """The four data sets of each architecture, two by two; architectures in two columns.

    `labels` are those of the x and y axes.
    """
    columns = 1 if len(models) == 1 else 2
    rows = -(-len(models) // columns)
    size = (4.8 * columns + 0.4, 3.6 * rows)
    figure, axes = plt.subplots(2 * rows, 2 * columns, figsize=size, layout="constrained")
    present = results.panels
    for place, model in enumerate(models):
        top, left = 2 * (place // columns), 2 * (place % columns)
        for number, panel in enumerate(PANELS):
            axis = axes[top + number // 2, left + number % 2]
            group = table[(table["dataset"] == present.get(panel)) & (table["model"] == model)]
            axis.set_title(f"{MODELS[model]}, {results.title(panel)}", fontsize=7)
            axis.tick_params(labelsize=7)
            axis.grid(color="#dddddd", lw=0.5)
            axis.set_axisbelow(True)
            if len(group):
                draw(axis, group)
            else:
                mark_not_run(axis)
    figure.supxlabel(labels[0], fontsize=10)
    figure.supylabel(labels[1], fontsize=10)
    return figure


def scatter(axis: Axes, rows: pd.DataFrame) -> None:
    """Figures 3, 7: difference in weight against difference in divergence, an even sample."""
    kept = even_sample(rows)
    axis.plot("delta_alpha", "delta_js", ".", data=kept, ms=2.8, alpha=0.35, color=BLUE, mew=0)
    axis.set(xlim=(-0.02, 1.02), ylim=(-0.05, 0.45), xticks=np.arange(0, 1.01, 0.2))


def even_sample(rows: pd.DataFrame, width: float = 0.005, most: int = 10) -> pd.DataFrame:
    """At most ten points of every 0.005 of the axis, the highest point of all left out first."""
    rest = rows.sort_values("delta_js").iloc[:-1] if len(rows) > 1 else rows
    bins = np.minimum((rest["delta_alpha"] / width).astype(int), int(1 / width) - 1)
    draw = generator(0, "scatter", str(rows["model"].iloc[0]), str(rows["dataset"].iloc[0]))
    places = np.arange(len(rest))
    kept = [np.unique(draw.choice(places[bins == one], most)) for one in np.unique(bins)]
    return rest.iloc[np.concatenate(kept)] if kept else rest


def negatives(axis: Axes, rows: pd.DataFrame) -> None:
    """Figures 4, 8: differences in weight of the documents where the random item matters more."""
    values = rows.loc[rows["delta_js"] < 0, "delta_alpha"].to_numpy()
    if len(values):
        edges = np.histogram_bin_edges(values, "fd") if len(values) > 3 else np.linspace(0, 1, 11)
        edges = edges if len(edges) <= 51 else np.linspace(values.min(), values.max(), 51)
        axis.hist(values, bins=list(edges), color=BLUE, alpha=0.6)
    else:
        axis.text(0.5, 0.5, "no negative difference", transform=axis.transAxes, **NOTE)
    axis.set(xlim=(-0.02, 1.02), xticks=np.arange(0, 1.01, 0.2))


def boxes(results: Results, models: Sequence[str], value: str, label: str) -> Figure:
    """Figures 5, 6, 10 (fraction) and 11 (mass): four rankings for each data set, a row a model."""
    colours = FRACTIONS if value == "fraction" else MASSES
    size = (10, 1.9 * len(models) + 0.5)
    figure, axes = plt.subplots(len(models), 1, figsize=size, squeeze=False, layout="constrained")
    for axis, model in zip(axes[:, 0], models, strict=True):
        for place, panel in enumerate(PANELS):
            run = (results.panels.get(panel, ""), model)
            if run not in results.pairs():
                axis.text(place, 0.5, "not run", **NOTE)
            for rank, ranking in enumerate(RANKINGS):
                rows = results.of("multi", *run, ranking)
                values = rows.loc[rows["count"] > 0, value].to_numpy()
                _box(axis, values, place + 0.19 * (rank - 1.5), colours[rank])
        axis.set(xlim=(-0.5, 3.5), ylim=(-0.03, 1.03), yticks=np.arange(0, 1.01, 0.25))
        axis.set_xticks(range(4), [results.title(panel) for panel in PANELS], fontsize=8)
        axis.tick_params(axis="y", labelsize=7)
        axis.grid(axis="y", color="#dddddd", lw=0.5)
        axis.set_axisbelow(True)
        axis.spines[["top", "right"]].set_visible(False)
        axis.set_title(MODELS[model], fontsize=9)
    handles = [Rectangle((0, 0), 1, 1, fc=colour, ec="#333333", lw=0.8) for colour in colours]
    figure.legend(handles, NAMES, loc="outside upper right", ncols=4, frameon=False, fontsize=9)
    figure.supylabel(label, fontsize=9)
    return figure


def _box(axis: Axes, values: Floats, at: float, colour: str) -> None:
    """Quartiles, whiskers to the farthest point within 1.5 of their distance, outliers beyond."""
    if not len(values):
        return
    axis.boxplot(
        [values],
        positions=[at],
        widths=0.16,
        whis=1.5,
        patch_artist=True,
        manage_ticks=False,
        boxprops={"facecolor": colour, "lw": 0.8},
        medianprops={"color": "#222222", "lw": 1.2},
        whiskerprops={"lw": 0.8},
        capprops={"lw": 0.8},
        showfliers=False,
    )
    low, high = np.quantile(values, (0.25, 0.75))
    reach = 1.5 * (high - low)
    outside = np.unique(np.round(values[(values < low - reach) | (values > high + reach)], 2))
    axis.plot(np.full(len(outside), at), outside, "d", ms=2, color="#555555", mew=0)


def contingency_panel(axis: Axes, rows: pd.DataFrame) -> None:
    """Figures 9, 12, 13: does the random item flip (columns), does the top item (rows), percent."""
    row = rows.iloc[0]
    squares = {
        (0, 0): ("both", "white"),
        (1, 0): ("only_top", TOP_ONLY),
        (0, 1): ("only_random", RANDOM_ONLY),
        (1, 1): ("neither", "white"),
    }
    for (x, y), (name, colour) in squares.items():
        axis.add_patch(Rectangle((x, y), 1, 1, fc=colour, ec="#555555", lw=0.8))
        axis.text(x + 0.5, y + 0.42, f"{row[name]:.1f}", ha="center", va="center", fontsize=10)
        published = row.get(f"{name}_published", np.nan)
        if not np.isnan(published):
            axis.text(x + 0.5, y + 0.78, f"published {published:.1f}", va="center", **NOTE)
    axis.grid(visible=False)
    axis.set(xlim=(0, 2), ylim=(2, 0))
    axis.set_xticks([0.5, 1.5], ["Yes", "No"])
    axis.set_yticks([0.5, 1.5], ["Yes", "No"])
    axis.tick_params(length=0)
