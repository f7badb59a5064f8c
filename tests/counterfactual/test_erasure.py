"""Vectorised erasure against the literal loop, and properties of any correct implementation."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from scipy.spatial.distance import jensenshannon

from stages.corpora.batching import Batch
from stages.counterfactual import erasure_tables as module
from stages.counterfactual.erasure import Documents, first_flips, without_each
from stages.nn.inputs import Inputs
from tests.small import literal_flip, small_inputs, small_model

CLASSES = 5
RANKINGS = ("attention", "gradient", "product", "centred")


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


def one_document(weights, evidence):
    """Three items, two classes, no bias."""
    weights, evidence = (torch.from_numpy(np.array([v])) for v in (weights, evidence))
    return Documents(weights, evidence, torch.zeros(2).double(), torch.ones(1, 3).bool())


def test_small_tails_keep_their_digits():
    """Weights 1 - 2e-9, 1e-9, 1e-9: without the first the tenth digit of the others decides."""
    for more, count in ((1e-9, 1), (-1e-9, 2)):
        evidence = [[5.0, 0.0], [3.0, 0.0], [0.0, 3.0 + more]]
        documents = one_document([1 - 2e-9, 1e-9, 1e-9], evidence)
        (flips,) = first_flips(documents, torch.tensor([[[0, 1, 2]]]), documents.bias)
        assert flips.count.tolist() == [[count]]


def test_random_items_by_mode():
    """`paper` avoids the top item, `as_coded` the first; `expected` are all that `paper` draws."""
    real = np.arange(6) < np.array([[5]] * 4000 + [[1]])
    top, draws = np.full(4001, 2), [np.random.default_rng(row) for row in range(4001)]
    top[-1] = 0
    items = module.random_items(real, top, draws)
    drawn = {mode: some[:-1].sum(0) for mode, some in items.items()}
    assert drawn["paper"] == pytest.approx([1000, 1000, 0, 1000, 1000, 0], abs=150)
    assert drawn["as_coded"] == pytest.approx([0, 1000, 1000, 1000, 1000, 0], abs=150)
    assert drawn["expected"].tolist() == [4000, 4000, 0, 4000, 4000, 0]
    assert not any(some[-1].any() for some in items.values())


def batch_of(lengths=(1, 2, 5, 9)) -> Batch:
    inputs, rows = small_inputs(lengths), np.arange(len(lengths))
    arrays = (inputs.tokens.numpy(), inputs.lengths.numpy(), inputs.mask.numpy())
    return Batch(rows, *arrays, np.zeros(len(rows), np.int64))


def tables(classes=3, orders=3):
    model, batch = small_model("bilstm", classes=classes), batch_of()
    reader = SimpleNamespace(batches=lambda size, cap: [batch])
    mean = module.mean_context(model, reader)
    return module.erasure_tables(model, reader, mean, orders, lambda row: row)


def test_expected_is_the_mean_over_all_but_the_top_item():
    model, inputs = small_model("bilstm", classes=3), Inputs.of(batch_of())
    output = model(inputs)
    documents = Documents.of(output.weights, *model.evidence(output.encoded), inputs.mask)
    outputs = without_each(documents, documents.bias).softmax(-1)  # (B, L, C)
    table = tables()["single"].query("mode == 'expected'")
    assert len(table) == 9
    for row in table.itertuples():
        length = int(documents.lengths[row.instance])
        top = int(documents.orders()[row.ranking][row.instance, 0])
        erased, whole = outputs[row.instance, :length], documents.logits[row.instance].softmax(-1)
        change = jensenshannon(erased, whole.expand_as(erased), axis=1) ** 2
        flips = erased.argmax(1).numpy() != int(whole.argmax())
        weights = documents.weights[row.instance, :length].numpy()
        others = np.arange(length) != top
        assert row.js_top == pytest.approx(change[top])
        assert row.top_flips == flips[top]
        assert row.js_random == pytest.approx(change[others].mean())
        assert row.random_flips == pytest.approx(flips[others].mean())
        assert row.delta_alpha == pytest.approx(weights[top] - weights[others].mean())


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
    ends = torch.tensor([0.0, 0.0]), torch.tensor([0.0, 1.0])
    unchanged, flipped = first_flips(documents, torch.tensor([[[1, 0, 2]]]), *ends)
    assert (unchanged.count.item(), flipped.count.item()) == (0, 1)


@pytest.mark.parametrize("values", [1, 3, 100])
def test_orders_are_those_of_a_stable_sort(values):
    draw = torch.Generator().manual_seed(values)
    documents = drawn(longest=60)
    importance = torch.randint(values, documents.weights.shape, generator=draw).double() - 1
    expected = importance.masked_fill(~documents.real, -torch.inf).argsort(
        dim=1, descending=True, stable=True
    )
    assert documents.order(importance).tolist() == expected.tolist()
