"""Pictures of the exhaustive grid of Jain & Wallace 2019: one panel each, all of one size.

There are hundreds, and creating and fitting axes takes longer than drawing. So all pictures with
the same frame reuse one figure with fixed margins, which is cleared in between.
"""

from functools import cache
from typing import NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from stages.papers.jain_wallace.figures import Draw
from stages.papers.jain_wallace.shapes import framed

WIDTH, HEIGHT = 224, 206  # points
RIGHT, BOTTOM, TOP = 217, 34, 197  # limits of the panel


class Frame(NamedTuple):
    """Axis labels of a panel, and its left margin in points."""

    xlabel: str
    ylabel: str
    left: float = 47


def picture(rows: pd.DataFrame, draw: Draw, frame: Frame) -> Figure:
    """One panel; the next one with the same frame reuses the figure, so save it first."""
    figure = _sheet(frame)
    axis = figure.axes[0]
    _clear(axis)
    draw(axis, rows)
    if axis.has_data():
        return figure
    empty = _new_sheet(frame)
    framed(empty.axes[0], "", "no document has a value")
    return empty


def _new_sheet(frame: Frame) -> Figure:
    figure = Figure(figsize=(WIDTH / 72, HEIGHT / 72))
    across, up = RIGHT - frame.left, TOP - BOTTOM
    box = (frame.left / WIDTH, BOTTOM / HEIGHT, across / WIDTH, up / HEIGHT)
    axis = figure.add_axes(box)
    framed(axis, "")
    axis.set_xlabel(frame.xlabel, fontsize=8)
    axis.set_ylabel(frame.ylabel, fontsize=8)
    return figure


_sheet = cache(_new_sheet)


def _clear(axis: Axes) -> None:
    """Remove all artists and reset the limits."""
    for artist in (*axis.patches, *axis.lines, *axis.collections, *axis.texts):
        artist.remove()
    axis.relim()
    axis.autoscale()
