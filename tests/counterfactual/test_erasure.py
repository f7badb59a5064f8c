"""Erasure without loops equals the literal loop, and passes what any re-implementation must."""

import numpy as np
import pytest
import torch

from stages.counterfactual.erasure import (
    Documents,
    Flips,
    divergences,
    first_flips,
    without_each,
)
from stages.counterfactual.erasure_tables import _expected, _random, erasure_tables, mean_context
from tests.small import literal_flip, small_inputs, small_model

CLASSES = 5
RANKINGS = ("attention", "gradient", "product", "centred")


def first_flip(documents, order, empty):
    """Along one order."""
    (flips,) = first_flips(documents, order.unsqueeze(0), empty)
    return Flips(flips.count[0], flips.mass[0])


def drawn(count=200, longest=9, classes=CLASSES, peak=3.0, seed=0) -> Documents:
    """Documents with weights from flat to peaked and evidence that makes decisions close."""
    draw = torch.Generator().manual_seed(seed)
    lengths = torch.randint(1, longest + 1, (count,), generator=draw)
    mask = torch.arange(longest) < lengths.unsqueeze(1)
    scores = peak * torch.randn(count, longest, generator=draw)
    weights = scores.masked_fill(~mask, -torch.inf).softmax(1)
    evidence = 2 * torch.randn(count, longest, classes, generator=draw)
    return Documents.of(weights, evidence, 0.3 * torch.randn(classes, generator=draw), mask)


@pytest.mark.parametrize("peak", [0.0, 3.0, 30.0])
@pytest.mark.parametrize("ranking", RANKINGS)
def test_first_flip_equals_the_literal_loop(ranking, peak):
    documents = drawn(peak=peak)
    order = documents.order(documents.importance()[ranking])
    found = first_flip(documents, order, documents.bias).count
    for row, length in enumerate(documents.lengths.tolist()):
        expected = literal_flip(
            documents.weights[row, :length].numpy(),
            documents.evidence[row, :length].numpy(),
            documents.bias.numpy(),
            order[row, :length].tolist(),
        )
        assert found[row] == expected, (row, length)


def test_every_single_erasure_equals_zeroing_and_renormalising():
    documents = drawn(peak=10.0)
    found = without_each(documents, documents.bias)
    for row, length in enumerate(documents.lengths.tolist()):
        for place in range(length):
            left = documents.weights[row].clone()
            left[place] = 0
            total = left.sum()
            expected = documents.bias
            if total > 0:
                expected = (left / total) @ documents.evidence[row] + documents.bias
            torch.testing.assert_close(found[row, place], expected, atol=1e-9, rtol=1e-9)


def test_whole_documents_have_the_models_own_logits():
    for classes in (2, 3):
        model, inputs = small_model("bilstm", classes=classes), small_inputs((2, 5, 9))
        output = model(inputs)
        documents = Documents.of(output.weights, *model.evidence(output.encoded), inputs.mask)
        torch.testing.assert_close(documents.weights.sum(1), torch.ones(3, dtype=torch.float64))
        expected = output.logits.double()
        own = documents.logits if classes == 3 else documents.logits[:, 1:]
        torch.testing.assert_close(own, expected, atol=1e-4, rtol=0)


def test_the_closed_gradient_equals_autograd():
    documents = drawn()
    free = documents.weights.clone().requires_grad_()
    logits = (free.unsqueeze(-1) * documents.evidence).sum(1) + documents.bias
    (expected,) = torch.autograd.grad(logits.softmax(-1).amax(-1).sum(), free)
    torch.testing.assert_close(documents.gradient(), expected * documents.real)


def test_centred_product_is_the_first_order_effect_of_erasing():
    """d p / d alpha_i with the others renormalised is g_i - sum of alpha g."""
    documents = drawn(peak=1.0)
    free = documents.weights.clone().requires_grad_()
    normal = free / free.sum(1, keepdim=True)
    logits = (normal.unsqueeze(-1) * documents.evidence).sum(1) + documents.bias
    (slope,) = torch.autograd.grad(logits.softmax(-1).amax(-1).sum(), free)
    expected = documents.weights * slope * documents.real
    torch.testing.assert_close(documents.importance()["centred"], expected)


@pytest.mark.parametrize("ranking", ["attention", "gradient", "product"])
def test_a_flip_at_one_is_the_flip_of_the_top_item(ranking):
    documents = drawn()
    order = documents.order(documents.importance()[ranking])
    at_one = first_flip(documents, order, documents.bias).count == 1
    single = without_each(documents, documents.bias).argmax(-1)
    top = single.gather(1, order[:, :1]).squeeze(1) != documents.decision
    assert (at_one == top).all()


def test_never_means_that_the_empty_document_decides_the_same():
    documents = drawn()
    default = documents.bias.argmax()
    for importance in documents.importance().values():
        order = documents.order(importance)
        count = first_flip(documents, order, documents.bias).count
        assert (documents.decision[count == 0] == default).all()
        assert (count[documents.decision != default] > 0).all()


def test_attention_takes_the_most_mass_for_its_count():
    documents = drawn()
    order = documents.order(documents.importance()["attention"])
    most = documents.weights.gather(1, order).cumsum(1)
    for importance in documents.importance().values():
        other = documents.weights.gather(1, documents.order(importance)).cumsum(1)
        assert (other <= most + 1e-12).all()
    flips = first_flip(documents, order, documents.bias)
    never = flips.count == 0
    assert flips.mass[never].isnan().all()
    assert flips.mass[~never].gt(0).all()


def test_divergences_are_symmetric_and_bounded():
    documents = drawn()
    found = divergences(documents, without_each(documents, documents.bias))
    assert found.ge(0).all()
    assert found.le(np.log(2) + 1e-12).all()


def test_small_tails_keep_their_digits():
    """Weights 1 - 2e-9, 1e-9, 1e-9: after the first the other two decide, by their tenth digit."""
    weights = torch.tensor([[1 - 2e-9, 1e-9, 1e-9]], dtype=torch.float64)
    for more, count in ((1e-9, 1), (-1e-9, 2)):
        evidence = torch.tensor([[[5.0, 0.0], [3.0, 0.0], [0.0, 3.0 + more]]], dtype=torch.float64)
        documents = Documents(weights, evidence, torch.zeros(2).double(), torch.ones(1, 3).bool())
        found = first_flip(documents, torch.tensor([[0, 1, 2]]), documents.bias)
        assert found.count.tolist() == [count]


def test_random_items_avoid_the_top_one_in_paper_and_the_first_in_code():
    draw = np.random.default_rng(0)
    pairs = np.array([_random(5, 2, draw) for _ in range(4000)])
    assert set(pairs[:, 0]) == {0, 1, 3, 4}
    assert set(pairs[:, 1]) == {1, 2, 3, 4}
    assert np.abs(np.bincount(pairs[:, 0], minlength=5)[[0, 1, 3, 4]] - 1000).max() < 150


class Batches:
    """A reader of one batch."""

    def __init__(self, batch):
        self.batch = batch

    def batches(self, size, cap=None):
        yield self.batch


def tables(classes=3, orders=3):
    from stages.corpora.batching import Batch

    inputs = small_inputs((1, 2, 5, 9))
    rows, labels = np.arange(4), np.zeros(4, np.int64)
    batch = Batch(rows, inputs.tokens.numpy(), inputs.lengths.numpy(), inputs.mask.numpy(), labels)
    model = small_model("bilstm", classes=classes)
    mean = mean_context(model, Batches(batch))
    return erasure_tables(model, Batches(batch), mean, orders, lambda row: row)


@pytest.mark.parametrize("classes", [2, 3])
def test_tables_leave_single_items_out_and_count_them(classes):
    found = tables(classes)
    assert found["instances"]["length"].to_list() == [1, 2, 5, 9]
    assert set(found["single"]["instance"]) == set(found["multi"]["instance"]) == {1, 2, 3}
    assert len(found["single"]) == 3 * 3 * 3  # documents, rankings, modes
    assert len(found["multi"]) == 3 * (len(RANKINGS) + 3)
    assert found["single"].notna().all().all()
    two = found["single"][found["single"]["instance"] == 1]
    paper, expected = (two[two["mode"] == mode] for mode in ("paper", "expected"))
    np.testing.assert_allclose(paper["js_random"], expected["js_random"])  # one other item


def test_the_same_seeds_draw_the_same_items():
    assert tables()["single"].equals(tables()["single"])


def test_expected_is_the_mean_over_the_other_items():
    documents = drawn(count=1, longest=9, seed=4)
    logits = without_each(documents, documents.bias)
    moved = divergences(documents, logits).numpy()
    flips = (logits.argmax(-1) != documents.decision.unsqueeze(1)).numpy()
    length, top = int(documents.lengths[0]), 1
    assert length > 2
    found = _expected(documents, moved, flips, np.array([top]))
    others = [place for place in range(length) if place != top]
    assert found["js_random"][0] == pytest.approx(np.mean([moved[0, at] for at in others]))
    assert found["random_flips"][0] == pytest.approx(np.mean([flips[0, at] for at in others]))


def test_all_orders_and_ends_at_once_equal_the_literal_loop():
    documents = drawn(peak=30.0)
    orders = torch.stack(list(documents.orders().values()))
    ends = (documents.bias, -documents.bias)  # which say different things of an empty document
    for end, found in zip(ends, first_flips(documents, orders, *ends), strict=True):
        for number, row in np.ndindex(*found.count.shape):
            length = int(documents.lengths[row])
            weights, order = documents.weights[row, :length].numpy(), orders[number, row, :length]
            count = literal_flip(
                weights,
                documents.evidence[row, :length].numpy(),
                documents.bias.numpy(),
                order.tolist(),
                end.numpy(),
            )
            assert found.count[number, row] == count
            mass = weights[order[:count]].sum() if count else np.nan
            assert found.mass[number, row].item() == pytest.approx(mass, nan_ok=True)
    assert (first_flips(documents, orders, ends[0])[0].count != found.count).any()


def test_weights_of_zero_at_the_end_leave_what_an_empty_document_says():
    """The one item with weight goes first; then the end decides."""
    weights = torch.tensor([[0.0, 1.0, 0.0]], dtype=torch.float64)
    evidence = torch.tensor([[[0.0, 9.0], [1.0, 0.0], [0.0, 9.0]]], dtype=torch.float64)
    documents = Documents(weights, evidence, torch.zeros(2).double(), torch.ones(1, 3).bool())
    order = torch.tensor([[1, 0, 2]])
    for end, count in (([0.0, 0.0], 0), ([0.0, 1.0], 1)):
        assert first_flip(documents, order, torch.tensor(end)).count.tolist() == [count]


@pytest.mark.parametrize("values", [1, 3, 100])
def test_orders_are_those_of_a_stable_sort(values):
    draw = torch.Generator().manual_seed(values)
    documents = drawn(longest=60)
    importance = torch.randint(values, documents.weights.shape, generator=draw).double() - 1
    expected = importance.masked_fill(~documents.real, -torch.inf).argsort(
        dim=1, descending=True, stable=True
    )
    assert documents.order(importance).tolist() == expected.tolist()
