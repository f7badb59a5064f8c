"""Figures 1-5 of Sun & Lu 2020 and the scatter plots of its supplement."""

from collections.abc import Sequence

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes

from stages.papers.shared.drawing import mark_not_run
from stages.papers.shared.writing import Drawn
from stages.papers.sun_lu.evidence import NEUTRAL, Results, of, polar_groups
from stages.papers.sun_lu.panels import BINARY, MODELS, MODERATE, heading
from stages.papers.sun_lu.tables import table_2

MARKS = {"positive": ("C0", "+"), "negative": ("C1", "."), NEUTRAL: ("C2", "x")}
NAMES = {"positive": "Pos", "negative": "Neg", NEUTRAL: "Neutral"}
POLARITY, ATTENTION = ("polarity_score", "Polarity Score"), ("attention_score", "Attention Score")
Panel = tuple[str, str, float, tuple[str, str]]  # the paper's data set, model, lambda, measure


def marks(groups: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Colour and marker of each group; of more than two classes in matplotlib's order."""
    if set(groups) <= set(MARKS):
        return {group: MARKS[group] for group in MARKS if group in groups}
    ordered = [g for g in groups if g != NEUTRAL] + [NEUTRAL]
    return {group: (f"C{i}", "x" if group == NEUTRAL else "+") for i, group in enumerate(ordered)}


def scatter(axis: Axes, rows: pd.DataFrame, column: str, label: str) -> None:
    """Scores of tokens against their rank by frequency."""
    if not len(rows):
        mark_not_run(axis)
    groups = [*polar_groups(rows), NEUTRAL]
    order = marks(groups)
    for group in sorted(order, key=lambda g: g != NEUTRAL):  # neutral is drawn first
        chosen = rows[rows["group"] == group]
        colour, marker = order[group]
        name = NAMES.get(group, group)
        size = 10 if marker == "." else 14
        axis.scatter(
            chosen["token"], chosen[column], s=size, c=colour, marker=marker, lw=0.7, label=name
        )
    axis.set_xlabel("Token Index")
    axis.set_ylabel(label)
    axis.locator_params(axis="x", nbins=5)  # five-digit labels would overlap
    axis.grid(ls="--", lw=0.5)
    axis.set_axisbelow(True)
    if len(rows):
        handles, names = axis.get_legend_handles_labels()
        kept = [names.index(NAMES.get(g, g)) for g in order]
        axis.legend([handles[i] for i in kept], [names[i] for i in kept], fontsize=8)


def first_seed(results: Results, name: str, model: str, value: float) -> pd.DataFrame:
    """Token scores of the first seed; the paper shows one run."""
    rows = of(results.tokens, name, model, value)
    return rows[rows["seed"] == rows["seed"].min()]


def sheet(results: Results, panels: Sequence[Sequence[Panel]]) -> Drawn:
    """A grid of scatter plots, and their scores."""
    height, width = len(panels), max(map(len, panels))
    figure, axes = plt.subplots(
        height, width, figsize=(4.6 * width, 3.2 * height), squeeze=False, layout="constrained"
    )
    shown = []
    for line, places in zip(axes, panels, strict=True):
        for axis, (panel, model, value, (column, label)) in zip(line, places, strict=True):
            name = results.panels.get(panel, "")
            rows = first_seed(results, name, model, value)
            scatter(axis, rows, column, label)
            title = heading(panel, name) if name else panel
            axis.set_title(f"{title}, {model.upper()}, $\\lambda$ = {value:g}", fontsize=9)
            kept = rows[["dataset", "model", "value", "seed", "token", "group", column]]
            shown.append(kept.rename(columns={column: "score"}).assign(measure=column))
    return figure, pd.concat(shown, ignore_index=True)


def figure_2(results: Results) -> Drawn:
    """Polarity (top) and attention scores (bottom) at lambda 10."""
    rows = [[(p, "dp", MODERATE, measure) for p in BINARY] for measure in (POLARITY, ATTENTION)]
    return sheet(results, rows)


def figure_3(results: Results) -> Drawn:
    """SST at lambda 100, and the attention scores of three classes at 10."""
    panels = [
        ("SST", "dp", 100.0, POLARITY),
        ("SST", "dp", 100.0, ATTENTION),
        ("20News II", "dp", MODERATE, ATTENTION),
    ]
    return sheet(results, [panels])


def figure_4(results: Results) -> Drawn:
    """Additive attention on SST."""
    return sheet(results, [[("SST", "ad", MODERATE, m) for m in (POLARITY, ATTENTION)]])


def figure_5(results: Results) -> Drawn:
    """Mean attention weight of a token in the test documents of SST, by group."""
    rows = first_seed(results, results.panels.get("SST", ""), "dp", MODERATE)
    rows = rows[rows["test_count"] > 0]
    figure, axis = plt.subplots(figsize=(5, 4), layout="constrained")
    groups = [g for g in MARKS if (rows["group"] == g).any()]
    values = [rows.loc[rows["group"] == g, "test_weight"].to_numpy() for g in groups]
    axis.boxplot(values, tick_labels=[NAMES[g] for g in groups])
    axis.set_ylabel("Average Attention Weight")
    axis.set_ylim(0, max(0.7, *(float(v.max()) * 1.05 for v in values)) if values else 0.7)
    axis.grid(ls="--", lw=0.5, axis="y")
    return figure, rows[["dataset", "seed", "token", "group", "test_count", "test_weight"]]


def accuracy_by_scale(results: Results) -> Drawn:
    """Table 2 as a figure: accuracy against lambda, ours and published."""
    table = table_2(results)
    panels = list(dict.fromkeys(table["panel"]))
    figure, axes = plt.subplots(
        1, len(panels), figsize=(3.6 * len(panels), 3.2), squeeze=False, layout="constrained"
    )
    for axis, panel in zip(axes[0], panels, strict=True):
        rows = table[table["panel"] == panel]
        for number, model in enumerate(MODELS):
            ordered = rows[rows["model"] == model].sort_values("value")
            axis.errorbar(
                ordered["value"],
                ordered["ours"],
                ordered["sd"],
                color=f"C{number}",
                marker="o",
                ms=3,
                lw=1.2,
                label=model.upper(),
            )
            axis.plot(ordered["value"], ordered["published"], color=f"C{number}", ls=":", lw=1)
        axis.set_xscale("log")
        axis.set_title(heading(panel, rows["dataset"].iloc[0]), fontsize=9)
        axis.set_xlabel("$\\lambda$")
        axis.grid(ls="--", lw=0.5)
    axes[0][0].set_ylabel("Test accuracy, % (dotted: published)")
    axes[0][-1].legend(fontsize=7, loc="lower right")
    return figure, table


def labels_toward(results: Results) -> Drawn:
    """Supplement Figures 25-27: polarity of each label's tokens toward every label."""
    name = results.panels.get("20News II", "")
    rows = first_seed(results, name, "dp", MODERATE)
    columns = [c for c in rows.columns if c.startswith("toward_") and rows[c].notna().any()]
    labels = [column.removeprefix("toward_") for column in columns]
    width = max(len(labels), 1)
    figure, axes = plt.subplots(
        1, width, figsize=(4.6 * width, 3.2), squeeze=False, layout="constrained"
    )
    for axis, group in zip(axes[0], labels, strict=False):
        chosen = rows[rows["group"] == group]
        for place, column in enumerate(columns):
            axis.scatter(
                chosen["token"],
                chosen[column],
                s=14,
                c=f"C{place}",
                marker="x",
                lw=0.8,
                label=f"toward {labels[place]}",
            )
        axis.set_title(f"{heading('20News II', name)}: tokens of {group}", fontsize=9)
        axis.set_xlabel("Token Index")
        axis.grid(ls="--", lw=0.5)
        axis.legend(fontsize=7)
    axes[0][0].set_ylabel("Polarity Score")
    return figure, rows[["dataset", "seed", "token", "group", *columns]]
