"""Influence on all states, erasure along all rankings, and sparsemax, against literal loops."""

import numpy as np
import torch
from entmax import sparsemax as entmax_sparsemax

from stages.counterfactual.erasure import Documents, first_flips
from stages.importance.dispersion import on_states
from stages.importance.removals import rows_of
from stages.nn.projections.sparsemax import sparsemax
from tests.benchmarks.analysis_cases import documents as random_documents
from tests.benchmarks.analysis_cases import model_of
from tests.benchmarks.measuring import Case, Side
from tests.small import literal_flip

LENGTH, CLASSES = 50, 10


def states_one_by_one(model, inputs):
    for row in range(len(inputs.tokens)):
        single = rows_of(inputs, torch.tensor([row]))
        embedded = model.embedding(single.tokens).detach().requires_grad_()
        states = model.encode_embedded(embedded, single).states
        for place in inputs.mask[row].nonzero().flatten():
            torch.autograd.grad(states[0, place].norm(), embedded, retain_graph=True)


def influence():
    model, few, many = model_of("bilstm"), random_documents(1, LENGTH), random_documents(8, LENGTH)
    rows, places = many.mask.nonzero().T
    return Case(
        f"influence on {LENGTH} states, bilstm",
        Side("ours", lambda: on_states(model, many, rows, places), 8),
        Side("state by state", lambda: states_one_by_one(model, few), 1),
        5,
        tokens=LENGTH,
    )


def peaked(count, length):
    """Random documents with peaked weights whose decision flips late, as in the paper."""
    draw = torch.Generator().manual_seed(length)
    weights = (3 * torch.randn(count, length, generator=draw)).softmax(1)
    evidence = torch.randn(count, length, CLASSES, generator=draw)
    evidence[:, :, 0] += 2  # most items support one class
    mask = torch.ones(count, length, dtype=torch.bool)
    return Documents.of(weights, evidence, torch.zeros(CLASSES), mask)


def erase(documents):
    """First flips along every ranking."""
    (flips,) = first_flips(
        documents, torch.stack(list(documents.orders().values())), documents.bias
    )
    return flips.count


def erase_one_by_one(documents):
    """The same, document by document."""
    bias, rows = documents.bias.numpy(), range(len(documents.weights))
    weights, evidence = documents.weights.numpy(), documents.evidence.numpy()
    return [
        [literal_flip(weights[row], evidence[row], bias, order[row].numpy()) for row in rows]
        for order in documents.orders().values()
    ]


def erasure():
    few, many = peaked(20, 200), peaked(1000, 200)
    return Case(
        "erasure along four rankings, 200 tokens, ten classes",
        Side("ours", lambda: erase(many), 1000),
        Side("document by document", lambda: erase_one_by_one(few), 20),
        50,
        tokens=200,
    )


def literal_sparsemax(scores):
    """The closed form of Martins & Astudillo, row by row."""
    weights = []
    for row in scores:
        ranked = np.sort(row)[::-1]
        sums = ranked.cumsum() - 1
        support = int((np.arange(1, len(row) + 1) * ranked > sums).sum())
        weights.append(np.maximum(row - sums[support - 1] / support, 0))
    return np.array(weights)


def projection():
    scores = torch.randn(512, 100, generator=torch.Generator().manual_seed(0)).requires_grad_()
    mask, rows = torch.ones(scores.shape, dtype=torch.bool), scores.detach().numpy()
    return Case(
        "sparsemax of 100 scores",
        Side("ours, with gradient", lambda: sparsemax(scores, mask).norm().backward(), 512),
        Side("row by row, no gradient", lambda: literal_sparsemax(rows), 512),
        0,
        Side("entmax, with gradient", lambda: entmax_sparsemax(scores, -1).norm().backward(), 512),
        unit="rows",
        tokens=100,
    )


CASES = {"states": influence, "erasure": erasure, "sparsemax": projection}
