"""Retrained adversaries: by types against whole documents, and a closed-form best adversary."""

from unittest.mock import patch

import numpy as np
import pytest
import torch

from stages.corpora.batching import Reader
from stages.corpora.corpus import Corpus, Part
from stages.corpora.ragged import Ragged
from stages.counterfactual.objectives import Objective
from stages.counterfactual.retrained import Adversary, Search, retrained
from stages.nn.inputs import Inputs
from stages.statistics.attefa import LARGEST, farthest
from stages.statistics.divergences import jensen_shannon
from tests.nn import toy

torch.set_num_threads(1)
BOUNDED = Objective("bounded")


def corpus_of(types, **parts):
    ids = np.arange(len(types), dtype=np.int32) + 4
    return Corpus("mock", "classification", False, ("no", "yes"), types, ids, parts)


def mock_like(documents=24):
    """Documents of one or two informative words among copies of the filler, type 2."""
    draw = np.random.default_rng(3)

    def part(n):
        labels = np.arange(n) % 2
        texts = []
        for label in labels:
            text = np.full(draw.integers(4, 9), 2)
            places = draw.choice(len(text), size=draw.integers(1, 3), replace=False)
            text[places] = draw.choice([label, 3 + label], size=len(places))
            texts.append(text.tolist())
        return Part(labels.astype(np.int64), Ragged.of(texts))

    types = ("bad", "good", "something", "awful", "fine")
    return corpus_of(types, train=part(documents), dev=part(10), test=part(10))


def model_of(encoder=None, size=9, seed=0, sharpness=3.0):
    model = toy.network(toy.model(encoder), seed, toy.vectors(size, seed=0))
    with torch.no_grad():
        for parameter in (*model.score.parameters(), *model.head.parameters()):
            parameter *= sharpness
    return model


def readers_of(corpus, add_boundary_tokens=True):
    return {split: Reader(corpus, split, add_boundary_tokens) for split in ("train", "dev", "test")}


def base_of(encoder=None, seed=10, **options):
    return model_of(encoder, seed=seed, **options).requires_grad_(False)


def adversary_of(model, base, readers, training, objective=BOUNDED, sample=None):
    return Adversary("toy", model, readers, base, training, objective, sample)


def whole_documents():
    """Computes models without context as others, position by position."""

    def outputs(model, inputs):
        output = model(inputs)
        return output.logits, output.weights

    return patch("stages.counterfactual.retrained.outputs", outputs)


def draw_of(seed):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("batch", [24, 5])
def test_training_by_types_equals_training_on_whole_documents(batch):
    """The last batch of 24 documents by 5 has 4."""
    corpus, training = mock_like(), toy.training(optimizer="amsgrad", batch=batch)
    base, model, same = base_of(), model_of(), model_of()
    adversary = adversary_of(model, base, readers_of(corpus), training)
    run = retrained(adversary, 6, 10, draw_of(0))
    with whole_documents():
        full = adversary_of(same, base, readers_of(corpus), training)
        expected = retrained(full, 6, 10, draw_of(0))
    for split in ("dev", "test"):
        assert run.best[split].number == expected.best[split].number
        assert run.best[split].loss == pytest.approx(expected.best[split].loss, abs=1e-4)
    for name, value in full.weights().items():
        torch.testing.assert_close(adversary.weights()[name], value, atol=1e-4, rtol=1e-3)


def test_adversaries_that_differ_in_the_order_of_batches_only_end_apart():
    base = base_of()
    histories = []
    for seed in (0, 0, 1):
        model, readers = model_of(), readers_of(mock_like())
        adversary = adversary_of(model, base, readers, toy.training(batch=5))
        histories.append(retrained(adversary, 2, 10, draw_of(seed)).history)
    assert histories[0] == histories[1]
    assert histories[0] != histories[2]


@pytest.mark.parametrize("encoder", [None, {"kind": "bilstm", "hidden": 4}])
def test_attention_is_constant_while_held_and_trained_afterwards(encoder):
    base, model = base_of(encoder), model_of(encoder)
    adversary = adversary_of(model, base, readers_of(mock_like()), toy.training())
    before = adversary.weights()
    retrained(adversary, 2, 5, draw_of(0), hold=2)
    for name, value in adversary.weights().items():
        assert torch.equal(value, before[name]) == name.startswith("score."), name
    retrained(adversary, 1, 5, draw_of(0))
    name = "score.vector.weight"
    assert not torch.equal(adversary.weights()[name], before[name])


def losses_of(adversary, epochs):
    """Losses on all of dev and test after each epoch, with the weights."""
    rows, draw = [], draw_of(0)
    for epoch in range(1, epochs + 1):
        adversary.train_epoch(epoch, draw)
        losses = {split: float(adversary.evaluate(split).loss.mean()) for split in ("dev", "test")}
        rows.append((losses, adversary.weights()))
    return rows


@pytest.mark.parametrize("encoder", [None, {"kind": "bilstm", "hidden": 4}])
def test_the_best_epochs_of_a_sample_are_compared_on_the_whole_split(encoder):
    base, training = base_of(encoder), toy.training(learning_rate=0.1)
    model, same = model_of(encoder), model_of(encoder)
    sampled = adversary_of(model, base, readers_of(mock_like()), training, sample=3)
    run = retrained(sampled, 12, 12, draw_of(0))
    whole = adversary_of(same, base, readers_of(mock_like()), training)
    rows = losses_of(whole, 12)
    for split in ("dev", "test"):
        on_sample = [row[f"{split}_loss"] for row in run.history]
        candidates = np.argsort(on_sample, kind="stable")[:3]
        expected = min(candidates, key=lambda place: rows[place][0][split])
        best = run.best[split]
        assert best.number == expected + 1
        assert best.loss == pytest.approx(rows[expected][0][split], abs=1e-5)
        assert len(best.test.loss) == 10  # all of test, not the sample of 3
        for name, value in rows[expected][1].items():
            torch.testing.assert_close(best.weights[name], value, atol=1e-4, rtol=1e-3)


def test_a_split_no_larger_than_the_sample_is_read_whole():
    base, model = base_of(), model_of()
    adversary = adversary_of(model, base, readers_of(mock_like()), toy.training(), sample=10)
    run = retrained(adversary, 4, 4, draw_of(0))
    assert len(run.best["dev"].test.loss) == 10
    losses = [row["dev_loss"] for row in run.history]
    assert run.best["dev"].number == 1 + int(np.argmin(losses))


def two_words():
    """One text of two words as every split."""
    part = Part(np.zeros(1, np.int64), Ragged.of([[0, 1]]))
    return corpus_of(("a", "b"), train=part, dev=part, test=part)


@pytest.mark.parametrize("encoder", [None, {"kind": "bilstm", "hidden": 4}])
def test_on_two_words_training_reaches_the_best_adversary(encoder):
    """It keeps the output and puts all weight on the word with less of the base's."""
    readers = readers_of(two_words())
    base = base_of(encoder, size=6, seed=5, sharpness=8.0)
    weights = base(Inputs.of(readers["test"].batch(np.zeros(1, np.int64)))).weights[0, 1:3]
    most = weights.max().item()
    assert 0.7 < most < 0.98  # nearer to a half training may end on the other word
    best = float(farthest(np.array(most)))
    model = model_of(encoder, size=6, seed=7, sharpness=1.0)
    adversary = adversary_of(model, base, readers, toy.training(learning_rate=0.05))
    run = retrained(adversary, 400, 400, draw_of(0))
    test = run.best["dev"].test
    assert test.divergence[0] == pytest.approx(best, abs=0.01)
    assert test.change[0] < 0.01
    assert run.best["dev"].loss == pytest.approx(-best / LARGEST, abs=0.02)


def test_farthest_divergence_is_that_of_all_weight_on_the_others():
    for mass, fillers in ((0.765, 4), (0.2, 3), (0.998, 70)):
        base = torch.tensor([mass, *[(1 - mass) / fillers] * fillers], dtype=torch.float64)
        moved = torch.tensor([0.0, *[1 / fillers] * fillers], dtype=torch.float64)
        assert float(farthest(np.array(mass))) == pytest.approx(
            float(jensen_shannon(base, moved)), abs=1e-9
        )
    assert float(farthest(np.array(0.765))) == pytest.approx(0.393, abs=2e-3)  # published, Mock-1


def test_no_epoch_is_kept_after_patience_has_run_out():
    search, kept = Search(patience=2), []
    for epoch, loss in enumerate((1.0, 1.5, 0.5, 0.6, 0.6, 0.1), 1):
        search.offer(loss, epoch, dict)
        kept.append(search.best[0][1])
    assert kept == [1, 1, 3, 3, 3, 3]
    assert search.over
    assert search.best[0][0] == 0.5
