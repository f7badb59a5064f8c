"""Distance of kernels to the machine's limit: operations per second against a plain GEMM.

Two limits, measured in the same run: the best rate of a large matrix product, and that of the
product in a recurrent step, a batch of states times the recurrent weights. Only necessary matrix
products are counted, so gates, gathers and attention add to the distance.
"""

from functools import partial

import numpy as np
import pandas as pd
import torch
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from stages.importance.leave_one_out import leave_one_out
from tests.benchmarks.analysis_cases import documents, model_of
from tests.benchmarks.measuring import seconds
from tests.benchmarks.recurrent_cases import reader_of
from tests.benchmarks.training_cases import ZIPF_WORDS, bilstm, step_through

WIDTH, HIDDEN, BATCH, LENGTH = 300, 128, 32, 100
GIGA = 1e9


def product(rows, inner, columns, times):
    """Billions of operations per second of a matrix product."""
    a, b = torch.randn(rows, inner), torch.randn(inner, columns)
    out = torch.empty(rows, columns)

    def work():
        for _ in range(times):
            torch.mm(a, b, out=out)

    work()
    return 2 * rows * inner * columns * times / seconds(work, 5) / GIGA


def reading(*batches):
    """Operations of a BiLSTM on real tokens: each type of a batch enters the gates once."""
    total = 0
    for tokens, lengths in batches:  # (B, T), (B,)
        entering = len(torch.unique(torch.as_tensor(tokens))) * WIDTH
        total += 2 * 2 * (entering + int(lengths.sum()) * HIDDEN) * 4 * HIDDEN
    return total


def training(batches):
    """Of an epoch: gradients of inputs and of weights cost a forward pass each.

    Attention has one matrix product, from 2 * HIDDEN to HIDDEN dimensions of every real token.
    """
    tokens = sum(int(batch.lengths.sum()) for batch in batches)
    attention = 2 * tokens * 2 * HIDDEN * HIDDEN
    return 3 * (reading(*((batch.tokens, batch.lengths) for batch in batches)) + attention)


def kernels():
    """Yields name, operations, work."""
    model, batch = model_of("bilstm"), documents(BATCH, LENGTH - 2)
    types = len(torch.unique(batch.tokens))
    yield "encoder forward, bilstm", reading((batch.tokens, batch.lengths)), _forward(model, batch)
    # 32 filters of widths 1, 3, 5 and 7; both have a first layer that is read once per type
    for kind, size in (("cnn", 32 * (1 + 3 + 5 + 7)), ("average", HIDDEN)):
        work = _forward(model_of(kind), batch)
        yield f"encoder forward, {kind}", 2 * types * WIDTH * size, work
    few = documents(8, LENGTH - 2)
    # each removal reads again what follows it, in both directions, and scores the new states
    again = 8 * 2 * sum(range(LENGTH - 1)) * 2 * HIDDEN * (4 * HIDDEN + HIDDEN)
    once = reading((few.tokens, few.lengths))
    yield "leave-one-out, bilstm", once + again, lambda: leave_one_out(model, few)
    for tokens, count in ((20, 1280), (180, 320)):
        batches = list(reader_of(tokens, count).batches(BATCH, np.random.default_rng(2)))
        work = partial(step_through, *bilstm(ZIPF_WORDS), batches)
        yield f"training epoch, bilstm, {tokens} tokens", training(batches), work


def _forward(model, batch):
    return torch.no_grad()(lambda: model.encode(batch))


def measured():
    """Rate and distance of every kernel to both limits."""
    peak = product(1024, 1024, 1024, 4)
    step = product(BATCH, HIDDEN, 4 * HIDDEN, 2000)
    rows = [
        {"kernel": "limit: product of 1024 x 1024", "gflops": peak},
        {"kernel": f"limit: step, {BATCH} x {HIDDEN} by {HIDDEN} x {4 * HIDDEN}", "gflops": step},
    ]
    for name, operations, work in kernels():
        work()
        rows.append({"kernel": name, "gflops": operations / seconds(work) / GIGA})
    table = pd.DataFrame(rows)
    table["distance"] = peak / table["gflops"]
    table["distance_to_step"] = step / table["gflops"]
    return table


def draw(table: pd.DataFrame) -> Figure:
    """Rates as bars, the two limits as lines."""
    figure, axis = plt.subplots(figsize=(7, 2.8), layout="constrained")
    limits, kernel_rows = table[:2], table[2:]
    axis.barh(kernel_rows["kernel"], kernel_rows["gflops"], color="#4c72b0")
    for (_, limit), style in zip(limits.iterrows(), ("-", "--"), strict=True):
        axis.axvline(limit["gflops"], color="#777777", ls=style, label=limit["kernel"])
    rates = zip(kernel_rows["gflops"], kernel_rows["distance"], strict=True)
    for place, (rate, distance) in enumerate(rates):
        axis.text(rate, place, f" {distance:.1f}x below", va="center", fontsize=7)
    axis.invert_yaxis()
    axis.set_xlabel("Billions of multiplications and additions per second, one core")
    axis.legend(fontsize=6, ncols=2, loc="lower center", bbox_to_anchor=(0.5, 1), frameon=False)
    return figure
