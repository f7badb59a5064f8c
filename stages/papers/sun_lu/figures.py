"""Figures 2-5 of Sun & Lu 2020, and the scatter plots and courses of training of its supplement.

Courses are means over seeds, bands one standard deviation over seeds; the paper shows one run.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from stages.papers.shared.drawing import mark_not_run
from stages.papers.shared.results import of
from stages.papers.shared.writing import Drawn
from stages.papers.sun_lu.evidence import NEUTRAL, Results, polar_groups, traced
from stages.papers.sun_lu.panels import MODELS, MODERATE, RATIOS, THREE
from stages.papers.sun_lu.tables import published, table_2
from stages.settings.reading import read_yaml

MARKERS = {"negative": ".", NEUTRAL: "x"}  # + for other groups
NAMES = {"positive": "Pos", "negative": "Neg", NEUTRAL: "Neutral"}
SCORES = {  # of tokens, with their labels
    "polarity_score": "Polarity Score",
    "attention_score": "Attention Score",
    "local_attention": "Attention Score, mean in context",
}
Course = Mapping[str, Any]  # a panel: title, run, quantity, label, groups
Panel = tuple[str, str, float, str]  # the paper's data set, model, lambda, score
LAYOUT = read_yaml(Path(__file__).with_name("figures.yaml"))
SHEETS: dict[str, list[list[Panel]]] = LAYOUT["sheets"]
COURSES: dict[str, list[Course]] = LAYOUT["courses"]
GROUPS: dict[str, dict[str, str]] = LAYOUT["groups"]
BOXES = (0, 2, 3, 4, 5, 1)  # the order of pairs in Supplement Figure 2
SST = "SST"


def grid(height: int, width: int, size: tuple[float, float]) -> tuple[Figure, Any]:
    """A figure and its axes (height, width), each of a size in inches."""
    whole = (size[0] * width, size[1] * height)
    return plt.subplots(height, width, figsize=whole, squeeze=False, layout="constrained")


def decorated(axis: Axes, rows: pd.DataFrame) -> None:
    """Grid and axis of a scatter plot of tokens, or the mark of an empty one."""
    axis.set_xlabel("Token Index")
    axis.locator_params(axis="x", nbins=5)  # five-digit labels would overlap
    axis.grid(ls="--", lw=0.5)
    axis.set_axisbelow(True)
    if len(rows):
        axis.legend(fontsize=8)
    else:
        mark_not_run(axis)


def scatter(axis: Axes, rows: pd.DataFrame, column: str, label: str) -> None:
    """Scores of tokens against their rank by frequency; neutral tokens lie below the others."""
    for place, group in enumerate([*polar_groups(rows), NEUTRAL]):
        chosen = rows[rows["group"] == group]
        marker = MARKERS.get(group, "+")
        points = axis.scatter(
            chosen["token"], chosen[column], s=14, c=f"C{place}", marker=marker, lw=0.7
        )
        points.set(label=NAMES.get(group, group), zorder=1.9 if group == NEUTRAL else 2)
    axis.set_ylabel(label)
    decorated(axis, rows)


def first_seed(results: Results, name: str, model: str, value: float) -> pd.DataFrame:
    """Token scores of the first seed; the paper shows one run."""
    rows = of(results.tokens, name, model, value)
    return rows[rows["seed"] == rows["seed"].min()]


def sheet(results: Results, panels: Sequence[Sequence[Panel]]) -> Drawn:
    """A grid of scatter plots, and their scores."""
    figure, axes = grid(len(panels), len(panels[0]), (4.6, 3.2))
    shown = []
    places = zip(axes.flat, (p for line in panels for p in line), strict=True)
    for axis, (panel, model, value, column) in places:
        name = results.dataset(panel)
        rows = first_seed(results, name, model, value)
        scatter(axis, rows, column, SCORES[column])
        title = f"{results.heading(panel)}, {model.upper()}, $\\lambda$ = {value:g}"
        axis.set_title(results.marked(title, name), fontsize=9)
        kept = rows[["dataset", "model", "value", "seed", "token", "group", column]]
        shown.append(kept.rename(columns={column: "score"}).assign(measure=column))
    return figure, pd.concat(shown, ignore_index=True)


def figure_5(results: Results) -> Drawn:
    """Mean attention weight of a token in the test documents of SST, by group."""
    name = results.dataset(SST)
    rows = first_seed(results, name, "dp", MODERATE)
    rows = rows[rows["test_count"] > 0]
    figure, axis = plt.subplots(figsize=(5, 4), layout="constrained")
    groups = [g for g in NAMES if (rows["group"] == g).any()]
    values = [rows.loc[rows["group"] == g, "test_weight"].to_numpy() for g in groups]
    if groups:
        axis.boxplot(values, tick_labels=[NAMES[g] for g in groups])
    axis.set_title(results.title(SST), fontsize=9)
    axis.set_ylabel("Average Attention Weight")
    axis.set_ylim(0, max([0.7, *(float(v.max()) * 1.05 for v in values)]))
    axis.grid(ls="--", lw=0.5, axis="y")
    return figure, rows[["dataset", "seed", "token", "group", "test_count", "test_weight"]]


def accuracy_by_scale(results: Results) -> Drawn:
    """Table 2 as a figure: accuracy of all runs against lambda, ours and published."""
    table = table_2(results)
    table = table[table["panel"].isin(results.panels)]
    figure, axes = grid(1, len(results.panels), (3.6, 3.2))
    for axis, (panel, name) in zip(axes[0], results.panels.items(), strict=True):
        for number, model in enumerate(MODELS):
            rows = table[(table["dataset"] == name) & (table["model"] == model)]
            style = {"color": f"C{number}", "label": model.upper()}
            axis.errorbar(rows["value"], rows["ours"], rows["sd"], marker="o", ms=3, **style)
            axis.plot(rows["value"], rows["published"], color=f"C{number}", ls=":", lw=1)
        axis.set_xscale("log")
        axis.set_title(results.heading(panel), fontsize=9)
        axis.set_xlabel("$\\lambda$")
        axis.grid(ls="--", lw=0.5)
    axes[0][0].set_ylabel("Test accuracy, % (dotted: published)")
    axes[0][-1].legend(fontsize=7, loc="lower right")
    return figure, table


def labels_toward(results: Results) -> Drawn:
    """Supplement Figures 25-27: polarity of each label's tokens toward every label."""
    name = results.dataset(THREE)
    rows = first_seed(results, name, "dp", MODERATE)
    columns = [c for c in rows.columns if c.startswith("toward_") and rows[c].notna().any()]
    labels = [column.removeprefix("toward_") for column in columns]
    figure, axes = grid(1, max(len(labels), 1), (4.6, 3.2))
    for axis, group in zip(axes[0], labels or [""], strict=True):
        chosen = rows[rows["group"] == group]
        for place, column in enumerate(columns):
            points = axis.scatter(
                chosen["token"], chosen[column], s=14, c=f"C{place}", marker="x", lw=0.8
            )
            points.set_label(f"toward {labels[place]}")
        title = f"{results.heading(THREE)}: tokens of {group}"
        axis.set_title(results.marked(title, name), fontsize=9)
        decorated(axis, chosen)
    axes[0][0].set_ylabel("Polarity Score")
    return figure, rows[["dataset", "seed", "token", "group", *columns]]


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
