"""Figures 1 and 2 of Serrano & Smith 2019: how a weight is erased, and what a FLANconv is."""

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, Rectangle

BLUE, GREY = "#2589CC", "#bbbbbb"
WEIGHTS = (0.15, 0.5, 0.25, 0.1)
OUTPUTS = ((0.15, 0.55, 0.2, 0.1), (0.2, 0.3, 0.4, 0.1))


def draw_erasure() -> Figure:
    """Figure 1: zero the largest weight, renormalise, run the classifier on both, compare."""
    figure, axis = _sheet(9.4, 3.4)
    left = [w if w != max(WEIGHTS) else 0.0 for w in WEIGHTS]
    again = [w / sum(left) for w in left]
    _bars(axis, 0.3, 2.2, WEIGHTS, "attention weights")
    _bars(axis, 0.3, 0.2, left, "one set to zero")
    _bars(axis, 3.0, 0.2, again, "renormalised")
    for row, y in ((0, 2.2), (1, 0.2)):
        _box(axis, 5.6, y + 0.2, 1.1, 0.7, "classifier")
        _bars(axis, 7.5, y, OUTPUTS[row], "output over four classes")
        _arrow(axis, (6.75, y + 0.55), (7.4, y + 0.55))
    _arrow(axis, (2.0, 2.75), (5.5, 2.75))
    _arrow(axis, (1.1, 2.05), (1.1, 1.55))
    _arrow(axis, (2.1, 0.75), (2.9, 0.75))
    _arrow(axis, (4.7, 0.75), (5.5, 0.75))
    axis.annotate("", (9.3, 0.8), (9.3, 2.8), arrowprops={"arrowstyle": "<->", "color": "#333333"})
    axis.text(9.4, 1.8, "JS divergence;\nsame argmax?", fontsize=8, va="center")
    axis.set_xlim(0, 10.9)
    axis.set_ylim(-0.15, 3.7)
    return figure


def draw_flat_model() -> Figure:
    """Figure 2: a FLANconv. Two convolutions side by side, attention over tokens, a classifier."""
    figure, axis = _sheet(8.4, 4.2)
    words = ("the", "food", "was", "very", "good")
    for place, word in enumerate(words):
        x = 0.4 + 1.35 * place
        axis.text(x + 0.45, 0.1, word, ha="center", fontsize=9)
        _box(axis, x, 0.4, 0.9, 0.35, "embedding")
        _box(axis, x, 1.35, 0.45, 0.4, "width 5")
        _box(axis, x + 0.45, 1.35, 0.45, 0.4, "width 3")
        _arrow(axis, (x + 0.45, 0.8), (x + 0.45, 1.3))
        _arrow(axis, (x + 0.45, 1.8), (3.55, 2.5))
        beside = 0.18 if place < 3 else 0.62  # of its arrow
        axis.text(x + beside, 1.95, f"α{place + 1}", fontsize=9, color=BLUE)
    axis.text(7.2, 1.55, "states: two\nconvolutions joined", fontsize=8, va="center")
    _box(axis, 2.75, 2.55, 1.6, 0.4, "weighted sum")
    _box(axis, 2.75, 3.3, 1.6, 0.4, "linear classifier")
    _arrow(axis, (3.55, 2.98), (3.55, 3.28))
    axis.text(4.6, 3.5, "output distribution", fontsize=8, va="center")
    axis.set_xlim(0.2, 8.8)
    axis.set_ylim(-0.05, 3.85)
    return figure


def _sheet(width: float, height: float) -> tuple[Figure, Axes]:
    figure, axis = plt.subplots(figsize=(width, height), layout="constrained")
    axis.set_axis_off()
    return figure, axis


def _bars(axis: Axes, x: float, y: float, values: object, title: str) -> None:
    for place, value in enumerate(values):  # type: ignore[var-annotated, arg-type]
        axis.add_patch(Rectangle((x + 0.4 * place, y), 0.3, 1.1 * value, fc=BLUE, ec="none"))
        axis.plot([x + 0.4 * place, x + 0.4 * place + 0.3], [y, y], color="#333333", lw=0.8)
        axis.text(
            x + 0.4 * place + 0.15, y + 1.1 * value + 0.05, f"{value:.2f}", ha="center", fontsize=6
        )
    axis.text(x + 0.75, y + 0.95, title, ha="center", fontsize=8)


def _box(axis: Axes, x: float, y: float, width: float, height: float, text: str) -> None:
    axis.add_patch(Rectangle((x, y), width, height, fc="#f3f3f3", ec="#333333", lw=0.8))
    axis.text(x + width / 2, y + height / 2, text, ha="center", va="center", fontsize=7)


def _arrow(axis: Axes, start: tuple[float, float], end: tuple[float, float]) -> None:
    axis.add_patch(FancyArrowPatch(start, end, arrowstyle="->", mutation_scale=9, color=GREY, lw=1))
