"""Retrained adversaries: short cut against full computation, and a best adversary known by hand."""

import numpy as np
import pytest
import torch

from stages.corpora.batching import Reader
from stages.corpora.corpus import Corpus, Part
from stages.corpora.ragged import Ragged
from stages.counterfactual.objectives import Objective
from stages.counterfactual.retrained import Alone, Kept, Seen, answers, retrained
from stages.counterfactual.retrained_together import Entries, Together, applies
from stages.nn.build import build
from stages.nn.inputs import Inputs
from stages.statistics.attefa import LARGEST, farthest
from tests.nn import toy

torch.set_num_threads(1)
BOUNDED = Objective("bounded")


def mock_like(documents=24, add_boundary_tokens=True):
    """Documents of one or two telling words among copies of the filler, type 2."""
    draw = np.random.default_rng(3)

    def part(n):
        labels = np.arange(n) % 2
        texts = []
        for label in labels:
            text = np.full(draw.integers(4, 9), 2)
            telling = draw.choice(len(text), size=draw.integers(1, 3), replace=False)
            text[telling] = draw.choice([label, 3 + label], size=len(telling))
            texts.append(text.tolist())
        return Part(labels.astype(np.int64), Ragged.of(texts))

    types = ("bad", "good", "something", "awful", "fine")
    ids = np.arange(len(types), dtype=np.int32) + 4
    parts = {"train": part(documents), "dev": part(10), "test": part(10)}
    return Corpus("mock", "classification", False, ("no", "yes"), types, ids, parts)


def models_of(count, encoder=None, size=9, seed=0, sharpness=3.0):
    found = []
    for run in range(count):
        torch.manual_seed(seed + run)
        model = build(toy.model(encoder), toy.vectors(size, seed=run), 2, False)
        with torch.no_grad():
            for parameter in (*model.score.parameters(), *model.head.parameters()):
                parameter *= sharpness
        found.append(model)
    return found


def readers_of(corpus, add_boundary_tokens=True):
    return {split: Reader(corpus, split, add_boundary_tokens) for split in ("train", "dev", "test")}


@pytest.mark.parametrize("add_boundary_tokens", [True, False])
@pytest.mark.parametrize("objective", [BOUNDED, Objective("swept", 0.3)])
def test_distinct_words_with_counts_equal_the_full_computation(add_boundary_tokens, objective):
    corpus = mock_like()
    readers = readers_of(corpus, add_boundary_tokens)
    bases, models = models_of(3, seed=10), models_of(3)
    for base in bases:
        base.requires_grad_(False)
    together = Together("t", models, bases, readers, toy.training(), objective)
    rows = np.arange(len(readers["train"].rows))
    words, counts = together.entries["train"].padded(rows)
    table = together.table.clone().requires_grad_()
    places = torch.from_numpy(words)
    lost = together.losses(table, places, places, counts)
    lost.mean(1).sum().backward()
    batch = readers["train"].batch(rows)
    inputs = Inputs.of(batch)
    for run, (model, base) in enumerate(zip(models, bases, strict=True)):
        theirs = base(inputs)
        output = model(inputs)
        full = objective.of(
            model.probabilities(output.logits),
            base.probabilities(theirs.logits),
            output.weights,
            theirs.weights,
        )
        model.zero_grad()
        full.mean().backward()
        torch.testing.assert_close(lost[run], full, atol=1e-5, rtol=1e-5)
        for name, value in model.named_parameters():
            found = table if name == "embedding.weight" else together.parameters[name]
            # of the words that are read; padding has no gradient in the model
            told = table.grad[run, 1:] if found is table else found.grad[run]
            expected = value.grad[together.used[1:]] if found is table else value.grad
            torch.testing.assert_close(told, expected, atol=1e-5, rtol=1e-4)


def test_what_is_seen_of_a_split_equals_the_full_computation():
    readers = readers_of(mock_like())
    bases, models = models_of(2, seed=10), models_of(2)
    for base in bases:
        base.requires_grad_(False)
    together = Together("t", models, bases, readers, toy.training(), BOUNDED).look("test")
    for seen, model, base in zip(together, models, bases, strict=True):
        fixed = {split: answers(base, reader) for split, reader in readers.items()}
        (full,) = Alone("a", model, readers, fixed, toy.training(), BOUNDED).look("test")
        for name in ("said", "change", "divergence", "loss"):
            np.testing.assert_allclose(getattr(seen, name), getattr(full, name), atol=1e-5)


def test_runs_trained_together_end_where_each_ends_alone():
    """Whole epochs in one batch, so that both see the same documents at every step."""
    corpus = mock_like()
    bases, models = models_of(2, seed=10), models_of(2)
    copies = models_of(2)
    for base in bases:
        base.requires_grad_(False)
    training = toy.training(optimizer="amsgrad", batch=24)
    draw = np.random.default_rng(0)
    together = Together("t", models, bases, readers_of(corpus), training, BOUNDED)
    runs = retrained(together, 6, 10, draw)
    for run, model, base in zip(runs, copies, bases, strict=True):
        readers = readers_of(corpus)
        fixed = {split: answers(base, reader) for split, reader in readers.items()}
        alone = Alone("a", model, readers, fixed, training, BOUNDED)
        (single,) = retrained(alone, 6, 10, np.random.default_rng(0))
        for split in ("dev", "test"):
            assert run.kept[split].epoch == single.kept[split].epoch
            assert run.kept[split].loss == pytest.approx(single.kept[split].loss, abs=1e-4)


@pytest.mark.parametrize("encoder", [None, {"kind": "bilstm", "hidden": 4}])
def test_attention_held_stays_as_drawn_and_moves_once_it_is_let_go(encoder):
    readers = readers_of(mock_like())
    (base,), (model,) = models_of(1, encoder, seed=10), models_of(1, encoder)
    base.requires_grad_(False)
    if encoder is None:
        trainee = Together("t", [model], [base], readers, toy.training(), BOUNDED)
    else:
        fixed = {split: answers(base, reader) for split, reader in readers.items()}
        trainee = Alone("a", model, readers, fixed, toy.training(), BOUNDED)
    before = {name: value.clone() for name, value in trainee.weights(0).items()}
    retrained(trainee, 2, 5, np.random.default_rng(0), hold=2)
    for name, value in trainee.weights(0).items():
        assert torch.equal(value, before[name]) == name.startswith("score."), name
    retrained(trainee, 1, 5, np.random.default_rng(0))
    assert not torch.equal(trainee.weights(0)["score.vector.weight"], before["score.vector.weight"])


def two_words():
    """One text of two words, three times; nothing else to read."""
    part = Part(np.zeros(1, np.int64), Ragged.of([[0, 1]]))
    parts = dict.fromkeys(("train", "dev", "test"), part)
    ids = np.arange(2, dtype=np.int32) + 4
    return Corpus("two", "classification", False, ("no", "yes"), ("a", "b"), ids, parts)


@pytest.mark.parametrize("encoder", [None, {"kind": "bilstm", "hidden": 4}])
def test_on_two_words_the_trained_adversary_reaches_the_best_one(encoder):
    """The best keeps the answer and puts all weight on the word with less of the base's."""
    readers = readers_of(two_words())
    (base,) = models_of(1, encoder, size=6, seed=5, sharpness=8.0)
    base.requires_grad_(False)
    weights = base(Inputs.of(readers["test"].batch(np.zeros(1, np.int64)))).weights[0, 1:3]
    most = weights.max().item()
    assert 0.7 < most < 0.98  # nearer to a half a start on the wrong side ends at 1 - most
    best = float(farthest(np.array(most)))
    adversaries = models_of(1, encoder, size=6, seed=7, sharpness=1.0)
    training = toy.training(learning_rate=0.05)
    if encoder is None:
        assert applies(base)
        trainee = Together("t", adversaries, [base], readers, training, BOUNDED)
    else:
        assert not applies(base)
        fixed = {split: answers(base, reader) for split, reader in readers.items()}
        trainee = Alone("a", adversaries[0], readers, fixed, training, BOUNDED)
    (run,) = retrained(trainee, 400, 400, np.random.default_rng(0))
    seen = run.kept["dev"].test
    assert seen.divergence[0] == pytest.approx(best, abs=0.01)
    assert seen.change[0] < 0.01
    assert run.kept["dev"].loss == pytest.approx(-best / LARGEST, abs=0.02)


def test_farthest_divergence_is_that_of_all_weight_on_the_rest():
    from stages.statistics.divergences import jensen_shannon

    for mass, fillers in ((0.765, 4), (0.2, 3), (0.998, 70)):
        base = torch.tensor([mass, *[(1 - mass) / fillers] * fillers], dtype=torch.float64)
        moved = torch.tensor([0.0, *[1 / fillers] * fillers], dtype=torch.float64)
        assert float(farthest(np.array(mass))) == pytest.approx(
            float(jensen_shannon(base, moved)), abs=1e-9
        )
    assert float(farthest(np.array(0.765))) == pytest.approx(0.393, abs=2e-3)  # printed, Mock-1


def test_entries_count_words_and_leave_ends_out():
    corpus = mock_like(documents=2)
    for add_boundary_tokens in (True, False):
        reader = Reader(corpus, "train", add_boundary_tokens)
        entries = Entries.of(reader)
        for row in range(2):
            text = corpus.ids[corpus.parts["train"].text[row]]
            assert entries.words[row].tolist() == sorted(set(text.tolist()))
            start, end = entries.words.offsets[row : row + 2]
            counted = np.exp(entries.counts[start:end])
            assert counted.sum() == pytest.approx(len(text))


def test_an_epoch_counts_until_patience_is_over_and_not_after():
    kept = Kept(patience=2)
    empty = Seen(*(np.zeros(1) for _ in range(4)))
    assert kept.offer(1.0, 1, empty)
    assert not kept.offer(1.5, 2, empty)
    assert kept.offer(0.5, 3, empty)
    assert not kept.offer(0.6, 4, empty)
    assert not kept.offer(0.6, 5, empty)
    assert kept.over
    assert not kept.offer(0.1, 6, empty)
    assert (kept.epoch, kept.loss) == (3, 0.5)
