"""Scores of single tokens: by hand, alone and in context."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from stages.corpora.batching import Reader
from stages.importance.polarity_tables import document_table, dot_table, run_table, token_table
from stages.importance.token_groups import Groups, class_counts
from stages.importance.token_scores import alone, in_context
from stages.importance.trace import Trace
from stages.nn.build import build
from tests.nn import toy

HEAD = {"kind": "linear", "bias": False, "xavier": False, "logit_dropout": 0.0}
CORPUS = toy.corpus()
SIZE = CORPUS.vocabulary_size


def reader(split, corpus=CORPUS):
    return Reader(corpus, split, add_boundary_tokens=False)


def drawn_model(encoder=None, scale=2.0, layer=False, classes=2):
    torch.manual_seed(1)
    settings = toy.model(
        encoder=encoder or {"kind": "none"},
        score={"kind": "context", "scale": scale, "layer": layer},
        head=HEAD,
    )
    return build(settings, toy.vectors(SIZE), classes, False)


def groups():
    counts = class_counts(reader("train"), SIZE)
    member = np.array([-1] * 4 + [0, 1] + [2] * 6)
    return Groups(("negative", "positive", "neutral"), member, counts)


def test_a_token_alone_by_hand():
    model, ids = drawn_model(), np.array([4, 7])
    scores = alone(model, ids)
    table = toy.vectors(SIZE)[ids]
    w = model.head.layer.weight.detach().numpy()[0]
    v = model.score.vector.detach().numpy()
    assert np.allclose(scores.polarity[:, 0], table @ w, atol=1e-6)
    assert np.allclose(scores.attention, table @ v / 2.0, atol=1e-6)


@pytest.mark.parametrize("encoder", [{"kind": "none"}, {"kind": "affine", "bias": True}])
def test_without_context_the_mean_in_context_is_the_score_alone(encoder):
    model = drawn_model(encoder)
    occurrences = in_context(model, reader("train"), SIZE)
    own = alone(model, np.arange(4, SIZE))
    assert np.allclose(occurrences.attention[4:], own.attention, atol=1e-5)
    assert np.allclose(occurrences.polarity[4:], own.polarity, atol=1e-5)


def test_local_scores_are_the_tokens_own_only_without_context():
    for encoder, same in (({"kind": "none"}, True), ({"kind": "bilstm", "hidden": 4}, False)):
        model = drawn_model(encoder)
        table = token_table(model, reader("train"), reader("test"), CORPUS, groups())
        assert (table["local_attention"] == table["attention_score"]).all() == same


def test_occurrences_by_a_plain_loop():
    model, test = drawn_model(), reader("test")
    occurrences = in_context(model, test, SIZE)
    weight, count, length = np.zeros(SIZE), np.zeros(SIZE), np.zeros(SIZE)
    own = alone(model, np.arange(SIZE)).attention
    for row in range(len(test.labels)):
        ids = test.text[row]
        alpha = np.exp(own[ids]) / np.exp(own[ids]).sum()
        for token, share in zip(ids, alpha, strict=True):
            weight[token] += share
            count[token] += 1
            length[token] += len(ids)
    assert (occurrences.count == count).all()
    assert np.allclose(occurrences.weight[4:] * count[4:], weight[4:], atol=1e-5)
    assert np.allclose(occurrences.length[4:] * count[4:], length[4:])
    assert np.isnan(occurrences.weight[:4]).all()  # specials never occur


def test_tables_have_every_token_of_a_group_and_count_the_rest():
    model, test = drawn_model(), reader("test")
    table = token_table(model, reader("train"), test, CORPUS, groups())
    assert table["word"].tolist()[:2] == ["bad", "good"]
    assert table["group"].value_counts().to_dict() == {"neutral": 6, "negative": 1, "positive": 1}
    documents = document_table(model, test)
    assert sorted(documents["instance"]) == list(range(len(test.labels)))
    assert documents["correct"].dtype == bool
    runs = run_table(model, documents, CORPUS, groups())
    assert runs.loc[0, ["types", "unseen", "no_group"]].tolist() == [8, 0, 0]
    assert 0 <= runs.loc[0, "entropy"] <= 1
    assert len(dot_table(model, groups(), 1)) > 0


def test_a_tiny_lambda_is_counted_as_one_hot_and_a_huge_one_as_uniform():
    sharp, flat = (
        run_table(model, document_table(model, reader("test")), CORPUS, groups())
        for model in (drawn_model(scale=1e-5), drawn_model(scale=1e5))
    )
    # a token that occurs twice in a document shares the weight with its copy
    assert sharp.loc[0, "one_hot"] > 0.6
    assert flat.loc[0, "one_hot"] == 0
    assert flat.loc[0, "entropy"] > 0.999
    assert flat.loc[0, "from_uniform"] < 0.01


def test_pi_and_rho_are_those_of_the_trace_and_only_without_context():
    model, train = drawn_model(), reader("train")
    trace = Trace(model, train, groups())
    trace.record(0, model.state_dict())
    traced = trace.table().set_index(["quantity", "group"])["mean"]
    table = token_table(model, train, reader("test"), CORPUS, groups())
    means = table.groupby("group")[["pi", "rho"]].mean()
    for name in ("pi", "rho"):
        assert np.allclose(means[name], traced[name][means.index])
    recurrent = drawn_model({"kind": "bilstm", "hidden": 4})
    table = token_table(recurrent, train, reader("test"), CORPUS, groups())
    assert table[["pi", "rho"]].isna().all().all()


def test_words_of_private_corpora_are_left_out():
    hidden = replace(CORPUS, private=True)
    train, test = reader("train", hidden), reader("test", hidden)
    table = token_table(drawn_model(), train, test, hidden, groups())
    assert set(table["word"]) == {""}


def test_a_trace_records_scores_terms_and_dot_products():
    model = drawn_model()
    trace = Trace(model, reader("train"), groups())
    trace.record(0, model.state_dict())
    with torch.no_grad():
        model.embedding.weight[4] += 0.1
    trace.record(1, model.state_dict())
    table = trace.table()
    assert set(table["epoch"]) == {0, 1}
    residuals = table[table["quantity"].isin(["residual_polarity", "residual_attention"])]
    assert (residuals["mean"] < 1e-12).all()
    means = table.set_index(["epoch", "quantity", "group"])["mean"]
    own = alone(model, np.array([4])).polarity[0, 0]
    assert np.isclose(means[1, "polarity", "negative"], own, atol=1e-6)
    vectors = model.embedding.weight.detach().double().numpy()
    assert np.isclose(means[1, "dot", "negative-positive"], vectors[4] @ vectors[5])
    pairs = [vectors[i] @ vectors[j] for i in range(6, 12) for j in range(6, 12) if i != j]
    assert np.isclose(means[1, "dot", "neutral-neutral"], np.mean(pairs))
    assert not table["mean"].isna().any()
    assert {"as_said_s", "A/(B+C)", "D/(E+F)", "product", "beta"} <= set(table["quantity"])


def test_additive_attention_is_traced_without_terms():
    model = drawn_model(layer=True)
    trace = Trace(model, reader("train"), groups())
    trace.record(0, model.state_dict())
    table = trace.table()
    assert "A" not in set(table["quantity"])
    rows = table[(table["quantity"] == "attention") & (table["group"] == "positive")]
    assert np.isclose(rows["mean"].iloc[0], alone(model, np.array([5])).attention[0], atol=1e-6)
