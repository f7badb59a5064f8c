"""Every comparison of a fast path with its oracle and with a library, and the table of them."""

import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from tests.benchmarks import runs_cases, state_cases, training_cases, trial_cases
from tests.benchmarks.measuring import measured

CASES = trial_cases.CASES | state_cases.CASES | training_cases.CASES | runs_cases.CASES


def table(names=tuple(CASES)):
    """All of them, one row for each way."""
    return pd.DataFrame([row for name in names for row in measured(CASES[name]())])


def draw(found: pd.DataFrame) -> Figure:
    """How many times faster than the literal way and than the library's, with the bars."""
    others = found[~found["way"].str.startswith("ours")]
    figure, axis = plt.subplots(figsize=(8, 0.28 * len(others) + 0.8), layout="constrained")
    places = range(len(others))
    literal = others["bar"].notna()
    axis.barh(places, others["ratio"], color=literal.map({True: "#4c72b0", False: "#dd8452"}))
    held = [(place, bar) for place, bar in zip(places, others["bar"], strict=True) if bar > 0]
    axis.plot([bar for _, bar in held], [place for place, _ in held], "k|", ms=9, label="bar")
    axis.set_yticks(places, others["case"] + " / " + others["way"], fontsize=7)
    axis.axvline(1, color="#777777", lw=0.6)
    axis.set_xscale("log")
    axis.invert_yaxis()
    axis.set_xlabel("Times as fast as the literal way (blue) or the library (orange)")
    axis.legend(fontsize=7)
    return figure
