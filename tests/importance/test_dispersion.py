"""Dispersion of influence against literal loops, cases by hand, undefined values."""

import numpy as np
import pytest
import torch

from stages.corpora.batching import Reader
from stages.importance import dispersion
from stages.importance.coverage import mass_of_top, support_auc
from stages.importance.dispersion import (
    farthest,
    normalised_entropy,
    on_output,
    on_states,
    projection_gap,
    without_states,
)
from stages.importance.dispersion_tables import dispersion_tables
from stages.importance.removals import rows_of
from stages.nn.inputs import Inputs
from stages.statistics.divergences import jensen_shannon
from tests.nn import toy
from tests.small import OTHER_ENCODERS, small_inputs, small_model


def literal_on_states(model, inputs):
    """Document by document and state by state, one backward pass each."""
    norms = []
    for row, place in inputs.mask.nonzero().tolist():
        single = rows_of(inputs, torch.tensor([row]))
        embedded = model.embedding(single.tokens).detach().requires_grad_()
        state = model.encode_embedded(embedded, single).states[0, place]
        (slope,) = torch.autograd.grad(state.norm(), embedded)
        norms.append(slope[0].norm(dim=-1) * single.mask[0])
    return torch.stack(norms)


@pytest.mark.parametrize("encoder", ["bilstm", "bigru", "cnn", "average"])
def test_all_states_at_once_equal_one_by_one(encoder, monkeypatch):
    monkeypatch.setattr(dispersion, "POSITIONS", 60)  # several chunks
    model, inputs = small_model(encoder), small_inputs()
    norms = on_states(model, inputs, *inputs.mask.nonzero().T)
    assert torch.allclose(norms, literal_on_states(model, inputs), atol=1e-6)


def test_states_of_a_transformer(monkeypatch):
    model = toy.network(toy.model(encoder=OTHER_ENCODERS["transformer"], score={"kind": "dot"}))
    model.eval().requires_grad_(False)
    for layer in model.encoder.layers.layers:  # with equal gains all states have one length
        layer.norm2.weight.uniform_(0.5, 2.0)
    reader = Reader(toy.corpus(), "test")
    inputs = Inputs.of(reader.batch(reader.rows[:4]))
    monkeypatch.setattr(dispersion, "AT_ONCE", 40)  # several chunks
    norms = on_states(model, inputs, *inputs.mask.nonzero().T)
    assert norms.max() > 0.01
    assert torch.allclose(norms, literal_on_states(model, inputs), atol=1e-6)


def test_without_context_a_state_depends_on_its_own_token_only():
    model, inputs = small_model("average"), small_inputs()
    rows, places = inputs.mask.nonzero().T
    norms = on_states(model, inputs, rows, places)
    alone = torch.zeros_like(norms)
    alone[torch.arange(len(rows)), places] = norms[torch.arange(len(rows)), places]
    assert torch.equal(norms, alone)
    entropy = normalised_entropy(norms, inputs.mask[rows])
    long = inputs.mask[rows].sum(1) > 1
    assert (entropy[long] == 0).all()
    assert entropy[~long].isnan().all()


def test_with_attention_held_the_gradient_of_states_is_attention():
    model, inputs = small_model("bilstm"), small_inputs()
    norms = on_output(model, inputs)["gradient_state_held"]
    shares = norms / norms.sum(1, keepdim=True)
    assert torch.allclose(shares, model(inputs).weights.detach(), atol=1e-5)


def test_gradients_by_autograd_of_the_whole_model():
    model, inputs = small_model("cnn"), small_inputs()
    norms = on_output(model, inputs)["gradient_input"]
    embedded = model.embedding(inputs.tokens).detach().requires_grad_()
    logits = model.answer(model.encode_embedded(embedded, inputs)).logits
    (slope,) = torch.autograd.grad(logits.sum(), embedded)
    assert torch.allclose(norms, slope.norm(dim=-1) * inputs.mask, atol=1e-6)


@pytest.mark.parametrize("projection", ["softmax", "sparsemax"])
def test_a_state_left_out_is_projected_anew(projection):
    model = small_model("bilstm", projection={"kind": projection})
    inputs = small_inputs()
    output = model(inputs)
    change = without_states(model, output)
    for row, place in inputs.mask.nonzero().tolist():
        kept = inputs.mask[row].clone()
        kept[place] = False
        if not kept.any():
            assert change[row, place] == 0
            continue
        weights = model.projection(output.scores[row : row + 1], kept.unsqueeze(0), None)
        pooled = weights @ output.encoded.states[row]
        left = model.probabilities(model.head(pooled, None, None))
        whole = model.probabilities(output.logits[row : row + 1])
        assert torch.isclose(change[row, place], (left - whole).abs().sum(), atol=1e-6)


def test_no_distribution_is_farther_than_the_least_attended_token():
    model, inputs = small_model("bilstm"), small_inputs((2, 5, 9))
    output = model(inputs)
    tied, distance, _ = farthest(model, output)
    draw = torch.Generator().manual_seed(0)
    for _ in range(200):
        other = torch.rand(inputs.mask.shape, generator=draw).pow(4) * inputs.mask
        other = other / other.sum(1, keepdim=True)
        assert (jensen_shannon(other.double(), output.weights.double()) <= distance + 1e-9).all()
    assert (tied.sum(1) == 1).all()
    assert not tied[~inputs.mask].any()


def test_all_equally_far_corners_count_against_a_loop():
    model, reader, by_name = toy_tables()
    instances = by_name["instances"].set_index("instance")
    several = 0
    for row in reader.rows:
        batch = reader.batch(np.array([row]))
        output = model(Inputs.of(batch))
        mask, weights = output.encoded.mask[0], output.weights[0]
        least = min(weights[mask].tolist())
        right, distances = [], []
        for place in mask.nonzero().flatten().tolist():
            if weights[place] == least:
                corner = torch.zeros(1, len(mask))
                corner[0, place] = 1.0
                probability = model.probabilities(model.decode(output.encoded, corner))
                right.append(float((probability[0, 0] > 0.5) == bool(batch.labels[0])))
                distances.append(float(jensen_shannon(corner[0].double(), weights.double())))
        several += len(right) > 1
        assert instances.loc[row, "farthest_correct"] == pytest.approx(np.mean(right))
        assert instances.loc[row, "farthest_jsd"] == pytest.approx(max(distances), abs=1e-6)
        assert max(distances) == pytest.approx(min(distances), abs=1e-9)
    assert several > 10


def test_coverage_by_the_support_against_a_loop():
    model, reader, by_name = toy_tables()
    instances = by_name["instances"].set_index("instance")
    for row in reader.rows:
        inputs = Inputs.of(reader.batch(np.array([row])))
        output = model(inputs)
        mask = inputs.mask[0]
        weights = output.weights[0][mask].numpy()
        values = on_output(model, inputs)["gradient_input"][0][mask].double().numpy()
        inside, outside = values[weights > 0], values[weights == 0]
        best = sum(sorted(values, reverse=True)[: len(inside)]) / values.sum()
        assert instances.loc[row, "mass_of_top"] == pytest.approx(best, abs=1e-5)
        assert instances.loc[row, "mass_on_support"] <= best + 1e-5
        won = [(a > b) + (a == b) / 2 for a in inside for b in outside]
        expected = np.mean(won) if won else np.nan
        assert instances.loc[row, "auc_gradient_input"] == pytest.approx(expected, nan_ok=True)


def test_coverage_by_hand():
    values = torch.tensor([[4.0, 3, 2, 1], [1, 1, 0, 0]])
    mask = torch.tensor([[1, 1, 1, 1], [1, 1, 0, 0]]).bool()
    assert mass_of_top(values, torch.tensor([2, 1])).tolist() == pytest.approx([0.7, 0.5])
    support = torch.tensor([[1, 0, 1, 0], [1, 0, 0, 0]]).bool()
    assert support_auc(values, support, mask).tolist() == pytest.approx([0.75, 0.5])
    assert support_auc(values, mask, mask).isnan().all()


def test_entropy_by_hand():
    mask = torch.tensor(
        [[1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 0, 0], [1, 0, 0, 0], [1, 1, 0, 0]]
    ).bool()
    values = torch.tensor([[1.0, 1, 1, 1], [5, 0, 0, 0], [3, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0]])
    entropy = normalised_entropy(values, mask)
    expected = -(0.75 * np.log(0.75) + 0.25 * np.log(0.25)) / np.log(2)
    assert torch.allclose(entropy[:3], torch.tensor([1.0, 0.0, expected], dtype=torch.float64))
    assert entropy[3:].isnan().all()  # one token; no influence at all


@pytest.mark.parametrize("strength", [-9.0, 0.0, 0.5, 0.9])
def test_the_projection_is_optimal_and_another_point_is_not(strength):
    kind = {"kind": "sparsegen", "strength": strength} if strength else {"kind": "sparsemax"}
    model, inputs = small_model("bilstm", projection=kind), small_inputs()
    output = model(inputs)
    rate = 1 / (1 - strength)
    gap = projection_gap(output.scores, output.weights, inputs.mask, rate)
    assert (gap < 1e-5).all()
    uniform = inputs.mask / inputs.mask.sum(1, keepdim=True)
    worse = projection_gap(output.scores, uniform, inputs.mask, rate)
    assert worse[-1] > 1e-3


def toy_tables(positions=3, projection="sparsemax"):
    """A model, the documents it reads, and the tables of both."""
    bilstm = {"kind": "bilstm", "hidden": 4}
    model = toy.network(toy.model(bilstm, projection={"kind": projection})).eval()
    model.requires_grad_(False)
    for parameter in model.score.parameters():  # sharp enough for weights of zero
        parameter.mul_(8)
    reader, draw = Reader(toy.corpus(), "test"), np.random.default_rng(0)
    return model, reader, dispersion_tables(model, reader, positions, draw)


def tables(**options):
    return toy_tables(**options)[2]


def test_tables_are_complete():
    by_name = tables()
    assert len(by_name["instances"]) == 40
    assert (by_name["states"].groupby("instance").size() <= 3).all()  # a sample
    assert not by_name["states"].duplicated(["instance", "position"]).any()
    assert by_name["states"]["position"].min() == 0
    pairs = by_name["taus"].groupby(["of", "measure"]).size()
    assert (pairs == 40).all()
    assert len(pairs) == 12
    shares = by_name["instances"]
    assert ((shares["support"] > 0) & (shares["support"] <= 1)).all()
    assert (shares["mass_on_support"].dropna() <= 1 + 1e-6).all()
    assert (shares["projection_gap"] < 1e-5).all()
    assert tables(projection="softmax")["instances"]["projection_gap"].isna().all()


def test_mean_of_states_is_the_mean_over_positions():
    by_name = tables(positions=100)
    means = by_name["states"].groupby("instance")["entropy"].mean()
    column = by_name["instances"].set_index("instance")["entropy_states"]
    assert np.allclose(column.sort_index(), means.sort_index(), equal_nan=True)
