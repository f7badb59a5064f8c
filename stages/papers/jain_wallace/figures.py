"""Figures 2-8 of Jain & Wallace 2019: all panels of a figure on one sheet.

A panel is square, without top and right spines; colours are the paper's, by predicted class. A data
set that was not run has an empty panel with the reason.
"""

from collections.abc import Callable
from functools import partial

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.mlab import GaussianKDE
from matplotlib.patches import Rectangle

from stages.papers.jain_wallace.evidence import BOTH, GRADIENT, LOO, Results
from stages.papers.jain_wallace.panels import ENCODERS, PANELS, REASONS
from stages.papers.jain_wallace.shapes import ABSENT, COLOURS, framed, histogram, violins
from stages.papers.jain_wallace.tables import OVERALL
from stages.papers.shared.results import of
from stages.papers.shared.writing import Drawn

Draw = Callable[[Axes, pd.DataFrame], None]
GATED = "not run, or below the gate"
WIDTH, HEIGHT = 224, 206  # of a picture of the grid, in points
SHEET = ("bilstm", "average")  # the encoders the paper's figures show


def sheet(results: Results, table: pd.DataFrame, draw: Draw, xlabel: str, ylabel: str) -> Figure:
    """Every data set of the paper, BiLSTM beside Average, additive attention."""
    figure, axes = plt.subplots(4, 6, figsize=(15, 11.2), layout="constrained")
    for place, panel in enumerate(PANELS):
        name = results.panels.get(panel, "")
        for offset, encoder in enumerate(SHEET):
            axis = axes[place // 3, 2 * (place % 3) + offset]
            title = results.marked(f"{results.heading(panel)} ({ENCODERS[encoder]})", name)
            rows = of(table, name, f"{encoder}-additive")
            if len(rows):
                draw(axis, rows)
            absent = "" if axis.has_data() else "no document has a value"
            framed(axis, title, absent if len(rows) else REASONS.get(panel, GATED))
    figure.supxlabel(xlabel, fontsize=11)
    figure.supylabel(ylabel, fontsize=11)
    names = {key: "all classes" if key == OVERALL else f"predicted class {key}" for key in COLOURS}
    handles = [Rectangle((0, 0), 1, 1, color=COLOURS[key], label=names[key]) for key in names]
    figure.legend(handles=handles, loc="outside upper right", ncols=4, frameon=False, fontsize=9)
    return figure


# Figure 2: tau of attention and another measure; Figure 7: divergence with the same answer
tau_histogram = partial(histogram, value="tau", bins=30, limits=(-1, 1))
divergence_histogram = partial(histogram, value="last", bins=40, limits=(0, 0.7))
# Figures 6 and 8, by largest weight: median change under shuffling; the divergence of Figure 7
shuffled_violins = partial(violins, value="median", limits=(-0.05, 1.05))
divergence_violins = partial(violins, value="last", limits=(-0.05, 0.7))


def densities(axis: Axes, rows: pd.DataFrame) -> None:
    """Three correlations: solid attention-LOO, dashed attention-gradient, dotted LOO-gradient."""
    places = np.linspace(-1, 1, 200)
    for pair, line in ((LOO, "-"), (GRADIENT, "--"), (BOTH, ":")):
        values = rows.loc[rows["pair"] == pair, "tau"].dropna().to_numpy()
        if len(values) > 1 and values.std() > 0:
            axis.plot(places, GaussianKDE(values)(places), line, color="black", lw=1)
    axis.set_xlim(-1, 1)
    axis.set_ylim(bottom=0)


def bars(results: Results, table: pd.DataFrame) -> Drawn:
    """Figures 3-5: a bar per data set; the line is the mean of those above the gate."""
    figure, axis = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
    rows = {row["dataset"]: row for row in table.to_dict("records")}
    titles = []
    for place, panel in enumerate(PANELS):
        row = rows.get(results.panels.get(panel, ""))
        titles.append(panel if row is None else results.title(panel))
        if row is None:
            reason = REASONS.get(panel, GATED).replace("\n", " ")
            axis.text(0.005, place, reason, **ABSENT)
            continue
        error = [[row["value"] - row["low"]], [row["high"] - row["value"]]]
        (bar,) = axis.barh(place, row["value"], 0.7, xerr=error, color=COLOURS["0"])
        bar.set_alpha(0.25 if row["below_gate"] else 0.8)
    axis.axvline(0, color="#999999", lw=0.6)
    axis.axvline(table.loc[~table["below_gate"].astype(bool), "value"].mean(), color="#222222")
    axis.set_yticks(range(len(titles)), titles, fontsize=8)
    axis.invert_yaxis()
    axis.set_xlabel("Mean Difference between Correlations", fontsize=9)
    axis.tick_params(axis="x", labelsize=8)
    axis.spines[["top", "right"]].set_visible(False)
    return figure, table


def picture(rows: pd.DataFrame, draw: Draw, xlabel: str, ylabel: str) -> Drawn:
    """One panel of the grid, all of one size, margins in points; its numbers are in the tables."""
    figure = Figure(figsize=(WIDTH / 72, HEIGHT / 72))
    left, right, bottom, top = 65, 217, 34, 197
    box = (left / WIDTH, bottom / HEIGHT, (right - left) / WIDTH, (top - bottom) / HEIGHT)
    axis = figure.add_axes(box)
    draw(axis, rows)
    framed(axis, "", "" if axis.has_data() else "no document has a value")
    axis.set_xlabel(xlabel, fontsize=8)
    axis.set_ylabel(ylabel, fontsize=8)
    return figure, None
