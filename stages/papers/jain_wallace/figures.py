"""Figures 2-8 of Jain & Wallace 2019: all panels of a figure on one sheet.

A panel has a histogram, or horizontal violins, by predicted class. It is square, without top and
right spines; colours are the paper's. Without runs of its data set it is empty, with the reason.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from matplotlib.mlab import GaussianKDE
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from stages.papers.jain_wallace.evidence import BOTH, GRADIENT, LOO, Results
from stages.papers.jain_wallace.panels import ENCODERS, PANELS, REASONS
from stages.papers.jain_wallace.tables import BINS, OVERALL, attention_bin
from stages.papers.shared.results import of
from stages.papers.shared.writing import Drawn

Draw = Callable[[Axes, pd.DataFrame], None]
GATED = "not run, or below the gate"
WIDTH, HEIGHT = 224, 206  # of a picture of the grid, in points
SHEET = ("bilstm", "average")  # the encoders the paper's figures show
COLOURS = {"0": "#7570b3", "1": "#d95f02", "2": "#1b9e77", OVERALL: "#666666"}
ABSENT: dict[str, Any] = {"va": "center", "fontsize": 7, "color": "#777777", "zorder": 3}
ABSENT["bbox"] = {"facecolor": "white", "edgecolor": "none", "pad": 1}
Floats = NDArray[np.float64]
CUT = 0.02  # how far a violin reaches beyond its data, in bandwidths


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


def split(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Rows by predicted class where there are fewer than four classes, else all in one group."""
    classes = sorted(rows["predicted"].unique())
    if len(classes) > 3:
        return {OVERALL: rows}
    # answers to questions are word indices: the colour follows their rank
    numbered = all(name < 3 for name in classes)
    place = {name: str(name if numbered else rank) for rank, name in enumerate(classes)}
    return {place[name]: rows[rows["predicted"] == name] for name in classes}


def framed(axis: Axes, title: str, absent: str = "") -> None:
    """Square, without top and right spines, titled; an empty panel shows the text `absent`."""
    axis.set_box_aspect(1)
    axis.spines[["top", "right"]].set_visible(False)
    axis.tick_params(labelsize=7)
    axis.set_title(title, fontsize=8)
    if absent:
        axis.set_xticks([])
        axis.set_yticks([])
        axis.annotate(absent, (0.5, 0.5), xycoords="axes fraction", **ABSENT, ha="center")


def histogram(
    axis: Axes, rows: pd.DataFrame, value: str, bins: int, limits: tuple[float, float]
) -> None:
    """One histogram per class, each summing to one, overlaid."""
    for name, group in split(rows).items():
        values = group[value].dropna().to_numpy()
        if len(values):
            counts, edges = np.histogram(values.clip(*limits), bins, limits)
            _bars(axis, edges, counts / len(values), COLOURS[name])
    axis.autoscale_view()
    axis.set_xlim(*limits)
    axis.set_ylim(bottom=0)


def _bars(axis: Axes, edges: np.ndarray, heights: np.ndarray, colour: str) -> None:
    """All bars as one artist, which is several times as fast as one artist per bar."""
    left, right, base = edges[:-1], edges[1:], np.zeros(len(heights))
    x = np.stack([left, right, right, left], axis=1)
    y = np.stack([base, base, heights, heights], axis=1)
    corners = np.stack([x, y], axis=2)  # (bars, 4, 2)
    axis.add_collection(PolyCollection(list(corners), fc=colour, ec="black", lw=0.4, alpha=0.6))


def violins(axis: Axes, rows: pd.DataFrame, value: str, limits: tuple[float, float]) -> None:
    """Horizontal violins by largest weight (small on top), classes side by side in a bin."""
    groups = split(rows)
    height = 0.8 / max(len(groups), 1)
    for rank, (name, group) in enumerate(groups.items()):
        bins = attention_bin(group["max_attention"])
        bodies = [group.loc[bins == label, value].to_numpy() for label in BINS]
        outlines = [_outline(values) for values in bodies]
        tallest = max((y.max() for _, y in outlines if len(y)), default=1.0)
        for place, (values, (x, y)) in enumerate(zip(bodies, outlines, strict=True)):
            centre = place - 0.4 + height * (rank + 0.5)
            _violin(axis, values, x, y * height / 2 / tallest, centre, COLOURS[name])
    axis.set_xlim(*limits)
    axis.set_ylim(len(BINS) - 0.5, -0.5)
    axis.set_yticks(range(len(BINS)), BINS)


def _outline(values: Floats) -> tuple[Floats, Floats]:
    """Places and density of one violin; empty for too few or constant values."""
    if len(values) < 3 or values.std() == 0:
        return np.empty(0), np.empty(0)
    density = GaussianKDE(values)
    reach = CUT * density.factor * values.std(ddof=1)
    places = np.linspace(values.min() - reach, values.max() + reach, 60)
    return places, density(places)


def _violin(axis: Axes, values: Floats, x: Floats, y: Floats, centre: float, colour: str) -> None:
    if not len(x):  # too few for a density: one dot per document
        axis.plot(values, np.full(len(values), centre), ".", ms=3, color=colour)
        return
    axis.fill_between(x, centre - y, centre + y, color=colour, ec="black", lw=0.5)
    for at, line in zip(np.quantile(values, (0.25, 0.5, 0.75)), (":", "--", ":"), strict=True):
        reach = np.interp(at, x, y)
        axis.plot([at, at], [centre - reach, centre + reach], line, color="black", lw=0.8)


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
