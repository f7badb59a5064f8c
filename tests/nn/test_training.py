"""Training, selection, stored models."""

import numpy as np
import pytest
import torch

from stages.corpora.batching import Reader
from stages.nn import storage
from stages.nn.penalty import product
from stages.nn.prediction import predict
from stages.nn.training import Best, class_weights, fit
from stages.settings.errors import UserError
from tests.nn import toy

LSTM = {"kind": "bilstm", "hidden": 4}


def fitted(model, training=None, add_boundary_tokens=True, **options):
    """Best epoch and history of a run."""
    readers = [Reader(toy.corpus(), split, add_boundary_tokens) for split in ("train", "dev")]
    draw = np.random.default_rng(0)
    return fit("toy", model, *readers, training or toy.training(), draw, **options)


@pytest.mark.parametrize("encoder", [None, LSTM])
def test_a_decisive_word_is_learnt(encoder):
    model = toy.network(toy.model(encoder=encoder))
    best, history = fitted(model, toy.training(epochs=8))
    assert best.score >= 0.95
    assert (best.probabilities == predict(model, Reader(toy.corpus(), "dev"))).all()
    assert history[-1]["loss"] < history[0]["loss"] / 2
    test = Reader(toy.corpus(), "test")
    assert ((predict(model, test)[:, 0] > 0.5) == test.labels).mean() >= 0.9


@pytest.mark.parametrize("encoder", [None, LSTM])
def test_training_twice_gives_the_same_bytes(encoder, tmp_path):
    files = []
    for name in ("one", "two"):
        model = toy.network(toy.model(encoder=encoder))
        _, history = fitted(model)
        (tmp_path / name).mkdir()
        storage.save(model, {"x": 1}, history, tmp_path / name)
        files.append([(tmp_path / name / f).read_bytes() for f in (storage.WEIGHTS, "history.csv")])
    assert files[0] == files[1]


def test_nan_is_refused_with_epoch_batch_and_rate():
    table = toy.vectors()
    table[4] = np.nan
    message = r"toy: the loss became nan in epoch 1, batch \d+, learning rate 0\.01"
    with pytest.raises(UserError, match=message):
        fitted(toy.network(table=table))


def test_of_equally_good_epochs_the_one_with_the_lowest_loss_is_kept():
    best, kept = Best(), []
    epochs = [(0.5, 2.0), (0.5, 3.0), (0.5, 1.0), (0.6, 4.0), (float("nan"), 0.1), (0.6, 4.0)]
    for epoch, (score, loss) in enumerate(epochs, 1):
        improved = best.offer(score, loss, epoch, {}, np.empty(0))
        kept.append((improved, best.epoch))
    # epoch 3 is kept for its loss, but is no improvement that patience counts
    assert kept == [(True, 1), (False, 1), (False, 3), (True, 4), (False, 4), (False, 4)]


def test_no_epoch_before_first_epoch_is_selected():
    best, _ = fitted(toy.network(), toy.training(first_epoch=3))
    assert best.epoch >= 3
    best, _ = fitted(toy.network(), toy.training(first_epoch=3, epochs=2))
    assert best.epoch == 2  # with fewer epochs than first_epoch the last one is selected


def test_patience_and_plateau_halving():
    frozen = toy.training(learning_rate=1e-12, epochs=9, patience=3, halve_on_plateau=True)
    _, history = fitted(toy.network(), frozen)
    # the first epoch is the best; the next three do not improve on it
    assert [row["epoch"] for row in history] == [1, 2, 3, 4]
    rates = [row["learning_rate"] for row in history]
    assert np.allclose(np.array(rates) / 1e-12, [1, 1, 0.5, 0.25])


def test_class_weights_by_hand():
    weigh = toy.training(class_weights=True)
    labels = np.array([0, 0, 0, 1])
    assert class_weights(labels, 2, weigh).tolist() == [1, 3]
    assert class_weights(labels, 2, toy.training()).tolist() == [1, 1]
    three = class_weights(np.array([0, 0, 1, 2]), 3, weigh)
    assert np.allclose(three.numpy(), [4 / 6, 4 / 3, 4 / 3])
    with pytest.raises(UserError, match="class number 2 has no training example"):
        class_weights(labels, 3, weigh)


def context_model(encoder="none"):
    kind = {"kind": encoder} | ({"bias": True} if encoder == "affine" else {})
    settings = toy.model(encoder=kind, score={"kind": "context", "scale": 2.0})
    return toy.network(settings)


def test_the_product_of_the_two_vectors_by_hand():
    for encoder in ("none", "affine"):
        model = context_model(encoder)
        parameters = {name: p.detach().numpy() for name, p in model.named_parameters()}
        v, w = parameters["score.vector"], parameters["head.layer.weight"][0]
        if encoder == "affine":
            v, w = (parameters["encoder.layer.weight"].T @ vector for vector in (v, w))
        assert np.isclose(product(dict(model.named_parameters())).item(), v @ w, atol=1e-5)


def test_the_penalty_reduces_the_product():
    products = []
    for strength in (0.0, 1.0):
        model = context_model()
        fitted(model, toy.training(epochs=6, product_penalty=strength))
        products.append(abs(product(dict(model.named_parameters())).item()))
    assert products[1] < products[0] / 5


def test_watch_receives_the_start_and_every_epoch():
    calls = []
    model = context_model()
    start = model.state_dict()["score.vector"].clone()

    def watch(epoch, weights):
        calls.append((epoch, weights["score.vector"].clone()))

    rule = toy.training(epochs=3, first_epoch=3, optimizer="adagrad")
    fitted(model, rule, add_boundary_tokens=False, watch=watch)
    assert [epoch for epoch, _ in calls] == [0, 1, 2, 3]
    assert torch.equal(calls[0][1], start)
    assert torch.allclose(calls[-1][1], model.state_dict()["score.vector"])


def test_loaded_models_predict_the_same_and_other_corpora_are_refused(tmp_path):
    corpus, settings = toy.corpus(), toy.model(encoder=LSTM)
    model = toy.network(settings)
    about = {"dataset": "toy", "model": settings.model_dump()}
    storage.save(model, about, [{"epoch": 1}], tmp_path)
    test = Reader(corpus, "test")
    assert (predict(storage.load(tmp_path, corpus), test) == predict(model, test)).all()
    with pytest.raises(UserError, match="was trained on toy, not on other"):
        storage.load(tmp_path, toy.corpus(name="other"))
    smaller = toy.corpus()
    object.__setattr__(smaller, "ids", smaller.ids - 1)
    with pytest.raises(UserError, match="has 12 words, the corpus toy has 11"):
        storage.load(tmp_path, smaller)
    about["model"] = toy.model().model_dump()
    storage.write_json(tmp_path / storage.ABOUT, about)
    with pytest.raises(UserError, match=r"not of the configuration in model\.json: encoder"):
        storage.load(tmp_path, corpus)
    with pytest.raises(UserError, match="holds no trained model"):
        storage.load(tmp_path / "none", corpus)
