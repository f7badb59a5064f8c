"""How far kernels are from the machine's limit: multiplications per second against a plain GEMM's.

Two limits, measured in the same run: the best rate of a large matrix product, and that of the
product a recurrent step consists of, a batch of states times the recurrent weights. Only products
are counted; gates, gathers and attention are what the distance is made of.
"""

import numpy as np
import pandas as pd
import torch
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from stages.corpora.batching import Reader
from stages.importance.leave_one_out import leave_one_out
from tests.benchmarks.measuring import seconds
from tests.benchmarks.training_cases import DOCUMENTS, bilstm, corpus, step_through
from tests.benchmarks.trial_cases import documents, model_of

WIDTH, HIDDEN, BATCH, LENGTH = 300, 128, 32, 100
GIGA = 1e9


def product(rows, inner, columns, times):
    """Billions of operations per second of a matrix product, and of nothing else."""
    a, b = torch.randn(rows, inner), torch.randn(inner, columns)
    out = torch.empty(rows, columns)

    def work():
        for _ in range(times):
            torch.mm(a, b, out=out)

    work()
    return 2 * rows * inner * columns * times / seconds(work, 5) / GIGA


def reading(tokens):
    """Operations of a BiLSTM reading so many tokens: both directions, input and recurrent part."""
    return 2 * tokens * 2 * (WIDTH + HIDDEN) * 4 * HIDDEN


def kernels():
    """Yields name, operations, work."""
    model = model_of("bilstm")
    batch = documents(BATCH, LENGTH - 2)

    @torch.no_grad()
    def forward():
        model.encode(batch)

    yield "encoder forward, bilstm", reading(BATCH * LENGTH), forward
    for kind in ("cnn", "average"):
        other = model_of(kind)
        size = 32 * (1 + 3 + 5 + 7) if kind == "cnn" else HIDDEN
        work = torch.no_grad()(lambda other=other: other.encode(batch))
        yield f"encoder forward, {kind}", 2 * BATCH * LENGTH * WIDTH * size, work
    few = documents(8, LENGTH - 2)
    # twice read whole (states, then cells); each removal reads again what follows it
    again = 8 * 2 * sum(range(LENGTH - 1)) * 2 * HIDDEN * 4 * HIDDEN
    yield (
        "leave-one-out, bilstm",
        2 * reading(8 * LENGTH) + again,
        lambda: leave_one_out(model, few),
    )
    reader, draw = Reader(corpus(), "train"), np.random.default_rng(2)
    trained, steps = bilstm()
    # gradients of inputs and of weights cost a forward pass each
    epoch = lambda: step_through(trained, steps, reader.batches(32, draw))  # noqa: E731
    yield f"training epoch, bilstm, {DOCUMENTS} documents", 3 * reading(reader.tokens), epoch


def measured():
    """Rate and distance of every kernel to both limits."""
    torch.set_num_threads(1)
    peak = product(1024, 1024, 1024, 4)
    step = product(BATCH, HIDDEN, 4 * HIDDEN, 2000)
    rows = [
        {"kernel": "limit: product of 1024 x 1024", "rate": peak},
        {"kernel": f"limit: step, {BATCH} x {HIDDEN} by {HIDDEN} x {4 * HIDDEN}", "rate": step},
    ]
    for name, operations, work in kernels():
        work()
        rows.append({"kernel": name, "rate": operations / seconds(work) / GIGA})
    table = pd.DataFrame(rows).rename(columns={"rate": "gflops"})
    table["distance"] = peak / table["gflops"]
    table["distance_to_step"] = step / table["gflops"]
    return table


def draw(table: pd.DataFrame) -> Figure:
    """Rates as bars, the two limits as lines."""
    figure, axis = plt.subplots(figsize=(7, 2.8), layout="constrained")
    limits, found = table[:2], table[2:]
    axis.barh(found["kernel"], found["gflops"], color="#4c72b0")
    for (_, limit), style in zip(limits.iterrows(), ("-", "--"), strict=True):
        axis.axvline(limit["gflops"], color="#777777", ls=style, label=limit["kernel"])
    for place, (rate, distance) in enumerate(zip(found["gflops"], found["distance"], strict=True)):
        axis.text(rate, place, f" {distance:.1f}x below", va="center", fontsize=7)
    axis.invert_yaxis()
    axis.set_xlabel("Billions of multiplications and additions per second, one core")
    axis.legend(fontsize=6, loc="lower right")
    return figure
