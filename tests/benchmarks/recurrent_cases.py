"""A BiLSTM of 128 units over 300 dimensions against the batched plain way (plain_recurrent.py).

Words follow Zipf's law; documents of about 20 tokens (SST) and of about 180 (IMDB).
"""

import numpy as np
import torch

from stages.importance.gradient import gradients
from stages.importance.leave_one_out import leave_one_out
from stages.nn.inputs import Inputs
from stages.nn.optimizers import Steps
from tests.benchmarks import plain_recurrent as plain
from tests.benchmarks.measuring import Case, Side
from tests.benchmarks.training_cases import network_of, step_through, zipf_reader
from tests.nn import toy

WORDS = 16000
LENGTHS = {20: (5, 35), 180: (60, 300)}  # shortest and longest text

WAY = "batched plain way: packed batches of 32, autograd"


def reader_of(tokens, documents):
    return zipf_reader(documents, *LENGTHS[tokens])


def epoch(tokens, documents, bar):
    reader, model = reader_of(tokens, documents), network_of("bilstm", WORDS)
    batches = list(reader.batches(plain.BATCH, np.random.default_rng(2)))
    steps, copy = Steps(model, toy.training(optimizer="amsgrad")), plain.PlainModel(model)
    adam = torch.optim.Adam(copy.parameters(), 0.01, amsgrad=True)
    padded = [(Inputs.of(batch), torch.from_numpy(batch.labels)) for batch in batches]
    return Case(
        f"training epoch, bilstm, {tokens} tokens",
        Side("ours", lambda: step_through(model, steps, batches), documents),
        Side(f"{WAY}, dense AMSGrad", lambda: plain.train_epoch(copy, adam, padded), documents),
        bar,
        tokens=reader.tokens // documents,
    )


def analysis(name, ours, theirs, tokens, documents, bar):
    """An analysis in batches of 128 as the stages make them, against batches of 32."""
    reader, model = reader_of(tokens, documents), network_of("bilstm", WORDS)
    model.eval().requires_grad_(False)
    copy = plain.PlainModel(model).eval()
    large, small = (
        [Inputs.of(batch) for batch in reader.batches(size)] for size in (128, plain.BATCH)
    )
    return Case(
        f"{name}, bilstm, {tokens} tokens",
        Side("ours", lambda: [ours(model, batch) for batch in large], documents),
        Side(WAY, lambda: [theirs(copy, batch) for batch in small], documents),
        bar,
        tokens=reader.tokens // documents,
    )


def gradient(tokens, documents):
    return analysis("gradients", gradients, plain.gradients, tokens, documents, 3)


def removal(tokens, documents):
    return analysis("leave-one-out", leave_one_out, plain.leave_one_out, tokens, documents, 8)


CASES = {
    "plain-training-20": lambda: epoch(20, 1280, 2),
    "plain-training-180": lambda: epoch(180, 320, 4),
    "plain-gradients-20": lambda: gradient(20, 256),
    "plain-gradients-180": lambda: gradient(180, 64),
    "plain-leave-one-out-20": lambda: removal(20, 256),
    "plain-leave-one-out-180": lambda: removal(180, 32),
}
