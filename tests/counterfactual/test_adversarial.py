"""The adversarial search against plain autograd with torch's Adam, and in corner cases."""

import numpy as np
import pytest
import torch

from stages.corpora.batching import Reader
from stages.counterfactual.adversarial import search
from stages.counterfactual.tables import searched_table
from stages.nn.inputs import Inputs
from stages.statistics.divergences import jensen_shannon
from tests.benchmarks.plain_adversarial import search as plain
from tests.nn import toy
from tests.site.small_project import SEARCH
from tests.small import small_inputs, small_model

PAPER = SEARCH.model_copy(update={"candidates": 5, "steps": 500, "learning_rate": 0.01})
EPSILONS = PAPER.epsilons


def searched(model, inputs, options=PAPER):
    """The model's output, the draws and the candidates."""
    output = model(inputs)
    shape = (len(inputs.tokens), options.candidates, inputs.tokens.shape[1])
    start = torch.randn(shape, generator=torch.Generator().manual_seed(0))
    return output, start, search(model, output, start, options)


def within(model, output, weights, epsilon):
    """The largest divergence (B,) of weights (B, K, T) with the output within epsilon."""
    under = model.probabilities(model.decode(output.encoded, weights))  # (B, K, C)
    change = (under - model.probabilities(output.logits).unsqueeze(1)).abs().sum(-1)
    change = change if under.shape[-1] == 1 else change / 2
    far = jensen_shannon(weights, output.weights.unsqueeze(1))
    return torch.where(change <= epsilon, far, 0).amax(1)


@pytest.mark.parametrize(("encoder", "classes", "pair"), [("bilstm", 2, False), ("cnn", 3, True)])
def test_mean_divergence_equals_the_plain_search(encoder, classes, pair):
    model = small_model(encoder, classes=classes, pair=pair, sharpness=1.0)
    inputs = small_inputs((1, 2, 5, 9, 9, 7, 8), pair=pair)
    output, start, candidates = searched(model, inputs)
    weights = plain(model, output, start, PAPER)
    for epsilon in EPSILONS:
        expected = within(model, output, weights, epsilon).mean().item()
        assert candidates.farthest(epsilon).mean().item() == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize(
    ("classes", "pair", "longest"), [(2, False, 9), (2, False, 14), (3, False, 9), (3, True, 9)]
)
def test_a_few_steps_equal_the_plain_search(classes, pair, longest):
    """With <start> and <end> 14 tokens are 16, the width that needs no padding."""
    model = small_model("average", classes=classes, pair=pair, sharpness=1.0)
    inputs = small_inputs((2, 5, longest), pair=pair)
    few = [PAPER.model_copy(update={"steps": steps}) for steps in range(6)]
    output, start, candidates = searched(model, inputs, few[-1])
    expected = [plain(model, output, start, options) for options in few]
    torch.testing.assert_close(candidates.weights, expected[-1], atol=2e-6, rtol=1e-5)
    for place, epsilon in enumerate(EPSILONS):
        best = torch.stack([within(model, output, weights, epsilon) for weights in expected])
        assert best.max() > 0
        torch.testing.assert_close(candidates.best[:, place], best.amax(0), atol=2e-6, rtol=1e-5)


def test_weights_stay_distributions_and_best_is_no_worse_than_last():
    model, inputs = small_model("cnn"), small_inputs()
    *_, candidates = searched(model, inputs)
    torch.testing.assert_close(candidates.weights.sum(-1), torch.ones(5, 5))
    assert candidates.weights[~inputs.mask.unsqueeze(1).expand_as(candidates.weights)].eq(0).all()
    for place, epsilon in enumerate(EPSILONS):
        assert (candidates.best[:, place] >= candidates.farthest(epsilon) - 1e-6).all()
    assert (candidates.best[:, 1] >= candidates.best[:, 0]).all()


def test_one_token_has_no_other_attention_and_a_saturated_output_allows_any():
    model, inputs = small_model(sharpness=1.0), small_inputs((1, 6))
    with torch.no_grad():
        model.head.layer.bias += 60  # p = 1 whatever the weights
    *_, candidates = searched(model, inputs)
    far = candidates.farthest(0.01)
    assert far[0] == pytest.approx(0, abs=1e-6)
    assert far[1] > 0.3
    assert torch.isfinite(candidates.weights).all()


def test_searched_documents_against_a_loop_over_candidates():
    bilstm = {"kind": "bilstm", "hidden": 4}
    model = toy.network(toy.model(bilstm, projection={"kind": "sparsemax"})).eval()
    model.requires_grad_(False)
    reader = Reader(toy.corpus(), "test")
    few = PAPER.model_copy(update={"steps": 20, "margin": 1e-9})
    table = searched_table(model, reader, few, lambda row: row).set_index("instance")
    for row in reader.rows[:8]:
        batch = reader.batch(np.array([row]))
        output = model(Inputs.of(batch))
        size = (few.candidates, len(batch.tokens[0]))
        start = torch.from_numpy(np.random.default_rng(row).standard_normal(size, np.float32))
        whole = model.probabilities(output.logits)[0, 0]
        right, changes, within = [], [], [0.0]
        for weights in plain(model, output, start.unsqueeze(0), few)[0]:
            probability = model.probabilities(model.decode(output.encoded, weights[None]))[0, 0]
            right.append(float((probability > 0.5) == bool(batch.labels[0])))
            changes.append(float((probability - whole).abs()))
            if changes[-1] <= few.epsilons[0]:
                within.append(float(jensen_shannon(weights, output.weights[0])))
        assert table.loc[row, "searched_correct"] == pytest.approx(np.mean(right))
        assert table.loc[row, "searched_change"] == pytest.approx(np.mean(changes), abs=1e-4)
        assert table.loc[row, "searched_jsd"] == pytest.approx(max(within), abs=1e-4)
