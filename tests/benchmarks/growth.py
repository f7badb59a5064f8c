"""How cost grows with the length of documents, their number, and the vocabulary.

Each line is measured at a few sizes and summarised by the slope between its ends on logarithmic
axes: one for linear cost, two for quadratic cost, zero for constant cost.
"""

from functools import partial

import numpy as np
import pandas as pd
import torch
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator

from stages.counterfactual.permutation import permuted_changes
from stages.importance.leave_one_out import deleted, leave_one_out
from stages.statistics.kendall import kendall
from tests.benchmarks.analysis_cases import documents, model_of
from tests.benchmarks.counterfactual_cases import erase, peaked
from tests.benchmarks.measuring import seconds
from tests.benchmarks.training_cases import (
    bilstm,
    dense_adam,
    network_of,
    random_reader,
    step_through,
)

LONG = (50, 100, 200)
LONGER = (50, 200, 800)
COUNTS = (32, 128, 512)
VOCABULARIES = (5_000, 20_000, 80_000)
AFRESH = "leave-one-out, bilstm, all read afresh"
HALF = "leave-one-out, bilstm"
# expected slope of each line; None without expectation
SLOPES = {
    ("length", HALF): 2,
    ("length", AFRESH): 2,
    ("length", "leave-one-out, cnn"): 1,
    ("length", "leave-one-out, average"): 1,
    ("length", "erasure along four rankings"): 1,
    ("length", "100 shuffles"): 1,
    ("documents", "leave-one-out, bilstm"): 1,
    ("documents", "Kendall's tau-b, 20 tokens"): 1,
    ("vocabulary", "training epoch, bilstm"): 0,
    ("vocabulary", "training epoch, bilstm, dense Adam"): None,
}


def by_length():
    """Yields name, length, work, documents in it."""
    models = {kind: model_of(kind) for kind in ("bilstm", "cnn", "average")}
    for length in LONG:
        few = documents(4, length)
        yield HALF, length, partial(leave_one_out, models["bilstm"], few), 4
        yield AFRESH, length, partial(leave_one_out, models["bilstm"], few, deleted), 4
    for length in LONGER:
        some = documents(16, length)
        for kind in ("cnn", "average"):
            yield f"leave-one-out, {kind}", length, partial(leave_one_out, models[kind], some), 16
        yield "erasure along four rankings", length, partial(erase, peaked(300, length)), 300
        with torch.no_grad():
            output = models["average"](documents(64, length))
        shuffle = partial(permuted_changes, models["average"], output, 100, np.arange(64))
        yield "100 shuffles", length, shuffle, 64


def by_documents():
    model, draw = model_of("bilstm"), np.random.default_rng(0)
    for count in COUNTS:
        yield HALF, count, partial(leave_one_out, model, documents(count)), 1
        x, y = draw.normal(size=(2, 20 * 10 * count))
        offsets = np.arange(10 * count + 1) * 20
        yield "Kendall's tau-b, 20 tokens", count, partial(kendall, x, y, offsets), 1


def by_vocabulary():
    batches = list(random_reader().batches(32, np.random.default_rng(2)))[:6]
    for words in VOCABULARIES:
        model, steps = bilstm(words)
        yield "training epoch, bilstm", words, partial(step_through, model, steps, batches), 1
        model = network_of("bilstm", words)
        dense = partial(step_through, model, dense_adam(model), batches)
        yield "training epoch, bilstm, dense Adam", words, dense, 1


def measured():
    """Milliseconds of each line at each size, per document where length grows."""
    rows = []
    kinds = {"length": by_length, "documents": by_documents, "vocabulary": by_vocabulary}
    for grows, lines in kinds.items():
        for name, size, work, count in lines():
            work()
            milliseconds = 1000 * seconds(work) / count
            rows.append({"grows": grows, "line": name, "size": size, "milliseconds": milliseconds})
    return pd.DataFrame(rows)


def slopes(table):
    """Slope between the ends of each line, and the expected slope."""
    rows = []
    for (grows, name), line in table.groupby(["grows", "line"], sort=False):
        first, last = line.iloc[0], line.iloc[-1]
        cost, size = last.milliseconds / first.milliseconds, last["size"] / first["size"]
        slope, expected = np.log(cost) / np.log(size), SLOPES[(grows, name)]
        rows.append({"grows": grows, "line": name, "slope": slope, "expected": expected})
    return pd.DataFrame(rows)


def half_constant(table):
    """Time of leave-one-out relative to reading all text afresh, at the greatest length."""
    cost = table[(table["grows"] == "length") & (table["size"] == LONG[-1])]
    cost = cost.set_index("line")["milliseconds"]
    return float(cost[HALF] / cost[AFRESH])


def draw(table: pd.DataFrame) -> Figure:
    """One panel per growing quantity."""
    figure, axes = plt.subplots(1, 3, figsize=(11, 4.8), layout="constrained")
    labels = {"length": "Tokens of a document", "documents": "Documents", "vocabulary": "Words"}
    for axis, (grows, part) in zip(axes, table.groupby("grows", sort=False), strict=True):
        for name, line in part.groupby("line", sort=False):
            axis.plot(line["size"], line["milliseconds"], "o-", ms=3, lw=1, label=name)
        axis.set(xscale="log", yscale="log", xlabel=labels[grows])
        axis.set_xticks(sorted(set(part["size"])), map(str, sorted(set(part["size"]))))
        axis.minorticks_off()
        if part["milliseconds"].max() < 30 * part["milliseconds"].min():  # a power of ten, or two
            axis.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            axis.yaxis.set_major_formatter("{x:g}")
        axis.grid(lw=0.4)
        axis.legend(fontsize=6, loc="upper center", bbox_to_anchor=(0.5, -0.17), frameon=False)
    axes[0].set_ylabel("Milliseconds (left: for a document)")
    return figure
