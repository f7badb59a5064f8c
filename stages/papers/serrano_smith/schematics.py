"""Figures 1 and 2 of Serrano & Smith 2019: erasing a weight, and the FLANconv model."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from stages.papers.shared.drawing import BLUE, arrow, box, sheet

WEIGHTS = (0.15, 0.5, 0.25, 0.1)
OUTPUTS = ((0.15, 0.55, 0.2, 0.1), (0.2, 0.3, 0.4, 0.1))


def draw_erasure() -> Figure:
    """Figure 1: zero the largest weight, renormalise, run the classifier on both, compare."""
    figure, axis = sheet(9.4, 3.4)
    left = [w if w != max(WEIGHTS) else 0.0 for w in WEIGHTS]
    again = [w / sum(left) for w in left]
    _bars(axis, 0.3, 2.2, WEIGHTS, "attention weights")
    _bars(axis, 0.3, 0.2, left, "one set to zero")
    _bars(axis, 3.0, 0.2, again, "renormalised")
    for row, y in ((0, 2.2), (1, 0.2)):
        box(axis, 5.6, y + 0.2, 1.1, 0.7, "classifier")
        _bars(axis, 7.5, y, OUTPUTS[row], "output over four classes")
        arrow(axis, (6.75, y + 0.55), (7.4, y + 0.55))
    arrow(axis, (2.0, 2.75), (5.5, 2.75))
    arrow(axis, (1.1, 2.05), (1.1, 1.55))
    arrow(axis, (2.1, 0.75), (2.9, 0.75))
    arrow(axis, (4.7, 0.75), (5.5, 0.75))
    axis.annotate("", (9.3, 0.8), (9.3, 2.8), arrowprops={"arrowstyle": "<->", "color": "#333333"})
    axis.text(9.4, 1.8, "JS divergence;\nsame argmax?", fontsize=8, va="center")
    axis.set_xlim(0, 10.9)
    axis.set_ylim(-0.15, 3.7)
    return figure


def draw_flat_model() -> Figure:
    """Figure 2: a FLANconv. Two convolutions side by side, attention over tokens, a classifier."""
    figure, axis = sheet(8.4, 4.2)
    words = ("the", "food", "was", "very", "good")
    for place, word in enumerate(words):
        x = 0.4 + 1.35 * place
        axis.text(x + 0.45, 0.1, word, ha="center", fontsize=9)
        box(axis, x, 0.4, 0.9, 0.35, "embedding")
        box(axis, x, 1.35, 0.45, 0.4, "width 5")
        box(axis, x + 0.45, 1.35, 0.45, 0.4, "width 3")
        arrow(axis, (x + 0.45, 0.8), (x + 0.45, 1.3))
        arrow(axis, (x + 0.45, 1.8), (3.55, 2.5))
        beside = 0.18 if place < 3 else 0.62  # offset of the label from its arrow
        axis.text(x + beside, 1.95, f"α{place + 1}", fontsize=9, color=BLUE)
    axis.text(7.2, 1.55, "states: two\nconvolutions joined", fontsize=8, va="center")
    box(axis, 2.75, 2.55, 1.6, 0.4, "weighted sum")
    box(axis, 2.75, 3.3, 1.6, 0.4, "linear classifier")
    arrow(axis, (3.55, 2.98), (3.55, 3.28))
    axis.text(4.6, 3.5, "output distribution", fontsize=8, va="center")
    axis.set_xlim(0.2, 8.8)
    axis.set_ylim(-0.05, 3.85)
    return figure


def _bars(axis: Axes, x: float, y: float, values: object, title: str) -> None:
    for place, value in enumerate(values):  # type: ignore[var-annotated, arg-type]
        left, top = x + 0.4 * place, y + 1.1 * value
        axis.add_patch(Rectangle((left, y), 0.3, 1.1 * value, fc=BLUE, ec="none"))
        axis.plot([left, left + 0.3], [y, y], color="#333333", lw=0.8)
        axis.text(left + 0.15, top + 0.05, f"{value:.2f}", ha="center", fontsize=6)
    axis.text(x + 0.75, y + 0.95, title, ha="center", fontsize=8)
