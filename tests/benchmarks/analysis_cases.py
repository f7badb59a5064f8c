"""The analyses of Jain & Wallace against the batched plain way and against libraries.

Documents of 20 words, a BiLSTM of 128 units, a CNN of 4 x 32 filters and an Average layer of 128
over 300 numbers per word: the sizes of the paper on SST. Bars are ratios, never times.
"""

from functools import partial

import numpy as np
import torch
from captum.attr import FeatureAblation, InputXGradient, IntegratedGradients
from scipy.stats import kendalltau

from stages.importance.gradient import gradients
from stages.importance.integrated import integrated_gradients
from stages.importance.leave_one_out import leave_one_out
from stages.nn.inputs import Inputs
from stages.statistics.kendall import kendall
from tests.benchmarks import plain_recurrent
from tests.benchmarks.measuring import Case, Side
from tests.nn import toy

WORDS, LENGTH = 5000, 20
ENCODERS = {
    "bilstm": {"kind": "bilstm", "hidden": 128},
    "cnn": {"kind": "cnn", "filters": 32, "kernels": (1, 3, 5, 7)},
    "average": {"kind": "average", "hidden": 128, "activation": "tanh"},
}


def model_of(kind):
    model = toy.network(toy.model(encoder=ENCODERS[kind]), table=toy.vectors(WORDS, 300))
    return model.eval().requires_grad_(False)


def documents(count, length=LENGTH):
    draw = torch.Generator().manual_seed(1)
    tokens = torch.randint(4, WORDS, (count, length + 2), generator=draw)
    tokens[:, 0], tokens[:, -1] = 2, 3
    mask = torch.ones(tokens.shape, dtype=torch.bool)
    mask[:, [0, -1]] = False
    return Inputs(tokens, torch.full((count,), length + 2), mask)


def answer_of(model, inputs):
    """For captum: the probability of the predicted class, of embedded documents (B, T, E)."""
    with torch.no_grad():
        answers = model.decision(model(inputs).logits)

    def of(embedded, lengths, mask, answers):
        batch = Inputs(embedded[..., 0].long(), lengths, mask)
        return model.probability(
            model.answer(model.encode_embedded(embedded, batch)).logits, answers
        )

    return of, (model.embedding(inputs.tokens), inputs.lengths, inputs.mask, answers)


@torch.no_grad()
def ablated(model, inputs):
    """As captum does it: one token at a time set to zeros, the batch read again."""
    of, (embedded, *rest) = answer_of(model, inputs)
    places = torch.arange(embedded.shape[1]).view(1, -1, 1)
    FeatureAblation(of).attribute(
        embedded, additional_forward_args=tuple(rest), feature_mask=places
    )


def left_out(kind):
    model, batch, many = model_of(kind), documents(plain_recurrent.BATCH), documents(256)
    return Case(
        f"leave-one-out, {kind}, {LENGTH} tokens",
        Side("ours", lambda: leave_one_out(model, many), 256),
        Side(
            "batched plain way: a position of 32 documents at a time",
            lambda: plain_recurrent.leave_one_out(lambda inputs: model(inputs).logits, batch),
            plain_recurrent.BATCH,
        ),
        8,
        Side("captum, zeros for the token", lambda: ablated(model, many), 256),
        tokens=LENGTH,
    )


def captum_gradient(method, model, inputs, **options):
    of, (embedded, *rest) = answer_of(model, inputs)
    method(of).attribute(embedded.requires_grad_(), additional_forward_args=tuple(rest), **options)


def gradient():
    model, many = model_of("bilstm"), documents(256)
    return Case(
        "gradients, bilstm, by a library",
        Side("ours, three kinds", lambda: gradients(model, many), 256),
        library=Side("captum, one kind", lambda: captum_gradient(InputXGradient, model, many), 256),
        tokens=LENGTH,
    )


def integrated():
    model, many = model_of("bilstm"), documents(64)
    eight = partial(integrated_gradients, points=8)
    fifty = partial(captum_gradient, IntegratedGradients, n_steps=50)
    return Case(
        "integrated gradients, bilstm",
        Side("ours, 8 points", lambda: eight(model, many), 64),
        library=Side("captum, 50 points", lambda: fifty(model, many), 64),
        tokens=LENGTH,
    )


def kendall_of(length, bar):
    draw = np.random.default_rng(0)
    x, y = draw.normal(size=(2, 2000 * length))
    offsets = np.arange(2001) * length
    few = [(x[a : a + length], y[a : a + length]) for a in offsets[:50]]
    return Case(
        f"Kendall's tau-b, {length} tokens",
        Side("ours", lambda: kendall(x, y, offsets), 2000),
        bar=bar,
        library=Side("SciPy, pair by pair", lambda: [kendalltau(*pair) for pair in few], 50),
        tokens=length,
    )


CASES = {
    "leave-one-out-cnn": lambda: left_out("cnn"),
    "leave-one-out-average": lambda: left_out("average"),
    "gradients": gradient,
    "integrated-gradients": integrated,
    "kendall-20": lambda: kendall_of(20, 500),
    "kendall-180": lambda: kendall_of(180, 15),
}
