"""Pictures of the exhaustive grid of Jain & Wallace 2019: one panel each, all of one size.

There are hundreds, and to make axes and to fit them to their labels takes longer than to draw. So
all pictures with the same frame are drawn on one sheet, wiped in between, with fixed margins.
"""

from functools import cache
from typing import NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from stages.papers.jain_wallace.figures import Draw
from stages.papers.jain_wallace.shapes import framed

WIDTH, HEIGHT = 224, 206  # points
RIGHT, BOTTOM, TOP = 217, 34, 197  # where the panel may reach to


class Frame(NamedTuple):
    """What stands around a panel, and the points its labels on the left need."""

    xlabel: str
    ylabel: str
    left: float = 47


def picture(rows: pd.DataFrame, draw: Draw, frame: Frame) -> Figure:
    """One panel; save it before the next one of the same frame is drawn."""
    figure = _sheet(frame)
    axis = figure.axes[0]
    _wipe(axis)
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


def _wipe(axis: Axes) -> None:
    """Take off what was drawn, and let the limits follow the data again."""
    for artist in (*axis.patches, *axis.lines, *axis.collections, *axis.texts):
        artist.remove()
    axis.relim()
    axis.autoscale()
