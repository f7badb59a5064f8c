"""Figure 1 of Sun & Lu 2020: attention and polarity scores in the plain model."""

from stages.papers.shared.drawing import BLUE, arrow, box, sheet
from stages.papers.shared.writing import Drawn


def draw_model() -> Drawn:
    """Embeddings, their attention and polarity scores, the weighted sum, the sigmoid."""
    figure, axis = sheet(8.2, 4)
    words = ("a", "truly", "good", "film")
    for place, word in enumerate(words):
        x = 0.4 + 1.5 * place
        axis.text(x + 0.5, 0.05, word, ha="center", fontsize=9)
        box(axis, x, 0.35, 1.0, 0.35, "embedding e")
        box(axis, x - 0.1, 1.25, 0.58, 0.45, "a = e·V/λ")
        box(axis, x + 0.52, 1.25, 0.58, 0.45, "s = e·W")
        arrow(axis, (x + 0.4, 0.72), (x + 0.2, 1.22))
        arrow(axis, (x + 0.6, 0.72), (x + 0.8, 1.22))
        arrow(axis, (x + 0.5, 1.75), (3.15, 2.35))
        beside = 0.1 if place < 2 else 0.75
        axis.text(x + beside, 1.88, f"α{place + 1}", fontsize=9, color=BLUE)
    box(axis, 2.2, 2.4, 1.9, 0.42, "s = Σ α s, α = softmax(a)")
    box(axis, 2.6, 3.2, 1.1, 0.4, "σ(s)")
    arrow(axis, (3.15, 2.85), (3.15, 3.17))
    axis.text(3.9, 3.4, "probability of the positive class", fontsize=8, va="center")
    axis.set_xlim(0.1, 7.2)
    axis.set_ylim(-0.1, 3.75)
    return figure, None
