"""Figures 1-3 of Meister et al. 2021, laid out from its text, and accuracy against lambda."""

from collections.abc import Callable

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from stages.papers.meister.evidence import Results, by_lambda, of, tau_of
from stages.papers.meister.panels import ENCODERS, MODELS, heading

Drawn = tuple[Figure, pd.DataFrame]
SIDES = (("gradient_input", "inputs", "C0"), ("gradient_state", "states", "C1"))
MEASURES = (("gradient_input", "gradient", "-"), ("without_input", "leave-one-out", "--"))


def _panels(results: Results, width: float = 4.4) -> tuple[Figure, list[tuple[Axes, str, str]]]:
    """One panel for each data set."""
    panels = list(results.panels.items())
    figure, axes = plt.subplots(
        1, len(panels), figsize=(width * len(panels), 3.6), squeeze=False, layout="constrained"
    )
    for axis, (panel, name) in zip(axes[0], panels, strict=True):
        axis.set_title(heading(panel, name), fontsize=10)
        axis.grid(lw=0.5, axis="y")
        axis.set_axisbelow(True)
    return figure, [(a, p, n) for a, (p, n) in zip(axes[0], panels, strict=True)]


def _boxes(
    axis: Axes, values: list[np.ndarray], at: list[float], colour: str, width: float
) -> None:
    kept = [(v, x) for v, x in zip(values, at, strict=True) if len(v)]
    if not kept:
        return
    drawn = axis.boxplot(
        [v for v, _ in kept],
        positions=[x for _, x in kept],
        widths=width,
        patch_artist=True,
        manage_ticks=False,
        flierprops={"ms": 1.5, "alpha": 0.4},
        medianprops={"color": "black"},
    )
    for box in drawn["boxes"]:
        box.set_facecolor(colour)


def figure_1(results: Results) -> Drawn:
    """Tau-b of attention with gradient importance of inputs and of states, all models."""
    figure, panels = _panels(results)
    shown = []
    for axis, _, name in panels:
        for side, (measure, label, colour) in enumerate(SIDES):
            values = [
                tau_of(of(results.taus, name, model), measure).dropna().to_numpy()
                for model in MODELS
            ]
            _boxes(axis, values, [m - 0.2 + 0.4 * side for m in range(len(MODELS))], colour, 0.34)
            axis.plot([], [], "s", color=colour, label=label)
            for model, taus in zip(MODELS, values, strict=True):
                quarters = np.percentile(taus, (25, 50, 75)) if len(taus) else [np.nan] * 3
                row = {"dataset": name, "model": model, "importance_of": label, "n": len(taus)}
                shown.append(row | dict(zip(("q25", "q50", "q75"), quarters, strict=True)))
        axis.set_ylim(-1.02, 1.02)
        axis.axhline(0, color="#777777", lw=0.8)
        labels = [label.replace(" (", "\n(") for label in MODELS.values()]
        axis.set_xticks(range(len(MODELS)), labels, fontsize=7)
    panels[0][0].set_ylabel(r"Kendall $\tau_b$ with attention")
    panels[-1][0].legend(fontsize=8, loc="lower right", title="importance of")
    return figure, pd.DataFrame(shown)


def figure_2(results: Results) -> Drawn:
    """Normalised entropies of input importance, pooled over projections."""
    figure, panels = _panels(results, 3.6)
    shown = []
    sides = (
        ("entropy_gradient_input", "gradient", "C0"),
        ("entropy_without_input", "leave-one-out", "C2"),
    )
    for axis, _, name in panels:
        for side, (column, label, colour) in enumerate(sides):
            for place, encoder in enumerate(ENCODERS):
                rows = results.instances[
                    (results.instances["dataset"] == name)
                    & results.instances["model"].str.startswith(encoder)
                ]
                entropies = rows[column].dropna().to_numpy()
                at = place - 0.2 + 0.4 * side
                if len(entropies):
                    parts = axis.violinplot(
                        [entropies], positions=[at], widths=0.36, showmedians=True
                    )
                    for body in list(parts["bodies"]):  # type: ignore[call-overload]
                        body.set_facecolor(colour)
                        body.set_alpha(0.5)
                    for line in ("cmedians", "cmins", "cmaxes", "cbars"):
                        parts[line].set_color(colour)
                row = {
                    "dataset": name,
                    "encoder": encoder,
                    "importance": label,
                    "n": len(entropies),
                }
                mean = float(entropies.mean()) if len(entropies) else np.nan
                sd = float(entropies.std()) if len(entropies) else np.nan
                shown.append(row | {"mean": mean, "sd": sd})
            axis.plot([], [], "s", color=colour, label=label)
        axis.set_ylim(0, 1.02)
        axis.set_xticks(range(len(ENCODERS)), list(ENCODERS.values()), fontsize=8)
    panels[0][0].set_ylabel("Normalised entropy")
    panels[-1][0].legend(fontsize=8, loc="lower left")
    return figure, pd.DataFrame(shown)


def _against_lambda(axis: Axes) -> None:
    """Logarithmic on the negative side, even between 0 and 1."""

    def forward(x: np.ndarray) -> np.ndarray:
        return np.where(x < 0, -np.log10(1 - np.minimum(x, 0)), 2 * x)

    def inverse(y: np.ndarray) -> np.ndarray:
        return np.where(y < 0, 1 - 10 ** (-np.minimum(y, 0)), y / 2)

    pair: tuple[Callable[..., np.ndarray], Callable[..., np.ndarray]] = (forward, inverse)
    axis.set_xscale("function", functions=pair)
    axis.set_xticks([-100, -10, -1, 0, 0.5, 0.75], ["-100", "-10", "-1", "0", ".5", ".75"])
    axis.tick_params(axis="x", labelsize=8)
    axis.set_xlabel(r"$\lambda$ of sparsegen (0: sparsemax)")


def _line(
    axis: Axes, scales: list[float], means: list[float], sds: list[float], **style: str
) -> None:
    low, high = (np.array(means) + k * np.array(sds) for k in (-1, 1))
    axis.plot(scales, means, marker="o", ms=3, **style)  # type: ignore[arg-type]
    axis.fill_between(scales, low, high, color=style["color"], alpha=0.12, lw=0)


def figure_3(results: Results) -> Drawn:
    """IMDb: mean tau-b of attention and input importance against lambda, band of one deviation."""
    name = results.panels.get("IMDb", "")
    figure, axis = plt.subplots(figsize=(6, 3.8), layout="constrained")
    shown = []
    if not name:
        axis.text(0.5, 0.5, "not run", ha="center", transform=axis.transAxes)
    for number, encoder in enumerate(ENCODERS):
        scales = by_lambda(results.taus, name, encoder)
        for measure, label, style in MEASURES:
            taus = [tau_of(rows, measure).dropna() for rows in scales.values()]
            means, sds = [float(t.mean()) for t in taus], [float(t.std(ddof=0)) for t in taus]
            colour = f"C{number}"
            text = f"{ENCODERS[encoder]}, {label}"
            _line(axis, list(scales), means, sds, color=colour, ls=style, label=text)
            shown += [
                {
                    "dataset": name,
                    "encoder": encoder,
                    "importance": label,
                    "lambda": k,
                    "mean": m,
                    "sd": s,
                }
                for k, m, s in zip(scales, means, sds, strict=True)
            ]
    _against_lambda(axis)
    axis.axhline(0, color="#777777", lw=0.8)
    axis.set_ylabel(r"Mean $\tau_b$(attention, importance)")
    axis.grid(lw=0.5)
    axis.legend(fontsize=7)
    columns = ["dataset", "encoder", "importance", "lambda", "mean", "sd"]
    return figure, pd.DataFrame(shown, columns=columns)


def accuracy(results: Results) -> Drawn:
    """Ours: test accuracy and achieved support against lambda."""
    figure, panels = _panels(results, 4.0)
    shown = []
    for axis, _, name in panels:
        for number, encoder in enumerate(ENCODERS):
            scores = by_lambda(results.scores, name, encoder)
            support = by_lambda(results.instances, name, encoder)
            means = [float(rows["accuracy"].mean()) for rows in scores.values()]
            shares = [
                float(support[k]["support"].mean()) if k in support else np.nan for k in scores
            ]
            axis.plot(
                list(scores), means, "o-", ms=3, color=f"C{number}", label=f"{encoder}: accuracy"
            )
            axis.plot(
                list(scores), shares, "x:", ms=4, color=f"C{number}", label=f"{encoder}: support"
            )
            shown += [
                {"dataset": name, "encoder": encoder, "lambda": k, "accuracy": a, "support": s}
                for k, a, s in zip(scores, means, shares, strict=True)
            ]
        _against_lambda(axis)
        axis.set_ylim(0, 1.02)
    panels[0][0].set_ylabel("Test accuracy; share of tokens with weight")
    panels[-1][0].legend(fontsize=7, loc="lower left")
    return figure, pd.DataFrame(shown)
