"""All comparisons of a fast path with its oracle and with libraries, and their table."""

import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from tests.benchmarks import analysis_cases, recurrent_cases, state_cases, training_cases
from tests.benchmarks.measuring import measured

CASES = analysis_cases.CASES | recurrent_cases.CASES | state_cases.CASES | training_cases.CASES


def table():
    """Measurements of all cases, one row per way."""
    return pd.DataFrame([row for case in CASES.values() for row in measured(case())])


def draw(ratios: pd.DataFrame) -> Figure:
    """Speed relative to the literal way and to libraries, with the bars."""
    others = ratios[~ratios["way"].str.startswith("ours")]
    figure, axis = plt.subplots(figsize=(8, 0.28 * len(others) + 0.8), layout="constrained")
    places = range(len(others))
    literal = others["bar"].notna()
    axis.barh(places, others["ratio"], color=literal.map({True: "#4c72b0", False: "#dd8452"}))
    bars = [(place, bar) for place, bar in zip(places, others["bar"], strict=True) if bar > 0]
    axis.plot([bar for _, bar in bars], [place for place, _ in bars], "k|", ms=9, label="bar")
    axis.set_yticks(places, others["case"] + " / " + others["way"], fontsize=7)
    axis.axvline(1, color="#777777", lw=0.6)
    axis.set_xscale("log")
    axis.invert_yaxis()
    axis.set_xlabel("Times as fast as the literal way (blue) or the library (orange)")
    axis.legend(fontsize=7)
    return figure
