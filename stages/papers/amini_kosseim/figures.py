"""Figures 1 and 2 of Amini & Kosseim 2022, and three of our own on what AtteFa measures."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from stages.papers.amini_kosseim.evidence import (
    BEST,
    Results,
    optimised,
    published_runs,
    runs_of,
)
from stages.papers.amini_kosseim.panels import COLOURS, CURVES, MOCK, MODELS, REAL
from stages.papers.amini_kosseim.tables import published, table_3
from stages.papers.shared.results import of
from stages.statistics.attefa import LARGEST, of_constant

Drawn = tuple[Figure, pd.DataFrame]
GREY = "#777777"
WAYS = {
    "published": ("as published", "C1"),
    "warm": ("warm start", "C2"),
    "longer": ("longer, faster", "C4"),
    "held": ("answers first,\nattention held", "C9"),
    BEST: ("lowest loss of all", "black"),
}
MEAN = {"fmt": "o-", "ms": 4, "capsize": 2}
QUANTITIES = {"attefa": "AtteFa", "tvd": "TVD of outputs", "jsd": "JSD of attention"}


def _spread(axis: Axes, at: float, runs: pd.DataFrame, colour: str, width: float) -> None:
    """A violin of AtteFa where there are enough runs to have a shape, and every run as a dot."""
    values = runs["attefa"].to_numpy(float)
    if len(values) >= 4 and values.std() > 1e-6:
        parts = axis.violinplot([values], positions=[at], widths=width, showextrema=False)
        for body in list(parts["bodies"]):  # type: ignore[call-overload]
            body.set_facecolor(colour)
            body.set_alpha(0.35)
    axis.plot([at] * len(values), values, ".", color=colour, ms=5, alpha=0.8)


def _finish(axis: Axes, results: Results, names: dict[str, str], label: str) -> None:
    """Data sets along the x axis, and a legend to the right."""
    titles = [results.title(panel).replace(": ", ":\n") for panel in names]
    axis.set_xticks(range(len(names)), titles, fontsize=8)
    axis.set_ylabel(label)
    axis.grid(lw=0.5, axis="y")
    axis.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1, 1))


def figure_1(results: Results) -> Drawn:
    """AtteFa of every run on real data, both encoders."""
    names = results.among(REAL)
    figure, axis = plt.subplots(figsize=(1.7 * max(len(names), 2) + 1, 3.6), layout="constrained")
    means = published("Table 3")["attefa"].droplevel("seed")
    runs = published_runs(results)
    runs = runs[runs["panel"].isin(names)]
    for place, panel in enumerate(names):
        for side, model in enumerate(MODELS):
            at = place - 0.2 + 0.4 * side
            chosen = runs[(runs["panel"] == panel) & (runs["model"] == model)]
            _spread(axis, at, chosen, COLOURS[model], 0.34)
            axis.plot([at - 0.15, at + 0.15], [means[panel, model]] * 2, color="black", lw=1)
    for model, title in MODELS.items():
        axis.plot([], [], "s", color=COLOURS[model], label=title)
    axis.plot([], [], color="black", lw=1, label="published mean")
    axis.set_ylim(bottom=0)
    _finish(axis, results, names, "AtteFa")
    columns = ["panel", "dataset", "model", "seed", "adversary", "attefa"]
    theirs = means.rename("published_mean").reset_index()
    return figure, runs[columns].merge(theirs, on=["panel", "model"], how="left")


def figure_2(results: Results) -> Drawn:
    """TVD against JSD: the published runs, ours, and our sweep of Wiegreffe & Pinter's loss."""
    figure, axes = plt.subplots(
        1, len(CURVES), figsize=(14, 3.4), sharey=True, layout="constrained"
    )
    theirs = published("Table 5").reset_index()
    theirs = theirs[(theirs["model"] == "lstm") & theirs["panel"].isin(CURVES)]
    parts = [theirs.assign(source="published")]
    for axis, panel in zip(axes, CURVES, strict=True):
        dataset = results.panels.get(panel, "")
        swept, runs = (runs_of(results, dataset, "lstm", name) for name in ("sweep", "published"))
        curve = swept.groupby("strength")[["jsd", "tvd"]].mean().reset_index()
        for table, style, colour, label in (
            (theirs[theirs["panel"] == panel], "x", GREY, "bounded loss, published"),
            (runs, "x", "C3", "bounded loss, ours"),
            (curve, "o:", "C0", "swept loss, ours, one strength each"),
        ):
            axis.plot(table["jsd"], table["tvd"], style, color=colour, label=label)
        parts += [t.assign(source=s, panel=panel) for t, s in ((runs, "ours"), (curve, "sweep"))]
        title = results.heading(panel) if len(runs) else f"{panel}: no usable run"
        axis.set_title(results.marked(title, dataset), fontsize=10)
        axis.axvline(LARGEST, color=GREY, lw=0.8)
        axis.set(xlim=(-0.02, 0.72), xlabel="attention: JSD from the base")
        axis.grid(lw=0.5)
    axes[0].set_ylabel("output: TVD from the base")
    axes[0].legend(fontsize=8, loc="upper left")
    columns = ["panel", "source", "strength", "seed", "adversary", "jsd", "tvd"]
    return figure, pd.concat(parts, ignore_index=True).reindex(columns=columns)


def trend(results: Results) -> Drawn:
    """AtteFa and its two parts over the Mock sets, published and ours."""
    table = table_3(results)
    table = table[table["panel"].isin(MOCK)]
    figure, axes = plt.subplots(1, 3, figsize=(12, 3.4), layout="constrained")
    for axis, (column, title) in zip(axes, QUANTITIES.items(), strict=True):
        for model, label in MODELS.items():
            rows, colour = table[table["model"] == model], COLOURS[model]
            places = [list(MOCK).index(panel) for panel in rows["panel"]]
            axis.errorbar(
                places, rows[column], rows[f"{column}_sd"], **MEAN, color=colour, label=label
            )
            theirs = published("Table 3")[column].droplevel("seed").xs(model, level="model")
            style = {"color": colour, "ms": 3, "alpha": 0.5}
            axis.plot(
                range(len(MOCK)), theirs[list(MOCK)], "s:", label=f"{label}, published", **style
            )
        axis.set_xticks(range(len(MOCK)), list(MOCK), fontsize=7, rotation=30)
        axis.set_title(title, fontsize=10)
        axis.set_ylim(bottom=-0.02)
        axis.grid(lw=0.5, axis="y")
    axes[0].legend(fontsize=7, loc="upper right")
    both = [name + suffix for name in QUANTITIES for suffix in ("", "_published")]
    return figure, table.reindex(
        columns=["panel", "model", *both, *(f"{name}_sd" for name in QUANTITIES)]
    )


def restarts(results: Results) -> Drawn:
    """MLP: the published procedure against better optimisation, every run."""
    names, runs = results.panels, optimised(results)
    figure, axis = plt.subplots(figsize=(1 * max(len(names), 4) + 2, 3.6), layout="constrained")
    for side, (way, (title, colour)) in enumerate(WAYS.items()):
        some = runs[runs["way"] == way]
        for place, dataset in enumerate(names.values()):
            at = place - 0.32 + 0.16 * side
            _spread(axis, at, some[some["dataset"] == dataset], colour, 0.14)
        if len(some):
            axis.plot([], [], ".", color=colour, label=title)
    axis.axhline(0.5, color=GREY, lw=0.8, ls="--", label="constant output,\nall attention moved")
    axis.set_ylim(-0.02, 1.02)
    _finish(axis, results, names, "AtteFa of the MLP")
    return figure, runs[["dataset", "way", "seed", "adversary", "attefa", "collapsed"]]


def mass(results: Results) -> Drawn:
    """MLP on Mock data: AtteFa against the attention mass of the base on informative words."""
    figure, axis = plt.subplots(figsize=(5.4, 3.8), layout="constrained")
    parts = [results.runs[:0].assign(mass=0.0, panel="")]
    for number, (panel, dataset) in enumerate(results.among(MOCK).items()):
        runs = runs_of(results, dataset, "mlp")
        of_base = of(results.bases, dataset, "mlp").groupby("seed")["informative_mass"].mean()
        parts.append(runs.assign(mass=runs["seed"].map(of_base), panel=panel))
        for collapsed, marker in ((True, "x"), (False, "o")):
            some = parts[-1][runs["collapsed"] == collapsed]
            axis.plot(some["mass"], some["attefa"], marker, color=f"C{number}", ms=5, alpha=0.8)
        axis.plot([], [], "s", color=f"C{number}", label=panel)
    grid = np.linspace(0.02, 0.999, 200)
    axis.plot(grid, of_constant(grid), "k--", lw=1, label="constant output,\nsure base")
    axis.plot([], [], "x", color="black", label="collapsed")
    axis.plot([], [], "o", color="black", label="not collapsed")
    axis.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.04), ylabel="AtteFa, published procedure")
    axis.set_xlabel("mass of the base on informative words")
    axis.grid(lw=0.5)
    axis.legend(fontsize=7, loc="upper left", bbox_to_anchor=(1, 1))
    columns = ["panel", "seed", "adversary", "mass", "attefa", "collapsed"]
    return figure, pd.concat(parts, ignore_index=True)[columns]
