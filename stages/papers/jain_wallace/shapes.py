"""Shapes drawn in panels: histograms and horizontal violins by predicted class."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.mlab import GaussianKDE
from numpy.typing import NDArray

from stages.papers.jain_wallace.tables import BINS, OVERALL, attention_bin

COLOURS = {"0": "#7570b3", "1": "#d95f02", "2": "#1b9e77", OVERALL: "#666666"}
ABSENT: dict[str, Any] = {"va": "center", "fontsize": 7, "color": "#777777", "zorder": 3}
ABSENT["bbox"] = {"facecolor": "white", "edgecolor": "none", "pad": 1}
Floats = NDArray[np.float64]
CUT = 0.02  # how far a violin reaches beyond its data, in bandwidths


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
