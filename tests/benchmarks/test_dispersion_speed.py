"""Influence on all states by batched backward passes against one pass for each state."""

import torch

from stages.importance.dispersion import on_states
from tests.benchmarks.measuring import ratio
from tests.benchmarks.test_trial_speed import documents, model_of

LENGTH = 50


def one_by_one(model, inputs):
    for row in range(len(inputs.tokens)):
        embedded = model.embedding(inputs.tokens[row : row + 1]).detach().requires_grad_()
        single = type(inputs)(
            inputs.tokens[row : row + 1], inputs.lengths[row : row + 1], inputs.mask[row : row + 1]
        )
        states = model.encode_embedded(embedded, single).states
        for place in inputs.mask[row].nonzero().flatten():
            torch.autograd.grad(states[0, place].norm(), embedded, retain_graph=True)


def test_influence_on_states():
    torch.set_num_threads(1)
    model = model_of("bilstm")
    few, many = documents(1, LENGTH), documents(8, LENGTH)
    rows, places = many.mask.nonzero().T
    ratio(
        f"influence on the states of {LENGTH} tokens",
        lambda: one_by_one(model, few),
        1,
        lambda: on_states(model, many, rows, places),
        8,
        5,
    )
