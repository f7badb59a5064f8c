"""All comparisons of a fast path with the batched plain way and with libraries, and their table."""

import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from tests.benchmarks import analysis_cases, counterfactual_cases, state_cases, training_cases
from tests.benchmarks.measuring import measured

CASES = analysis_cases.CASES | counterfactual_cases.CASES | state_cases.CASES | training_cases.CASES


def table():
    """Measurements of all cases, one row per comparison."""
    return pd.DataFrame([row for case in CASES.values() for row in measured(case())])


def draw(ratios: pd.DataFrame) -> Figure:
    """Ratios of speeds, with the bars."""
    figure, axis = plt.subplots(figsize=(9, 0.36 * len(ratios) + 0.8), layout="constrained")
    plain = ratios["against"].str.startswith("batched plain way")
    axis.barh(ratios.index, ratios["ratio"], color=plain.map({True: "#4c72b0", False: "#dd8452"}))
    bars = ratios[ratios["bar"] > 0]
    axis.plot(bars["bar"], bars.index, "k|", ms=9, label="bar")
    axis.set_yticks(ratios.index, ratios["case"] + "\n" + ratios["against"], fontsize=6)
    axis.axvline(1, color="#777777", lw=0.6)
    axis.set_xscale("log")
    axis.invert_yaxis()
    axis.set_xlabel("Times as fast as the batched plain way (blue) or the library (orange)")
    axis.legend(fontsize=7)
    return figure
