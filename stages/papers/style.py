"""How figures are saved: the same bytes for the same picture."""

from io import StringIO
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure

from stages.papers.svg import compact

mpl.use("agg")
mpl.rcParams["svg.hashsalt"] = "attention-on-trial"  # else every run invents new element ids
mpl.rcParams["svg.fonttype"] = "none"  # text stays text: small files, searchable
mpl.rcParams["figure.max_open_warning"] = 0  # a page draws its figures, then saves them

DENSE, DPI = 400, 200  # points of a scatter above which they become an image, and its resolution


def save_svg(figure: Figure, path: Path, cropped: bool = True) -> None:
    """Write line art without a date in it; dense clouds of points are an image inside it."""
    for axis in figure.axes:
        _rasterised_if_dense(axis)
    written = StringIO()
    metadata = {"Date": None, "Creator": None}
    if cropped:
        figure.savefig(written, format="svg", dpi=DPI, bbox_inches="tight", metadata=metadata)
    else:
        figure.set_dpi(DPI)
        canvas = FigureCanvasSVG(figure)  # by itself, because savefig draws twice
        canvas.print_svg(written, metadata=metadata)  # type: ignore[no-untyped-call]
    path.write_text(compact(written.getvalue()), encoding="utf-8")


def _rasterised_if_dense(axis: Axes) -> None:
    """Lines and everything else stay lines."""
    clouds = [c for c in axis.collections if isinstance(c, PathCollection)]
    dots = [line for line in axis.lines if line.get_linestyle() == "None"]
    count = sum(len(np.asarray(c.get_offsets())) for c in clouds)
    count += sum(len(np.asarray(line.get_xdata())) for line in dots)
    if count > DENSE:
        for artist in (*clouds, *dots):
            artist.set_rasterized(True)
