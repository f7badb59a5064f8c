"""Schematic figures from schematics.yaml of a paper, and the mark of an empty panel."""

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, Rectangle

from stages.settings.reading import read_yaml

BLUE, GREY, DARK = "#2589CC", "#bbbbbb", "#333333"


def schematic(path: Path, name: str) -> tuple[Figure, None]:
    """A figure of boxes, bars, arrows and texts; there are no numbers beside it."""
    content = read_yaml(path)[name]
    figure, axis = plt.subplots(figsize=content["size"], layout="constrained")
    axis.set_axis_off()
    axis.set(xlim=content["limits"][0], ylim=content["limits"][1])
    for bars in content.get("bars", ()):
        _bars(axis, **bars)
    for box in content["boxes"]:
        (x, y), (width, height) = box["at"], box["size"]
        axis.add_patch(Rectangle((x, y), width, height, fc="#f3f3f3", ec=DARK, lw=0.8))
        centred: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 7}
        axis.text(x + width / 2, y + height / 2, box["text"], **centred)
    for kind, arrow, colour in (("arrows", "->", GREY), ("double_arrows", "<->", DARK)):
        for *start, x, y in content.get(kind, ()):
            patch = FancyArrowPatch(start, (x, y), arrowstyle=arrow, mutation_scale=9)
            axis.add_patch(patch)
            patch.set(color=colour, lw=1)
    for text in content["texts"]:
        x, y = text.pop("at")
        axis.text(x, y, text.pop("text"), **text)
    return figure, None


def _bars(axis: Axes, at: list[float], title: str, values: list[float]) -> None:
    """A small bar chart with a number above every bar."""
    x, y = at
    for place, value in enumerate(values):
        left, height = x + 0.4 * place, 1.1 * value
        axis.add_patch(Rectangle((left, y), 0.3, height, fc=BLUE, ec="none"))
        axis.plot([left, left + 0.3], [y, y], color=DARK, lw=0.8)
        axis.text(left + 0.15, y + height + 0.05, f"{value:.2f}", ha="center", fontsize=6)
    axis.text(x + 0.75, y + 0.95, title, ha="center", fontsize=8)


def mark_not_run(axis: Axes) -> None:
    """Mark the panel of a model or data set that was not run."""
    axis.text(0.5, 0.5, "not run", transform=axis.transAxes, ha="center", color="#777777")
