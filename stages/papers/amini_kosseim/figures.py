"""Figures 1 and 2 of Amini & Kosseim 2022, and three of our own on what AtteFa measures."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from stages.papers.amini_kosseim.evidence import (
    BOUNDED,
    PUBLISHED,
    Results,
    best_runs,
    informative_mass,
    mean_of,
    runs_of,
)
from stages.papers.amini_kosseim.panels import COLOURS, CURVES, MOCK, MODELS, REAL, heading
from stages.papers.amini_kosseim.tables import published, published_value
from stages.statistics.attefa import LARGEST, of_constant

Drawn = tuple[Figure, pd.DataFrame]
GREY = "#777777"
WAYS = {
    "published": "as published",
    "warm": "warm start",
    "longer": "longer, faster",
    "held": "answers first,\nattention held",
}
SHADES = {"published": "C1", "warm": "C2", "longer": "C4", "held": "C9"}


def _spread(axis: Axes, at: float, values: np.ndarray, colour: str, width: float) -> None:
    """A violin where there are enough runs to have a shape, and every run as a dot."""
    if len(values) >= 4 and values.std() > 1e-6:
        parts = axis.violinplot([values], positions=[at], widths=width, showextrema=False)
        for body in list(parts["bodies"]):  # type: ignore[call-overload]
            body.set_facecolor(colour)
            body.set_alpha(0.35)
    axis.plot([at] * len(values), values, ".", color=colour, ms=5, alpha=0.8)


def _ticks(names: dict[str, str]) -> list[str]:
    return [heading(panel, name).replace(": ", ":\n") for panel, name in names.items()]


def figure_1(results: Results) -> Drawn:
    """AtteFa of every run on real data, both encoders."""
    names = results.among(REAL)
    figure, axis = plt.subplots(figsize=(1.7 * max(len(names), 2) + 1, 3.6), layout="constrained")
    shown = []
    for place, (panel, dataset) in enumerate(names.items()):
        for side, model in enumerate(MODELS):
            runs = runs_of(results, dataset, model)
            at = place - 0.2 + 0.4 * side
            _spread(axis, at, runs["attefa"].to_numpy(float), COLOURS[model], 0.34)
            published_mean = published_value(published(), "Table 3", panel, model, "attefa")
            axis.plot([at - 0.15, at + 0.15], [published_mean, published_mean], color="black", lw=1)
            part = runs[["dataset", "model", "seed", "adversary", "attefa"]]
            shown.append(part.assign(panel=panel, published_mean=published_mean))
    for model, title in MODELS.items():
        axis.plot([], [], "s", color=COLOURS[model], label=title)
    axis.plot([], [], color="black", lw=1, label="published mean")
    axis.set_xticks(range(len(names)), _ticks(names), fontsize=8)
    axis.set_ylim(bottom=0)
    axis.set_ylabel("AtteFa")
    axis.grid(lw=0.5, axis="y")
    axis.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1, 1))
    return figure, pd.concat(shown, ignore_index=True) if shown else pd.DataFrame()


def figure_2(results: Results) -> Drawn:
    """TVD against JSD: our sweep of Wiegreffe & Pinter's loss, and the published procedure."""
    names = {panel: results.panels[panel] for panel in CURVES if panel in results.panels}
    figure, axes = plt.subplots(
        1,
        max(len(names), 1),
        figsize=(4 * max(len(names), 1), 3.4),
        squeeze=False,
        layout="constrained",
    )
    shown = []
    for axis, (panel, dataset) in zip(axes[0], names.items(), strict=False):
        swept = runs_of(results, dataset, "lstm", "sweep")
        curve = swept.groupby("strength")[["jsd", "tvd"]].mean().reset_index()
        axis.plot(
            curve["jsd"], curve["tvd"], "o:", color="C0", label="swept loss, one strength each"
        )
        crosses = runs_of(results, dataset, "lstm")
        axis.plot(crosses["jsd"], crosses["tvd"], "x", color="C3", label="bounded loss")
        axis.axvline(LARGEST, color=GREY, lw=0.8)
        axis.set_title(heading(panel, dataset), fontsize=10)
        axis.set_xlim(-0.02, 0.72)
        axis.set_ylim(-0.01, 0.5)
        axis.set_xlabel("attention: JSD from the base")
        axis.grid(lw=0.5)
        both = (("sweep", curve), ("published", crosses))
        shown += [
            part.assign(panel=panel, dataset=dataset, procedure=name).reindex(
                columns=["panel", "dataset", "procedure", "strength", "seed", "jsd", "tvd"]
            )
            for name, part in both
        ]
    if not names:
        axes[0][0].text(0.5, 0.5, "none of its data sets was run", ha="center", va="center")
        return figure, pd.DataFrame()
    axes[0][0].set_ylabel("output: TVD from the base")
    axes[0][0].legend(fontsize=8, loc="upper left")
    return figure, pd.concat(shown, ignore_index=True) if shown else pd.DataFrame()


def trend(results: Results) -> Drawn:
    """AtteFa and its two parts over the Mock sets, published and ours."""
    names, values = results.among(MOCK), published()
    columns = (("attefa", "AtteFa"), ("tvd", "TVD of outputs"), ("jsd", "JSD of attention"))
    figure, axes = plt.subplots(1, 3, figsize=(12, 3.4), layout="constrained")
    shown = []
    for axis, (column, title) in zip(axes, columns, strict=True):
        for model, label in MODELS.items():
            intervals = [
                mean_of(runs_of(results, d, model), column, d, model) for d in names.values()
            ]
            theirs = [published_value(values, "Table 3", panel, model, column) for panel in names]
            colour, places = COLOURS[model], np.arange(len(names))
            mean = np.array([f.value for f in intervals])
            ends = np.abs(np.array([(f.value - f.low, f.high - f.value) for f in intervals]).T)
            axis.errorbar(places, mean, ends, fmt="o-", color=colour, ms=4, label=label, capsize=2)
            axis.plot(
                places, theirs, "s:", color=colour, ms=3, alpha=0.5, label=f"{label}, published"
            )
            shown += [
                {
                    "panel": p,
                    "model": model,
                    "quantity": column,
                    "ours": f.value,
                    "low": f.low,
                    "high": f.high,
                    "published": t,
                }
                for p, f, t in zip(names, intervals, theirs, strict=True)
            ]
        axis.set_xticks(range(len(names)), list(names), fontsize=7, rotation=30)
        axis.set_title(title, fontsize=10)
        axis.set_ylim(bottom=-0.02)
        axis.grid(lw=0.5, axis="y")
    axes[0].legend(fontsize=7, loc="upper right")
    return figure, pd.DataFrame(shown)


def restarts(results: Results) -> Drawn:
    """MLP: the published procedure against better optimisation, every run."""
    names = results.panels
    figure, axis = plt.subplots(figsize=(1 * max(len(names), 4) + 2, 3.6), layout="constrained")
    shown = []
    for place, dataset in enumerate(names.values()):
        for side, way in enumerate(BOUNDED):
            runs = runs_of(results, dataset, "mlp", way)
            at = place - 0.32 + 0.16 * side
            _spread(axis, at, runs["attefa"].to_numpy(float), SHADES[way], 0.14)
            shown.append(runs[["dataset", "procedure", "seed", "adversary", "attefa", "collapsed"]])
        best = best_runs(results, dataset, "mlp")
        if len(best):
            axis.plot(place + 0.32, best["attefa"].mean(), "D", color="black", ms=5)
            shown.append(best.assign(procedure="lowest loss")[shown[-1].columns])
    axis.axhline(0.5, color=GREY, lw=0.8, ls="--", label="constant output,\nall attention moved")
    procedures = set(results.runs["procedure"])
    for way, title in WAYS.items():
        if way in procedures:
            axis.plot([], [], ".", color=SHADES[way], label=title)
    axis.plot([], [], "D", color="black", ms=5, label="lowest loss of all")
    axis.set_xticks(range(len(names)), _ticks(names), fontsize=7)
    axis.set_ylim(-0.02, 1.02)
    axis.set_ylabel("AtteFa of the MLP")
    axis.grid(lw=0.5, axis="y")
    axis.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1, 1))
    return figure, pd.concat(shown, ignore_index=True) if shown else pd.DataFrame()


def mass(results: Results) -> Drawn:
    """MLP on Mock data: AtteFa against the attention mass of the base on informative words."""
    figure, axis = plt.subplots(figsize=(5.4, 3.8), layout="constrained")
    rows = []
    for number, (panel, dataset) in enumerate(results.among(MOCK).items()):
        masses = informative_mass(results, dataset, "mlp")
        runs = runs_of(results, dataset, "mlp")
        points = runs.assign(mass=runs["seed"].map(masses), panel=panel)
        for collapsed, marker in ((True, "x"), (False, "o")):
            some = points[points["collapsed"] == collapsed]
            axis.plot(some["mass"], some["attefa"], marker, color=f"C{number}", ms=5, alpha=0.8)
        axis.plot([], [], "s", color=f"C{number}", label=panel)
        rows.append(points[["panel", "seed", "adversary", "mass", "attefa", "collapsed"]])
    grid = np.linspace(0.02, 0.999, 200)
    axis.plot(grid, of_constant(grid), "k--", lw=1, label="constant output,\nsure base")
    axis.plot([], [], "x", color="black", label="collapsed")
    axis.plot([], [], "o", color="black", label="not collapsed")
    axis.set_xlabel("mass of the base on informative words")
    axis.set_ylabel(f"AtteFa, procedure {PUBLISHED}")
    axis.set_xlim(-0.02, 1.02)
    axis.set_ylim(-0.02, 1.04)
    axis.grid(lw=0.5)
    axis.legend(fontsize=7, loc="upper left", bbox_to_anchor=(1, 1))
    return figure, pd.concat(rows, ignore_index=True) if rows else pd.DataFrame()
