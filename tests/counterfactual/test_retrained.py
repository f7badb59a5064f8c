"""Retrained adversaries: stacked against full computation, and a closed-form best adversary."""

from unittest.mock import patch

import numpy as np
import pytest
import torch

from stages.corpora.batching import Reader, buckets
from stages.corpora.corpus import Corpus, Part
from stages.corpora.ragged import Ragged
from stages.counterfactual.objectives import Objective
from stages.counterfactual.retrained import (
    BestEpoch,
    Evaluation,
    SingleAdversary,
    retrained,
)
from stages.counterfactual.retrained_stacked import DistinctWords, StackedAdversaries, applies
from stages.nn.answers import answers
from stages.nn.build import build
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


def models_of(count, encoder=None, size=9, seed=0, sharpness=3.0):
    models = []
    for run in range(count):
        torch.manual_seed(seed + run)
        model = build(toy.model(encoder), toy.vectors(size, seed=run), 2, False)
        with torch.no_grad():
            for parameter in (*model.score.parameters(), *model.head.parameters()):
                parameter *= sharpness
        models.append(model)
    return models


def readers_of(corpus, add_boundary_tokens=True):
    return {split: Reader(corpus, split, add_boundary_tokens) for split in ("train", "dev", "test")}


def frozen(models):
    return [model.requires_grad_(False) for model in models]


def single_adversary(model, base, readers, training):
    fixed = {split: answers(base, reader) for split, reader in readers.items()}
    return SingleAdversary("single", model, readers, fixed, training, BOUNDED)


def adversary_of(model, base, readers, training):
    """Stacked where that applies."""
    if applies(base, training):
        return StackedAdversaries("stacked", [model], [base], readers, training, BOUNDED)
    return single_adversary(model, base, readers, training)


@pytest.mark.parametrize("add_boundary_tokens", [True, False])
@pytest.mark.parametrize("objective", [BOUNDED, Objective("swept", 0.3)])
def test_distinct_words_with_counts_equal_the_full_computation(add_boundary_tokens, objective):
    corpus = mock_like()
    readers = readers_of(corpus, add_boundary_tokens)
    bases, models = frozen(models_of(3, seed=10)), models_of(3)
    stacked = StackedAdversaries("stacked", models, bases, readers, toy.training(), objective)
    rows = np.arange(len(readers["train"].rows))
    words, counts = stacked.texts["train"].padded(rows)
    table = stacked.table.clone().requires_grad_()
    places = torch.from_numpy(words).expand(3, -1, -1)
    losses = stacked.losses(table, places, places, counts)
    losses.mean(1).sum().backward()
    batch = readers["train"].batch(rows)
    inputs = Inputs.of(batch)
    for run, (model, base) in enumerate(zip(models, bases, strict=True)):
        base_output = base(inputs)
        output = model(inputs)
        full = objective.of(
            model.probabilities(output.logits),
            base.probabilities(base_output.logits),
            output.weights,
            base_output.weights,
        )
        model.zero_grad()
        full.mean().backward()
        torch.testing.assert_close(losses[run], full, atol=1e-5, rtol=1e-5)
        for name, value in model.named_parameters():
            # only words that occur; in the model padding has no gradient
            if name == "embedding.weight":
                gradient, expected = table.grad[run, 1:], value.grad[stacked.used[1:]]
            else:
                gradient, expected = stacked.parameters[name].grad[run], value.grad
            torch.testing.assert_close(gradient, expected, atol=1e-5, rtol=1e-4)


def test_stacked_evaluation_equals_the_full_computation():
    readers, training = readers_of(mock_like()), toy.training()
    bases, models = frozen(models_of(2, seed=10)), models_of(2)
    stacked = StackedAdversaries("stacked", models, bases, readers, training, BOUNDED)
    for evaluation, model, base in zip(stacked.evaluate("test"), models, bases, strict=True):
        (full,) = single_adversary(model, base, readers, training).evaluate("test")
        for name in ("probabilities", "change", "divergence", "loss"):
            np.testing.assert_allclose(getattr(evaluation, name), getattr(full, name), atol=1e-5)


def draws_of(*seeds):
    return [np.random.default_rng(seed) for seed in seeds]


def by_distinct_words(reader):
    """Cuts the training batches by the number of distinct words, as stacked adversaries do."""
    distinct = DistinctWords.of(reader).words.lengths

    def cut(lengths, size, draw=None, *options):
        return buckets(lengths if draw is None else distinct, size, draw, *options)

    return patch("stages.corpora.batching.buckets", cut)


@pytest.mark.parametrize("batch", [24, 5])
def test_stacked_training_equals_training_one_by_one(batch):
    """Every run has its own order of batches; the last batch of 24 documents by 5 has 4."""
    corpus = mock_like()
    bases, models, copies = frozen(models_of(3, seed=10)), models_of(3), models_of(3)
    training = toy.training(optimizer="amsgrad", batch=batch)
    stacked = StackedAdversaries("stacked", models, bases, readers_of(corpus), training, BOUNDED)
    runs = retrained(stacked, 6, 10, draws_of(0, 1, 2))
    for seed, (run, model, base) in enumerate(zip(runs, copies, bases, strict=True)):
        readers = readers_of(corpus)
        adversary = single_adversary(model, base, readers, training)
        with by_distinct_words(readers["train"]):
            (single,) = retrained(adversary, 6, 10, draws_of(seed))
        for split in ("dev", "test"):
            assert run.best[split].epoch == single.best[split].epoch
            assert run.best[split].loss == pytest.approx(single.best[split].loss, abs=1e-4)
        expected, weights = adversary.weights(0), stacked.weights(seed)
        for name, value in weights.items():
            whole = expected[name][stacked.used] if name == "embedding.weight" else expected[name]
            torch.testing.assert_close(value, whole, atol=1e-4, rtol=1e-3)


def test_adversaries_that_differ_in_the_order_of_batches_only_end_apart():
    (base,) = frozen(models_of(1, seed=10))
    models = [models_of(1)[0] for _ in range(3)]
    training = toy.training(batch=5)
    readers = readers_of(mock_like())
    stacked = StackedAdversaries("s", models, [base] * 3, readers, training, BOUNDED)
    one, same, other = retrained(stacked, 2, 10, draws_of(0, 0, 1))
    assert one.history == same.history
    assert one.history != other.history


@pytest.mark.parametrize("encoder", [None, {"kind": "bilstm", "hidden": 4}])
def test_attention_is_constant_while_held_and_trained_afterwards(encoder):
    (base,), (model,) = frozen(models_of(1, encoder, seed=10)), models_of(1, encoder)
    adversary = adversary_of(model, base, readers_of(mock_like()), toy.training())
    before = {name: value.clone() for name, value in adversary.weights(0).items()}
    retrained(adversary, 2, 5, draws_of(0), hold=2)
    for name, value in adversary.weights(0).items():
        assert torch.equal(value, before[name]) == name.startswith("score."), name
    retrained(adversary, 1, 5, draws_of(0))
    name = "score.vector.weight"
    assert not torch.equal(adversary.weights(0)[name], before[name])


def two_words():
    """One text of two words as every split."""
    part = Part(np.zeros(1, np.int64), Ragged.of([[0, 1]]))
    return corpus_of(("a", "b"), train=part, dev=part, test=part)


@pytest.mark.parametrize("encoder", [None, {"kind": "bilstm", "hidden": 4}])
def test_on_two_words_training_reaches_the_best_adversary(encoder):
    """It keeps the output and puts all weight on the word with less of the base's."""
    readers = readers_of(two_words())
    (base,) = frozen(models_of(1, encoder, size=6, seed=5, sharpness=8.0))
    weights = base(Inputs.of(readers["test"].batch(np.zeros(1, np.int64)))).weights[0, 1:3]
    most = weights.max().item()
    assert 0.7 < most < 0.98  # nearer to a half training may end on the other word
    best = float(farthest(np.array(most)))
    (model,) = models_of(1, encoder, size=6, seed=7, sharpness=1.0)
    training = toy.training(learning_rate=0.05)
    assert applies(base, training) == (encoder is None)
    adversary = adversary_of(model, base, readers, training)
    (run,) = retrained(adversary, 400, 400, draws_of(0))
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


def test_distinct_words_are_counted_without_boundary_tokens():
    corpus = mock_like(documents=2)
    for add_boundary_tokens in (True, False):
        reader = Reader(corpus, "train", add_boundary_tokens)
        distinct = DistinctWords.of(reader)
        for row in range(2):
            text = corpus.ids[corpus.parts["train"].text[row]]
            assert distinct.words[row].tolist() == sorted(set(text.tolist()))
            start, end = distinct.words.offsets[row : row + 2]
            counts = np.exp(distinct.log_counts[start:end])
            assert counts.sum() == pytest.approx(len(text))


def test_no_epoch_is_kept_after_patience_has_run_out():
    best = BestEpoch(patience=2)
    evaluation = Evaluation(*(np.zeros(1) for _ in range(4)))
    losses = (1.0, 1.5, 0.5, 0.6, 0.6, 0.1)
    kept = [best.offer(loss, epoch, evaluation) for epoch, loss in enumerate(losses, 1)]
    assert kept == [True, False, True, False, False, False]
    assert best.over
    assert (best.epoch, best.loss) == (3, 0.5)
