"""Figures 1-3 of Meister et al. 2021, laid out from its text, and accuracy against lambda."""

from collections.abc import Callable, Mapping

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from stages.papers.meister.evidence import Results, tau_of, with_lambda
from stages.papers.meister.panels import ENCODERS, MODELS
from stages.papers.shared.results import of

Drawn = tuple[Figure, pd.DataFrame]
Floats = NDArray[np.float64]
IMPORTANCE = {"gradient_input": "inputs", "gradient_state": "states"}
ENTROPIES = {"entropy_gradient_input": "gradient", "entropy_without_input": "leave-one-out"}
MEASURES = {"gradient_input": ("gradient", "-"), "without_input": ("leave-one-out", "--")}
TICKS = {-100: "-100", -10: "-10", -1: "-1", 0: "0", 0.5: ".5", 0.75: ".75"}
OUTLIERS = {"ms": 1.5, "alpha": 0.4}


def _panels(results: Results, width: float = 4.4) -> tuple[Figure, list[tuple[Axes, str]]]:
    """One panel for each data set."""
    panels = results.panels
    size = (width * len(panels), 3.6)
    figure, axes = plt.subplots(1, len(panels), figsize=size, squeeze=False, layout="constrained")
    for axis, panel in zip(axes[0], panels, strict=True):
        axis.set_title(results.title(panel), fontsize=10)
        axis.grid(lw=0.5, axis="y")
        axis.set_axisbelow(True)
    return figure, list(zip(axes[0], panels.values(), strict=True))


def _boxes(
    results: Results,
    labels: Mapping[str, str],
    sides: Mapping[str, str],
    values: Callable[[str, str, str], "pd.Series[float]"],
    lowest: int,
    title: str,
) -> Drawn:
    """Boxes of values(data set, key, side), from `lowest` to 1, one for every side at each key."""
    figure, panels = _panels(results)
    rows = []
    for axis, name in panels:
        for number, (side, what) in enumerate(sides.items()):
            colour, at = f"C{number}", np.arange(len(labels)) - 0.2 + 0.4 * number
            samples = [values(name, key, side).dropna().to_numpy(np.float64) for key in labels]
            boxes = axis.boxplot(
                samples,
                positions=at,
                widths=0.34,
                patch_artist=True,
                manage_ticks=False,
                flierprops=OUTLIERS,
                medianprops={"color": "black"},
                boxprops={"facecolor": colour},
            )
            boxes["boxes"][0].set_label(what)
            for key, sample in zip(labels, samples, strict=True):
                rows.append({"dataset": name, "model": key, "importance": what} | _summary(sample))
        lines = [label.replace(" (", "\n(") for label in labels.values()]
        axis.set_xticks(range(len(labels)), lines, fontsize=7)
        axis.set(xlim=(-0.5, len(labels) - 0.5), ylim=(lowest - 0.02, 1.02))
        axis.axhline(0, color="#777777", lw=0.8)
    panels[0][0].set_ylabel(title)
    panels[-1][0].legend(fontsize=8, loc="lower right", title="importance")
    return figure, pd.DataFrame(rows)


def _summary(sample: Floats) -> dict[str, float]:
    """Count, mean, deviation and quartiles; NaN without values."""
    present = sample if len(sample) else np.array([np.nan])
    quartiles = zip(("q25", "q50", "q75"), np.percentile(present, (25, 50, 75)), strict=True)
    return {"n": len(sample), "mean": present.mean(), "sd": present.std(), **dict(quartiles)}


def figure_1(results: Results) -> Drawn:
    """Tau-b of attention with gradient importance of inputs and of states, all models."""

    def taus(name: str, model: str, measure: str) -> "pd.Series[float]":
        return tau_of(of(results.taus, name, model), measure)["tau"]

    return _boxes(results, MODELS, IMPORTANCE, taus, -1, r"Kendall $\tau_b$ with attention")


def figure_2(results: Results) -> Drawn:
    """Normalised entropies of input importance, pooled over projections."""

    def entropies(name: str, encoder: str, column: str) -> "pd.Series[float]":
        own = results.instances["model"].str.startswith(encoder)
        return results.instances[own & (results.instances["dataset"] == name)][column]

    return _boxes(results, ENCODERS, ENTROPIES, entropies, 0, "Normalised entropy")


def _scale_of_lambda(axis: Axes) -> None:
    """Logarithmic on the negative side, even between 0 and 1."""

    def forward(x: Floats) -> Floats:
        return np.where(x < 0, -np.log10(1 - np.minimum(x, 0)), 2 * x)

    def inverse(y: Floats) -> Floats:
        return np.where(y < 0, 1 - 10 ** (-np.minimum(y, 0)), y / 2)

    axis.set_xscale("function", functions=(forward, inverse))
    axis.set_xticks(list(TICKS), list(TICKS.values()))
    axis.tick_params(axis="x", labelsize=8)
    axis.set_xlabel(r"$\lambda$ of sparsegen (0: sparsemax)")


def _line(axis: Axes, rows: pd.DataFrame, column: str, band: float, **style: str) -> pd.DataFrame:
    """Means by lambda as a line, with a band of one deviation; returns both."""
    groups = rows.groupby("lambda")[column]
    table = pd.DataFrame({"mean": groups.mean(), "sd": groups.std(ddof=0)}).reset_index()
    scales, means = table["lambda"], table["mean"]
    axis.plot(scales, means, ms=3, **style)  # type: ignore[arg-type]
    low, high = means - table["sd"], means + table["sd"]
    axis.fill_between(scales, low, high, color=style["color"], alpha=band, lw=0)
    return table


def figure_3(results: Results) -> Drawn:
    """IMDb: mean tau-b of attention and input importance against lambda, band of one deviation."""
    name = results.panels.get("IMDb", "")
    figure, axis = plt.subplots(figsize=(6, 3.8), layout="constrained")
    axis.set_title(results.marked("IMDb", name) if name else "IMDb: not run", fontsize=10)
    parts = []
    for number, encoder in enumerate(ENCODERS):
        taus = with_lambda(results.taus, name, encoder)
        for measure, (label, style) in MEASURES.items():
            text, colour = f"{ENCODERS[encoder]}, {label}", f"C{number}"
            rows = tau_of(taus, measure)
            line = _line(axis, rows, "tau", 0.12, marker="o", color=colour, ls=style, label=text)
            parts.append(line.assign(dataset=name, encoder=encoder, importance=label))
    _scale_of_lambda(axis)
    axis.axhline(0, color="#777777", lw=0.8)
    axis.set_ylabel(r"Mean $\tau_b$(attention, importance)")
    axis.grid(lw=0.5)
    axis.legend(fontsize=7)
    return figure, pd.concat(parts)


def accuracy(results: Results) -> Drawn:
    """Ours: test accuracy and achieved support against lambda."""
    figure, panels = _panels(results, 4.0)
    parts = []
    for axis, name in panels:
        for number, encoder in enumerate(ENCODERS):
            for table, column, marker, style in (
                (results.scores, "accuracy", "o", "-"),
                (results.instances, "support", "x", ":"),
            ):
                rows, label = with_lambda(table, name, encoder), f"{encoder}: {column}"
                look = {"color": f"C{number}", "marker": marker, "ls": style, "label": label}
                line = _line(axis, rows, column, 0.0, **look)
                parts.append(line.assign(dataset=name, encoder=encoder, quantity=column))
        _scale_of_lambda(axis)
        axis.set_ylim(0, 1.02)
    panels[0][0].set_ylabel("Test accuracy; share of tokens with weight")
    panels[-1][0].legend(fontsize=7, loc="lower left")
    return figure, pd.concat(parts)
