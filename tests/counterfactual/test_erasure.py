"""Vectorised erasure against the literal loop, and properties of any correct implementation."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch

from stages.corpora.batching import Batch
from stages.counterfactual import erasure_tables as module
from stages.counterfactual.erasure import Documents, Flips, divergences, first_flips, without_each
from tests.small import literal_flip, small_inputs, small_model

CLASSES = 5
RANKINGS = ("attention", "gradient", "product", "centred")


def first_flip(documents, order, empty=None):
    """The first flips along one order; an empty document has the logits `empty`, or the bias."""
    empty = documents.bias if empty is None else empty
    (flips,) = first_flips(documents, order.unsqueeze(0), empty)
    return Flips(flips.count[0], flips.mass[0])


def drawn(count=200, longest=9, classes=CLASSES, peak=3.0, seed=0) -> Documents:
    """Random documents with weights from flat to peaked and evidence for close decisions."""
    draw = torch.Generator().manual_seed(seed)
    lengths = torch.randint(1, longest + 1, (count,), generator=draw)
    mask = torch.arange(longest) < lengths.unsqueeze(1)
    scores = peak * torch.randn(count, longest, generator=draw)
    weights = scores.masked_fill(~mask, -torch.inf).softmax(1)
    evidence = 2 * torch.randn(count, longest, classes, generator=draw)
    return Documents.of(weights, evidence, 0.3 * torch.randn(classes, generator=draw), mask)


def test_every_single_erasure_equals_zeroing_and_renormalising():
    documents = drawn(peak=10.0)
    logits = without_each(documents, documents.bias)
    for row, length in enumerate(documents.lengths.tolist()):
        for place in range(length):
            left = documents.weights[row].clone()
            left[place] = 0
            total = left.sum()
            expected = documents.bias
            if total > 0:
                expected = (left / total) @ documents.evidence[row] + documents.bias
            torch.testing.assert_close(logits[row, place], expected, atol=1e-9, rtol=1e-9)


def test_logits_of_whole_documents_are_those_of_the_model():
    for classes in (2, 3):
        model, inputs = small_model("bilstm", classes=classes), small_inputs((2, 5, 9))
        output = model(inputs)
        documents = Documents.of(output.weights, *model.evidence(output.encoded), inputs.mask)
        torch.testing.assert_close(documents.weights.sum(1), torch.ones(3, dtype=torch.float64))
        expected = output.logits.double()
        own = documents.logits if classes == 3 else documents.logits[:, 1:]
        torch.testing.assert_close(own, expected, atol=1e-4, rtol=0)


@pytest.mark.parametrize("ranking", ["gradient", "centred"])
def test_the_closed_gradients_equal_autograd(ranking):
    """Centred: d p / d alpha_i with the others renormalised is g_i - sum of alpha g."""
    documents = drawn(peak=1.0)
    free = documents.weights.clone().requires_grad_()
    weights = free / free.sum(1, keepdim=True) if ranking == "centred" else free
    logits = (weights.unsqueeze(-1) * documents.evidence).sum(1) + documents.bias
    (slope,) = torch.autograd.grad(logits.softmax(-1).amax(-1).sum(), free)
    expected = slope * documents.weights if ranking == "centred" else slope
    torch.testing.assert_close(documents.importance()[ranking], expected * documents.real)


@pytest.mark.parametrize("ranking", ["attention", "gradient", "product"])
def test_a_flip_at_one_is_the_flip_of_the_top_item(ranking):
    documents = drawn()
    order = documents.orders()[ranking]
    at_one = first_flip(documents, order).count == 1
    single = without_each(documents, documents.bias).argmax(-1)
    top = single.gather(1, order[:, :1]).squeeze(1) != documents.decision
    assert (at_one == top).all()


def test_no_flip_means_that_the_empty_document_has_the_same_decision():
    documents = drawn()
    default = documents.bias.argmax()
    for order in documents.orders().values():
        count = first_flip(documents, order).count
        assert (documents.decision[count == 0] == default).all()
        assert (count[documents.decision != default] > 0).all()


def test_the_attention_ranking_erases_the_most_mass_for_its_count():
    documents = drawn()
    orders = documents.orders()
    most = documents.weights.gather(1, orders["attention"]).cumsum(1)
    for order in orders.values():
        assert (documents.weights.gather(1, order).cumsum(1) <= most + 1e-12).all()
    flips = first_flip(documents, orders["attention"])
    never = flips.count == 0
    assert flips.mass[never].isnan().all()
    assert flips.mass[~never].gt(0).all()


def test_divergences_are_bounded():
    documents = drawn()
    values = divergences(documents, without_each(documents, documents.bias))
    assert values.ge(0).all()
    assert values.le(np.log(2) + 1e-12).all()


def one_document(weights, evidence):
    """Three items, two classes, no bias."""
    weights, evidence = (torch.from_numpy(np.array([v])) for v in (weights, evidence))
    return Documents(weights, evidence, torch.zeros(2).double(), torch.ones(1, 3).bool())


def test_small_tails_keep_their_digits():
    """Weights 1 - 2e-9, 1e-9, 1e-9: without the first the tenth digit of the others decides."""
    for more, count in ((1e-9, 1), (-1e-9, 2)):
        evidence = [[5.0, 0.0], [3.0, 0.0], [0.0, 3.0 + more]]
        documents = one_document([1 - 2e-9, 1e-9, 1e-9], evidence)
        assert first_flip(documents, torch.tensor([[0, 1, 2]])).count.tolist() == [count]


def test_random_items_avoid_the_top_one_in_paper_and_the_first_in_code():
    draw = np.random.default_rng(0)
    pairs = np.array([module.random_items(5, 2, draw) for _ in range(4000)])
    assert set(pairs[:, 0]) == {0, 1, 3, 4}
    assert set(pairs[:, 1]) == {1, 2, 3, 4}
    assert np.abs(np.bincount(pairs[:, 0], minlength=5)[[0, 1, 3, 4]] - 1000).max() < 150


def tables(classes=3, orders=3):
    inputs = small_inputs((1, 2, 5, 9))
    rows, labels = np.arange(4), np.zeros(4, np.int64)
    batch = Batch(rows, inputs.tokens.numpy(), inputs.lengths.numpy(), inputs.mask.numpy(), labels)
    model = small_model("bilstm", classes=classes)
    reader = SimpleNamespace(batches=lambda size, cap: [batch])
    mean = module.mean_context(model, reader)
    return module.erasure_tables(model, reader, mean, orders, lambda row: row)


@pytest.mark.parametrize("classes", [2, 3])
def test_documents_of_one_item_are_in_instances_only(classes):
    by_name = tables(classes)
    single, multi = by_name["single"], by_name["multi"]
    assert by_name["instances"]["length"].to_list() == [1, 2, 5, 9]
    assert set(single["instance"]) == set(multi["instance"]) == {1, 2, 3}
    assert len(single) == 3 * 3 * 3  # documents, rankings, modes
    assert len(multi) == 3 * (len(RANKINGS) + 3)
    assert single.notna().all().all()
    two = single[single["instance"] == 1]
    paper, expected = (two[two["mode"] == mode] for mode in ("paper", "expected"))
    np.testing.assert_allclose(paper["js_random"], expected["js_random"])  # one other item


def test_the_same_seeds_draw_the_same_items():
    assert tables()["single"].equals(tables()["single"])


def test_expected_is_the_mean_over_the_other_items():
    documents = drawn(count=1, longest=9, seed=4)
    logits = without_each(documents, documents.bias)
    change = divergences(documents, logits).numpy()
    flips = (logits.argmax(-1) != documents.decision.unsqueeze(1)).numpy()
    length, top = int(documents.lengths[0]), 1
    assert length > 2
    means = module.mean_of_others(documents, change, flips, np.array([top]))
    others = [place for place in range(length) if place != top]
    assert means["js_random"][0] == pytest.approx(np.mean([change[0, at] for at in others]))
    assert means["random_flips"][0] == pytest.approx(np.mean([flips[0, at] for at in others]))


@pytest.mark.parametrize("peak", [0.0, 3.0, 30.0])
def test_all_orders_and_ends_at_once_equal_the_literal_loop(peak):
    documents = drawn(peak=peak)
    orders = torch.stack(list(documents.orders().values()))
    ends = (documents.bias, -documents.bias)  # different decisions for an empty document
    for end, flips in zip(ends, first_flips(documents, orders, *ends), strict=True):
        for number, row in np.ndindex(*flips.count.shape):
            length = int(documents.lengths[row])
            weights, order = documents.weights[row, :length].numpy(), orders[number, row, :length]
            count = literal_flip(
                weights,
                documents.evidence[row, :length].numpy(),
                documents.bias.numpy(),
                order.tolist(),
                end.numpy(),
            )
            assert flips.count[number, row] == count
            mass = weights[order[:count]].sum() if count else np.nan
            assert flips.mass[number, row].item() == pytest.approx(mass, nan_ok=True)
    assert (first_flips(documents, orders, ends[0])[0].count != flips.count).any()


def test_items_without_weight_leave_an_empty_document():
    """The one item with weight is erased first; then the logits of an empty document decide."""
    documents = one_document([0.0, 1.0, 0.0], [[0.0, 9.0], [1.0, 0.0], [0.0, 9.0]])
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
