"""Influence on all states against the batched plain way, and sparsemax against entmax."""

import torch
from entmax import sparsemax as entmax_sparsemax

from stages.importance.dispersion import on_states
from stages.nn.projections.sparsemax import sparsemax
from tests.benchmarks.analysis_cases import documents, model_of
from tests.benchmarks.measuring import Case, Side

LENGTH = 50


def states_by_place(model, inputs):
    """The batch is read once; then the gradient of the states at one place at a time."""
    embedded = model.embedding(inputs.tokens).detach().requires_grad_()
    states = model.encode_embedded(embedded, inputs).states  # (B, T, H)
    for place in range(1, LENGTH + 1):
        norms = states[:, place].norm(dim=-1).sum()
        torch.autograd.grad(norms, embedded, retain_graph=True)


def influence():
    model, batch = model_of("bilstm"), documents(32, LENGTH)
    rows, places = batch.mask.nonzero().T
    return Case(
        f"influence on {LENGTH} states, bilstm",
        Side("ours", lambda: on_states(model, batch, rows, places), 32),
        Side(
            "batched plain way: a state of 32 documents at a time, our recurrence",
            lambda: states_by_place(model, batch),
            32,
        ),
        tokens=LENGTH,
    )


def projection():
    scores = torch.randn(512, 100, generator=torch.Generator().manual_seed(0)).requires_grad_()
    mask = torch.ones(scores.shape, dtype=torch.bool)
    return Case(
        "sparsemax of 100 scores, with gradient",
        Side("ours", lambda: sparsemax(scores, mask).norm().backward(), 512),
        library=Side("entmax", lambda: entmax_sparsemax(scores, -1).norm().backward(), 512),
        unit="rows",
        tokens=100,
    )


CASES = {"states": influence, "sparsemax": projection}
