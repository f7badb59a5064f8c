"""Saves figures reproducibly: the same figure gives the same bytes."""

from io import StringIO
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure

from stages.papers.shared.svg import compact

mpl.use("agg")
mpl.rcParams["svg.hashsalt"] = "attention-on-trial"  # element ids are random without it
mpl.rcParams["svg.fonttype"] = "none"  # text is kept as text: small files, searchable
mpl.rcParams["figure.max_open_warning"] = 0  # the figures of a page are open at the same time

DENSE, DPI = 400, 200  # scatter plots with more points are rasterised, at this resolution


def save_svg(figure: Figure, path: Path, cropped: bool = True) -> None:
    """Write an SVG without a date; dense scatter plots in it are rasterised."""
    for axis in figure.axes:
        _rasterised_if_dense(axis)
    text = StringIO()
    metadata = {"Date": None, "Creator": None}
    if cropped:
        figure.savefig(text, format="svg", dpi=DPI, bbox_inches="tight", metadata=metadata)
    else:
        figure.set_dpi(DPI)
        canvas = FigureCanvasSVG(figure)  # savefig would draw twice
        canvas.print_svg(text, metadata=metadata)  # type: ignore[no-untyped-call]
    path.write_text(compact(text.getvalue()), encoding="utf-8")


def _rasterised_if_dense(axis: Axes) -> None:
    """Rasterise the points of an axis with more than DENSE of them."""
    clouds = [c for c in axis.collections if isinstance(c, PathCollection)]
    dots = [line for line in axis.lines if line.get_linestyle() == "None"]
    count = sum(len(np.asarray(c.get_offsets())) for c in clouds)
    count += sum(len(np.asarray(line.get_xdata())) for line in dots)
    if count > DENSE:
        for artist in (*clouds, *dots):
            artist.set_rasterized(True)
