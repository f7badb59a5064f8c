"""Boxes and arrows of schematic figures, and the mark of an empty panel."""

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, Rectangle

BLUE, GREY = "#2589CC", "#bbbbbb"


def sheet(width: float, height: float) -> tuple[Figure, Axes]:
    """An empty sheet without axes."""
    figure, axis = plt.subplots(figsize=(width, height), layout="constrained")
    axis.set_axis_off()
    return figure, axis


def box(axis: Axes, x: float, y: float, width: float, height: float, text: str) -> None:
    """A labelled box."""
    axis.add_patch(Rectangle((x, y), width, height, fc="#f3f3f3", ec="#333333", lw=0.8))
    axis.text(x + width / 2, y + height / 2, text, ha="center", va="center", fontsize=7)


def arrow(axis: Axes, start: tuple[float, float], end: tuple[float, float]) -> None:
    """An arrow from start to end."""
    axis.add_patch(FancyArrowPatch(start, end, arrowstyle="->", mutation_scale=9, color=GREY, lw=1))


def mark_not_run(axis: Axes) -> None:
    """Mark the panel of a model or data set that was not run."""
    axis.text(0.5, 0.5, "not run", transform=axis.transAxes, ha="center", color="#777777")
