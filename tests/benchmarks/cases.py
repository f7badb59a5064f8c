"""All comparisons of fast paths with the batched plain way and with libraries, and their table."""

import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from tests.benchmarks import (
    analysis_cases,
    counterfactual_cases,
    recurrent_cases,
    state_cases,
    training_cases,
)
from tests.benchmarks.measuring import measured

MODULES = (analysis_cases, recurrent_cases, counterfactual_cases, state_cases, training_cases)
CASES = {name: case for module in MODULES for name, case in module.CASES.items()}
COLORS = {"batched plain way": "#4c72b0", "library": "#dd8452"}


def table():
    """Measurements of all cases, one row per comparison."""
    return pd.DataFrame([row for case in CASES.values() for row in measured(case())])


def draw(ratios: pd.DataFrame) -> Figure:
    """Ratios of speeds, with the bars."""
    figure, axis = plt.subplots(figsize=(9, 0.36 * len(ratios) + 0.8), layout="constrained")
    colors = ratios["against"].str.split(":").str[0].map(COLORS).fillna("#999999")
    axis.barh(ratios.index, ratios["ratio"], color=colors)
    bars = ratios[ratios["bar"] > 0]
    axis.plot(bars["bar"], bars.index, "k|", ms=9, label="bar")
    axis.set_yticks(ratios.index, ratios["case"] + "\n" + ratios["against"], fontsize=6)
    axis.axvline(1, color="#777777", lw=0.6)
    axis.set_xscale("log")
    axis.invert_yaxis()
    kinds = "the batched plain way (blue), a library (orange), own code (grey)"
    axis.set_xlabel(f"Times as fast as {kinds}", fontsize=7, loc="right")
    axis.legend(fontsize=7)
    return figure
