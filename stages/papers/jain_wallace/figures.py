"""Figures 2-8 of Jain & Wallace 2019: all panels of a figure on one sheet.

A panel is square, without top and right spines; colours are the paper's, by predicted class. A data
set that was not run has an empty panel with the reason.
"""

from collections.abc import Callable

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.mlab import GaussianKDE
from matplotlib.patches import Rectangle

from stages.papers.jain_wallace.panels import ENCODERS, PANELS, heading
from stages.papers.jain_wallace.shapes import ABSENT, COLOURS, framed, histogram, violins
from stages.papers.jain_wallace.tables import OVERALL

Draw = Callable[[Axes, pd.DataFrame], None]
Marked = Callable[[str, str], str]  # a title and its data set -> the title of the panel
SHEET = ("bilstm", "average")  # the encoders the paper's figures show


def sheet(table: pd.DataFrame, draw: Draw, marked: Marked, xlabel: str, ylabel: str) -> Figure:
    """Every data set of the paper, BiLSTM beside Average, additive attention."""
    present = set(table["dataset"].unique())
    figure, axes = plt.subplots(4, 6, figsize=(15, 11.2), layout="constrained")
    for place, panel in enumerate(PANELS):
        name = panel.dataset(present)
        for offset, encoder in enumerate(SHEET):
            axis = axes[place // 3, 2 * (place % 3) + offset]
            title = marked(f"{heading(panel, name)} ({ENCODERS[encoder]})", name or "")
            rows = table[
                (table["dataset"] == name)
                & (table["encoder"] == encoder)
                & (table["attention"] == "additive")
            ]
            if len(rows):
                draw(axis, rows)
            absent = "" if axis.has_data() else "no document has a value"
            framed(axis, title, absent if len(rows) else panel.absent or "not run")
    figure.supxlabel(xlabel, fontsize=11)
    figure.supylabel(ylabel, fontsize=11)
    figure.legend(*_classes(), loc="outside upper right", ncols=4, frameon=False, fontsize=9)
    return figure


def _classes() -> tuple[list[Rectangle], list[str]]:
    names = [*(f"predicted class {name}" for name in ("0", "1", "2")), "all classes"]
    return [Rectangle((0, 0), 1, 1, color=COLOURS[key]) for key in ("0", "1", "2", OVERALL)], names


def tau_histogram(axis: Axes, rows: pd.DataFrame) -> None:
    """Figure 2: tau of attention and another measure, 30 bins, each class adding up to one."""
    histogram(axis, rows, "tau", 30, (-1, 1))


def divergence_histogram(axis: Axes, rows: pd.DataFrame) -> None:
    """Figure 7: the farthest attention with the same answer, 40 bins."""
    histogram(axis, rows, "last", 40, (0, 0.7))


def shuffled_violins(axis: Axes, rows: pd.DataFrame) -> None:
    """Figure 6: median change under shuffling, by largest weight."""
    violins(axis, rows, "median", (-0.05, 1.05))


def divergence_violins(axis: Axes, rows: pd.DataFrame) -> None:
    """Figure 8: the farthest attention with the same answer, by largest weight."""
    violins(axis, rows, "last", (-0.05, 0.7))


def densities(axis: Axes, rows: pd.DataFrame) -> None:
    """Three correlations: solid attention-LOO, dashed attention-gradient, dotted LOO-gradient."""
    places = np.linspace(-1, 1, 200)
    for pair, line in (
        ("attention-leave_one_out", "-"),
        ("attention-gradient", "--"),
        ("leave_one_out-gradient", ":"),
    ):
        values = rows.loc[rows["pair"] == pair, "tau"].dropna().to_numpy()
        if len(values) > 1 and values.std() > 0:
            axis.plot(places, GaussianKDE(values)(places), line, color="black", lw=1)
    axis.set_xlim(-1, 1)
    axis.set_ylim(bottom=0)


def bars(table: pd.DataFrame, label: str) -> Figure:
    """Figures 3-5: a bar per data set; the line is the mean of those above the gate."""
    figure, axis = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
    rows = {row["panel"]: row for row in table.to_dict("records")}
    titles = []
    for place, panel in enumerate(PANELS):
        row = rows.get(panel.title)
        if row is None:
            titles.append(panel.title)
            axis.text(0.005, place, panel.absent.replace("\n", " ") or "not run", **ABSENT)
            continue
        below = row["below_gate"]
        titles.append(heading(panel, row["dataset"]) + (" (below the gate)" if below else ""))
        error = [[row["value"] - row["low"]], [row["high"] - row["value"]]]
        (bar,) = axis.barh(place, row["value"], 0.7, xerr=error, color=COLOURS["0"])
        bar.set_alpha(0.25 if below else 0.8)
    axis.axvline(0, color="#999999", lw=0.6)
    axis.axvline(table.loc[~table["below_gate"].astype(bool), "value"].mean(), color="#222222")
    axis.set_yticks(range(len(titles)), titles, fontsize=8)
    axis.invert_yaxis()
    axis.set_xlabel(label, fontsize=9)
    axis.tick_params(axis="x", labelsize=8)
    axis.spines[["top", "right"]].set_visible(False)
    return figure
