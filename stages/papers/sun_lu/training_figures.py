"""Figures 1-12 of the supplement of Sun & Lu 2020: quantities over training.

Lines are means over seeds, bands one standard deviation over seeds; the paper shows one run.
"""

from collections.abc import Sequence
from functools import partial

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from stages.papers.shared.drawing import mark_not_run
from stages.papers.shared.writing import Draw, Drawn
from stages.papers.sun_lu.evidence import NEUTRAL, Results, of, traced
from stages.papers.sun_lu.figures import ATTENTION, NAMES, POLARITY, first_seed, scatter
from stages.papers.sun_lu.panels import DATA_I, DATA_II, MODERATE, MULTICLASS, RATIOS
from stages.papers.sun_lu.tables import published

Traced = tuple[str, str, float | None]  # data set, model, lambda
Line = tuple[str, str]  # group and its name in the legend
PAIRS: list[Line] = [
    ("positive-positive", "Pos-Pos"),
    ("negative-positive", "Pos-Neg"),
    ("negative-negative", "Neg-Neg"),
    ("positive-neutral", "Pos-Neu"),
    ("negative-neutral", "Neg-Neu"),
    ("neutral-neutral", "Neu-Neu"),
]
GROUPS: list[Line] = [(group, name) for group, name in NAMES.items()]


def lines(
    axis: Axes,
    results: Results,
    run: Traced,
    quantity: str,
    groups: Sequence[Line],
) -> list[pd.DataFrame]:
    """A traced quantity against epochs, one line for each group."""
    dataset, model, value = run
    shown = []
    for number, (group, name) in enumerate(groups):
        course = traced(results, dataset, model, quantity, group, value=value)
        if not course.size:
            continue
        mean, sd = course.mean(axis=1), course.std(axis=1, ddof=0)
        axis.plot(course.index, mean, color=f"C{number}", label=name)
        axis.fill_between(course.index, mean - sd, mean + sd, color=f"C{number}", alpha=0.15, lw=0)
        about = {"dataset": dataset, "model": model, "quantity": quantity, "group": group}
        columns = {"epoch": course.index, "mean": mean, "sd": sd, "seeds": course.shape[1]}
        shown.append(pd.DataFrame(columns).assign(**about))
    if shown:
        axis.legend(fontsize=7)
        axis.margins(y=0.15)
    else:
        mark_not_run(axis)
    axis.set_xlabel("Epoch")
    axis.grid(ls="--", lw=0.5)
    return shown


def courses(
    results: Results,
    panels: Sequence[tuple[str, Traced, str, str, Sequence[Line]]],
) -> Drawn:
    """Panels side by side: title, model, quantity, label, groups."""
    figure, axes = plt.subplots(
        1, len(panels), figsize=(4.8 * len(panels), 3.4), squeeze=False, layout="constrained"
    )
    shown: list[pd.DataFrame] = []
    for axis, (title, run, quantity, label, groups) in zip(axes[0], panels, strict=True):
        shown += lines(axis, results, run, quantity, groups)
        axis.set_title(title, fontsize=9)
        axis.set_ylabel(label)
    return figure, pd.concat(shown, ignore_index=True) if shown else pd.DataFrame()


def supplement_1(results: Results) -> Drawn:
    """Dot products over epochs, embeddings started in +-0.1 and in +-1."""
    parts = (("start in $\\pm$0.1", ("dp", MODERATE)), ("start in $\\pm$1", ("dp-wide", None)))
    return courses(
        results,
        [(title, (DATA_I, *model), "dot", "Dot Product", PAIRS[:3]) for title, model in parts],
    )


def supplement_2(dots: pd.DataFrame) -> Drawn:
    """Dot products after training, one box for each pair of groups; a sample of pairs."""
    figure, axis = plt.subplots(figsize=(6.4, 4), layout="constrained")
    order = [
        "positive-positive",
        "negative-negative",
        "positive-neutral",
        "negative-neutral",
        "neutral-neutral",
        "negative-positive",
    ]
    names = ["pos-pos", "neg-neg", "pos-neu", "neg-neu", "neu-neu", "pos-neg"]
    values = [dots.loc[dots["pair"] == pair, "dot"].to_numpy() for pair in order]
    if all(map(len, values)):
        axis.boxplot(values, tick_labels=names, flierprops={"ms": 2})
    axis.set_ylabel("Dot Product")
    axis.grid(ls="--", lw=0.5, axis="y")
    return figure, dots


def scores_on(results: Results, measure: tuple[str, str]) -> Drawn:
    """Supplement 3 and 4: scores of all tokens on Data I and Data II."""
    figure, axes = plt.subplots(1, 2, figsize=(9.6, 3.4), layout="constrained")
    shown = []
    for axis, (title, name) in zip(axes, (("Data I", DATA_I), ("Data II", DATA_II)), strict=True):
        rows = first_seed(results, name, "dp", MODERATE)
        scatter(axis, rows, *measure)
        axis.set_title(f"{title}, $\\lambda$ = {MODERATE:g}", fontsize=9)
        shown.append(rows[["dataset", "seed", "token", "group", measure[0]]])
    return figure, pd.concat(shown, ignore_index=True)


def supplement_7(results: Results) -> Drawn:
    """Mean V.W by the ratio of positive to negative documents."""
    products = published("Supplement Figure 7").set_index("panel")["published"]
    rows = []
    for ratio, name in RATIOS.items():
        values = of(results.runs, name, "dp", MODERATE)["product"]
        mean, sd = (values.mean(), values.std(ddof=0)) if len(values) else (np.nan, np.nan)
        number = products.get(ratio, np.nan)
        rows.append(
            {"ratio": ratio, "ours": mean, "sd": sd, "seeds": len(values), "published": number}
        )
    table = pd.DataFrame(rows)
    figure, axis = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
    axis.bar(table["ratio"], table["ours"], yerr=table["sd"], color="C0", capsize=3)
    axis.axhline(0, color="#333333", lw=0.8)
    axis.set_xlabel("positive : negative documents")
    axis.set_ylabel("Mean V.W")
    axis.grid(ls="--", lw=0.5, axis="y")
    return figure, table


def multiclass_lines(results: Results) -> tuple[list[Line], list[Line]]:
    """Pairs and groups of the three-class documents as the supplement names them."""
    present = of(results.traces, MULTICLASS, "dp")
    number = {name: str(i) for i, name in enumerate(["zero", "one", "two", NEUTRAL])}
    pairs = present.loc[present["quantity"] == "dot", "group"].drop_duplicates()
    wanted = [pair for pair in pairs if NEUTRAL not in pair or pair == f"{NEUTRAL}-{NEUTRAL}"]
    named = [
        (pair, "-".join(number.get(part, part) for part in pair.split("-"))) for pair in wanted
    ]
    return named, list(number.items())


def every(results: Results, dots: pd.DataFrame) -> dict[int, Draw]:
    """Functions that draw Supplement Figures 1-12, by number."""
    dp = (DATA_I, "dp", MODERATE)
    penalty, affine, additive = (
        (DATA_I, model, MODERATE) for model in ("dp-penalty", "dp-a", "ad")
    )
    three = (MULTICLASS, "dp", MODERATE)
    pairs, labels = multiclass_lines(results)
    attention = ("attention", "Attention Score", GROUPS)
    polarity = ("polarity", "Polarity Score", GROUPS)
    return {
        1: partial(supplement_1, results),
        2: partial(supplement_2, dots),
        3: partial(scores_on, results, POLARITY),
        4: partial(scores_on, results, ATTENTION),
        5: partial(
            courses,
            results,
            [
                ("without penalty", dp, *attention),
                ("with $|V \\cdot W|$ penalty", penalty, *attention),
            ],
        ),
        6: partial(courses, results, [("Data I", dp, "dot", "Dot Product", PAIRS)]),
        7: partial(supplement_7, results),
        8: partial(
            courses,
            results,
            [
                ("DP-A: embeddings", affine, "dot", "Dot Product", PAIRS),
                ("DP-A: after the affine layer", affine, "state_dot", "Dot Product", PAIRS),
            ],
        ),
        9: partial(courses, results, [("DP-A", affine, *polarity), ("DP-A", affine, *attention)]),
        10: partial(courses, results, [("AD", additive, *polarity), ("AD", additive, *attention)]),
        11: partial(courses, results, [("three classes", three, "dot", "Dot Product", pairs)]),
        12: partial(
            courses, results, [("three classes", three, "attention", "Attention Score", labels)]
        ),
    }


def terms(results: Results) -> Drawn:
    """Ours: the six terms over epochs by group, DP on Data I."""
    figure, axes = plt.subplots(2, 3, figsize=(12.6, 6), layout="constrained")
    shown: list[pd.DataFrame] = []
    for axis, name in zip(axes.flat, "ABCDEF", strict=True):
        shown += lines(axis, results, (DATA_I, "dp", MODERATE), name, GROUPS)
        axis.set_title(f"term {name}", fontsize=9)
    return figure, pd.concat(shown, ignore_index=True) if shown else pd.DataFrame()
