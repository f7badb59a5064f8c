"""Sentences as heat strips: the background of each word is as dark as its weight.

Hue 202 and full saturation as in the pages that Jain & Wallace 2019 released. There lightness
follows the weight itself; here it is scaled to the largest weight of the strip, which the caption
gives, because a strip of nearly uniform weights would be white.
"""

import colorsys
import textwrap
from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

HUE = 202 / 360
FAINTEST = 0.01  # share of the largest weight below which nothing is drawn
WIDTH, LINE = 92, 0.17  # characters on a line, inches for it
CHARACTER = 0.0627  # inches: 7.5 points of a monospaced font


@dataclass(frozen=True)
class Strip:
    """Words with their weights and a caption; a heading starts a new example."""

    caption: str
    words: list[str]
    weights: np.ndarray
    heading: str = ""


def draw_strips(strips: list[Strip]) -> Figure:
    """All strips below one another in one figure."""
    if not strips:
        figure = plt.figure(figsize=(4, 0.4))
        figure.text(0.5, 0.5, "no example that may be shown", ha="center", va="center", fontsize=8)
        return figure
    filled = textwrap.TextWrapper(WIDTH - 1, break_long_words=False, break_on_hyphens=False)
    lines = [filled.wrap(" ".join(strip.words)) for strip in strips]
    heights = [
        len(rows) + 1 + (1.4 if s.heading else 0.4) for rows, s in zip(lines, strips, strict=True)
    ]
    total = sum(heights)
    figure = plt.figure(figsize=((WIDTH + 3) * CHARACTER, LINE * total + 0.2))
    axis = figure.add_axes((0, 0, 1, 1))
    axis.set_xlim(-1, WIDTH + 2)
    axis.set_ylim(total, 0)
    axis.set_axis_off()
    top = 0.0
    for strip, rows, height in zip(strips, lines, heights, strict=True):
        _strip(axis, strip, rows, top)
        top += height
    return figure


def _strip(axis: Axes, strip: Strip, lines: list[str], top: float) -> None:
    y = top + 0.9
    if strip.heading:
        axis.text(0, y, strip.heading, fontsize=8.5, weight="bold", va="center", parse_math=False)
        y += 1
    axis.text(0, y, strip.caption, fontsize=7.5, color="#444444", va="center", parse_math=False)
    shares = iter(strip.weights / max(float(np.max(strip.weights)), 1e-9))
    for line in lines:
        y += 1
        x = 0
        for word, share in zip(line.split(" "), shares, strict=False):
            if share > FAINTEST:
                colour = colorsys.hls_to_rgb(HUE, 1 - 0.5 * share, 1.0)
                box = (x - 0.2, y - 0.47), len(word) + 0.4, 0.94
                axis.add_patch(Rectangle(*box, color=colour, lw=0))
            x += len(word) + 1
        axis.text(0, y, line, fontsize=7.5, family="monospace", va="center", parse_math=False)
