"""Figures of the supplement of Sun & Lu 2020 with quantities over training.

Lines are means over seeds, bands one standard deviation over seeds; the paper shows one run.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from stages.papers.shared.drawing import mark_not_run
from stages.papers.shared.results import of
from stages.papers.shared.writing import Drawn
from stages.papers.sun_lu.evidence import Results, traced
from stages.papers.sun_lu.figures import LAYOUT, grid
from stages.papers.sun_lu.panels import MODERATE, RATIOS
from stages.papers.sun_lu.tables import published

Course = Mapping[str, Any]  # a panel: title, run, quantity, label, groups
COURSES: dict[str, list[Course]] = LAYOUT["courses"]
GROUPS: dict[str, dict[str, str]] = LAYOUT["groups"]
BOXES = (0, 2, 3, 4, 5, 1)  # the order of pairs in Supplement Figure 2


def lines(axis: Axes, results: Results, course: Course) -> list[pd.DataFrame]:
    """A traced quantity against epochs, one line for each group."""
    run = (course["dataset"], course["model"], course.get("value"))
    quantity = course["quantity"]
    shown = []
    for number, (group, name) in enumerate(GROUPS[course["groups"]].items()):
        values = traced(results, run, quantity, group)
        if not values.size:
            continue
        mean, sd = values.mean(axis=1), values.std(axis=1, ddof=0)
        axis.plot(values.index, mean, color=f"C{number}", label=name)
        axis.fill_between(values.index, mean - sd, mean + sd, color=f"C{number}", alpha=0.15, lw=0)
        about = {"dataset": run[0], "model": run[1], "quantity": quantity, "group": group}
        columns = {"epoch": values.index, "mean": mean, "sd": sd, "seeds": values.shape[1]}
        shown.append(pd.DataFrame(columns).assign(**about))
    if shown:
        axis.legend(fontsize=7)
        axis.margins(y=0.15)
    else:
        mark_not_run(axis)
    axis.set(xlabel="Epoch", ylabel=course["label"])
    axis.set_title(results.marked(course["title"], run[0]), fontsize=9)
    axis.grid(ls="--", lw=0.5)
    return shown


def courses(results: Results, panels: Sequence[Course]) -> Drawn:
    """Panels side by side, at most three in a row."""
    width = min(len(panels), 3)
    figure, axes = grid(len(panels) // width, width, (4.8, 3.4))
    shown = [
        table
        for axis, panel in zip(axes.flat, panels, strict=True)
        for table in lines(axis, results, panel)
    ]
    return figure, pd.concat(shown, ignore_index=True) if shown else pd.DataFrame()


def supplement_2(dots: pd.DataFrame) -> Drawn:
    """Dot products after training, one box for each pair of groups; a sample of pairs."""
    figure, axis = plt.subplots(figsize=(6.4, 4), layout="constrained")
    pairs = [list(GROUPS["pairs"].items())[place] for place in BOXES]
    values = [dots.loc[dots["pair"] == pair, "dot"].to_numpy() for pair, _ in pairs]
    if all(map(len, values)):
        names = [name.lower() for _, name in pairs]
        axis.boxplot(values, tick_labels=names, flierprops={"ms": 2})
    axis.set_ylabel("Dot Product")
    axis.grid(ls="--", lw=0.5, axis="y")
    return figure, dots


def supplement_7(results: Results) -> Drawn:
    """Mean V.W by the ratio of positive to negative documents."""
    products = published("Supplement Figure 7").set_index("panel")["published"]
    rows = []
    for ratio, name in RATIOS.items():
        values = of(results.runs, name, "dp", MODERATE)["product"].to_numpy(np.float64)
        mean, sd = (values.mean(), values.std()) if len(values) else (np.nan, np.nan)
        about = {"ratio": ratio, "ours": mean, "sd": sd, "seeds": len(values)}
        rows.append(about | {"published": products.get(ratio, np.nan)})
    table = pd.DataFrame(rows)
    figure, axis = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
    axis.bar(table["ratio"], table["ours"], yerr=table["sd"], color="C0", capsize=3)
    axis.axhline(0, color="#333333", lw=0.8)
    axis.set(xlabel="positive : negative documents", ylabel="Mean V.W")
    axis.grid(ls="--", lw=0.5, axis="y")
    return figure, table
