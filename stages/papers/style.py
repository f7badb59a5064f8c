"""How figures are saved: the same bytes for the same picture."""

from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

mpl.use("agg")
mpl.rcParams["svg.hashsalt"] = "attention-on-trial"  # else every run invents new element ids
mpl.rcParams["svg.fonttype"] = "none"  # text stays text: small files, searchable
mpl.rcParams["figure.max_open_warning"] = 0  # a page draws its figures, then saves them


def save_svg(figure: Figure, path: Path) -> None:
    """Write line art without a date in it."""
    figure.savefig(path, bbox_inches="tight", metadata={"Date": None, "Creator": None})
