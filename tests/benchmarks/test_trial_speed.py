"""The tests of Jain & Wallace against a literal loop over documents, measured in one run.

Documents of 20 words, a BiLSTM of 128 units, a CNN of 4 x 32 filters and an Average layer of 128
over 300 numbers per word: the sizes of the paper on SST. Bars are ratios, never times.
"""

import numpy as np
import pytest
import torch
from scipy.stats import kendalltau

from stages.counterfactual.adversarial import Search, search
from stages.counterfactual.outputs import outputs_under
from stages.counterfactual.permutation import permuted_changes
from stages.importance.leave_one_out import leave_one_out, rows_of
from stages.nn.build import build
from stages.nn.inputs import Inputs
from stages.statistics.divergences import jensen_shannon
from stages.statistics.kendall import kendall
from tests.benchmarks.measuring import ratio
from tests.nn import toy

WORDS, LENGTH = 5000, 20
ENCODERS = {
    "bilstm": {"kind": "bilstm", "hidden": 128},
    "cnn": {"kind": "cnn", "filters": 32, "kernels": (1, 3, 5, 7)},
    "average": {"kind": "average", "hidden": 128, "activation": "tanh"},
}


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def model_of(kind):
    torch.manual_seed(0)
    vectors = np.random.default_rng(0).normal(size=(WORDS, 300)).astype(np.float32)
    return build(toy.model(encoder=ENCODERS[kind]), vectors, 2, False).eval().requires_grad_(False)


def documents(count, length=LENGTH):
    draw = torch.Generator().manual_seed(1)
    tokens = torch.randint(4, WORDS, (count, length + 2), generator=draw)
    tokens[:, 0], tokens[:, -1] = 2, 3
    mask = torch.ones(tokens.shape, dtype=torch.bool)
    mask[:, [0, -1]] = False
    return Inputs(tokens, torch.full((count,), length + 2), mask)


@torch.no_grad()
def removed_one_by_one(model, inputs):
    for row in range(len(inputs.tokens)):
        single = rows_of(inputs, torch.tensor([row]))
        for place in range(1, LENGTH + 1):
            kept = [at for at in range(LENGTH + 2) if at != place]
            model(Inputs(single.tokens[:, kept], single.lengths - 1, single.mask[:, kept]))


@pytest.mark.parametrize(("kind", "bar"), [("bilstm", 5), ("cnn", 10), ("average", 50)])
def test_leave_one_out(kind, bar):
    model, few, many = model_of(kind), documents(8), documents(256)
    ratio(
        f"leave-one-out {kind}",
        lambda: removed_one_by_one(model, few),
        8,
        lambda: leave_one_out(model, many),
        256,
        bar,
    )


@torch.no_grad()
def shuffled_one_by_one(model, output):
    whole = model.probabilities(output.logits)
    draw = np.random.default_rng(0)
    for row in range(len(whole)):
        encoded = output.encoded
        single = type(encoded)(encoded.states[row : row + 1], encoded.mask[row : row + 1])
        for _ in range(100):
            weights = output.weights[row : row + 1].clone()
            weights[:, 1 : LENGTH + 1] = weights[:, 1 + draw.permutation(LENGTH)]
            _ = (model.probabilities(model.decode(single, weights)) - whole[row]).abs()


def test_permutation():
    model = model_of("bilstm")
    with torch.no_grad():
        few, many = model(documents(5)), model(documents(512))
    seeds = np.arange(512)
    ratio(
        "permutation",
        lambda: shuffled_one_by_one(model, few),
        5,
        lambda: permuted_changes(model, many, 100, seeds),
        512,
        100,
    )


def searched_one_by_one(model, output, start, settings):
    """The published search, document by document, by autograd."""
    for row in range(len(start)):
        encoded = output.encoded
        single = type(encoded)(encoded.states[row : row + 1], encoded.mask[row : row + 1])
        whole = model.probabilities(output.logits[row : row + 1]).unsqueeze(1)
        free = (settings.spread * start[row : row + 1]).requires_grad_()
        adam = torch.optim.Adam([free], lr=settings.learning_rate, amsgrad=True)
        for _ in range(settings.steps):
            alpha = free.masked_fill(~single.mask.unsqueeze(1), -1e9).softmax(-1)
            moved = (model.probabilities(model.decode(single, alpha)) - whole).abs().sum(-1)
            far = jensen_shannon(alpha + 1e-10, output.weights[row] + 1e-10)
            grid = jensen_shannon(alpha.unsqueeze(1) + 1e-10, alpha.unsqueeze(2) + 1e-10)
            penalty = settings.penalty * (moved - settings.margin).relu()
            adam.zero_grad()
            ((penalty - far).sum() - grid.mean()).backward()
            adam.step()


def test_adversarial():
    model, settings = model_of("bilstm"), Search(5, 100, 0.01, 3.0, 500.0, 0.01)
    draw = torch.Generator().manual_seed(0)
    with torch.no_grad():
        few, many = model(documents(2)), model(documents(256))
    start = torch.randn((256, 5, LENGTH + 2), generator=draw)
    under = outputs_under(model, many.encoded)
    ratio(
        "adversarial",
        lambda: searched_one_by_one(model, few, start[:2], settings),
        2,
        lambda: search(under, many.weights, many.encoded.mask, start, settings, (0.01, 0.05)),
        256,
        30,
    )


@pytest.mark.parametrize(("length", "bar"), [(20, 500), (180, 15)])
def test_kendall(length, bar):
    draw = np.random.default_rng(0)
    x, y = draw.normal(size=(2, 2000 * length))
    offsets = np.arange(2001) * length
    few = [(x[a : a + length], y[a : a + length]) for a in offsets[:50]]
    ratio(
        f"Kendall at length {length}",
        lambda: [kendalltau(*pair) for pair in few],
        50,
        lambda: kendall(x, y, offsets),
        2000,
        bar,
    )


def test_leave_one_out_of_a_long_document_stays_small():
    """States of 1,500 removals of 1,500 tokens would be 2.3 GB at once."""
    resource = pytest.importorskip("resource")
    model = model_of("bilstm")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    leave_one_out(model, documents(1, 1500))
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    print(f"\nleave-one-out of 1,500 tokens: {grown:.0f} MB more")
    assert grown < 1000
