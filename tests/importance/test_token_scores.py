"""Scores of single tokens: by hand, alone and in context."""

from dataclasses import replace

import numpy as np
import pandas as pd
import torch

from stages.corpora.batching import Reader
from stages.importance.polarity_tables import dot_table, run_table, token_table
from stages.importance.token_groups import Groups, class_counts
from stages.importance.token_scores import alone, in_context
from stages.importance.trace import Trace
from stages.nn.build import build
from tests.nn import toy

HEAD = {"kind": "linear", "bias": False, "xavier": False, "logit_dropout": 0.0}
CORPUS = toy.corpus()
SIZE = CORPUS.vocabulary_size


def drawn_model(encoder=None, scale=2.0, layer=False, classes=2):
    torch.manual_seed(1)
    settings = toy.model(
        encoder=encoder or {"kind": "none"},
        score={"kind": "context", "scale": scale, "layer": layer},
        head=HEAD,
    )
    return build(settings, toy.vectors(SIZE), classes, False)


def groups():
    counts = class_counts(Reader(CORPUS, "train", add_boundary_tokens=False), SIZE)
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


def test_without_context_the_mean_in_context_is_the_score_alone():
    reader = Reader(CORPUS, "train", add_boundary_tokens=False)
    for encoder in ({"kind": "none"}, {"kind": "affine", "bias": True}):
        model = drawn_model(encoder)
        occurrences = in_context(model, reader, SIZE)
        own = alone(model, np.arange(4, SIZE))
        assert np.allclose(occurrences.mean(occurrences.attention)[4:], own.attention, atol=1e-5)
        assert np.allclose(occurrences.mean(occurrences.polarity)[4:], own.polarity, atol=1e-5)
        assert getattr(model.encoder, "without_context", False)
    assert not getattr(
        drawn_model({"kind": "bilstm", "hidden": 4}).encoder, "without_context", False
    )


def test_occurrences_by_a_plain_loop():
    reader = Reader(CORPUS, "test", add_boundary_tokens=False)
    model = drawn_model()
    occurrences = in_context(model, reader, SIZE)
    weight, count, length = np.zeros(SIZE), np.zeros(SIZE), np.zeros(SIZE)
    own = alone(model, np.arange(SIZE)).attention
    for row in range(len(reader.labels)):
        ids = reader.text[row]
        alpha = np.exp(own[ids]) / np.exp(own[ids]).sum()
        for token, share in zip(ids, alpha, strict=True):
            weight[token] += share
            count[token] += 1
            length[token] += len(ids)
    assert np.allclose(occurrences.weight, weight, atol=1e-5)
    assert (occurrences.count == count).all()
    assert np.allclose(occurrences.length, length)
    assert np.isnan(occurrences.mean(occurrences.weight)[:4]).all()  # specials never occur


def test_tables_have_every_token_of_a_group_and_count_the_rest():
    train, test = (Reader(CORPUS, split, add_boundary_tokens=False) for split in ("train", "test"))
    model = drawn_model()
    table = token_table(model, train, test, CORPUS, groups())
    assert table["word"].tolist()[:2] == ["bad", "good"]
    assert table["group"].value_counts().to_dict() == {"neutral": 6, "negative": 1, "positive": 1}
    assert (table["local_attention"] == table["attention_score"]).all()
    runs = run_table(model, test, CORPUS, groups())
    assert runs.loc[0, ["types", "unseen", "no_group"]].tolist() == [8, 0, 0]
    assert 0 <= runs.loc[0, "entropy"] <= 1
    assert len(dot_table(model, groups(), 1)) > 0


def test_a_tiny_lambda_is_counted_as_one_hot_and_a_huge_one_as_uniform():
    test = Reader(CORPUS, "test", add_boundary_tokens=False)
    sharp, flat = (run_table(drawn_model(scale=s), test, CORPUS, groups()) for s in (1e-5, 1e5))
    # a token that occurs twice in a document shares the weight with its copy
    assert sharp.loc[0, "one_hot"] > 0.6
    assert flat.loc[0, "one_hot"] == 0
    assert flat.loc[0, "entropy"] > 0.999
    assert flat.loc[0, "from_uniform"] < 0.01


def test_words_of_private_corpora_are_left_out():
    hidden = replace(toy.corpus(), private=True)
    train, test = (Reader(hidden, split, add_boundary_tokens=False) for split in ("train", "test"))
    table = token_table(drawn_model(), train, test, hidden, groups())
    assert set(table["word"]) == {""}


def test_a_trace_records_scores_terms_and_dot_products():
    reader = Reader(CORPUS, "train", add_boundary_tokens=False)
    model = drawn_model()
    trace = Trace(model, reader, groups())
    trace.record(0, model.state_dict())
    with torch.no_grad():
        model.embedding.weight[4] += 0.1
    trace.record(1, model.state_dict())
    table = trace.table()
    assert set(table["epoch"]) == {0, 1}
    residuals = table[table["quantity"].isin(["residual_polarity", "residual_attention"])]
    assert (residuals["mean"] < 1e-12).all()
    rows = table[(table["quantity"] == "polarity") & (table["group"] == "negative")]
    own = alone(model, np.array([4])).polarity[0, 0]
    assert np.isclose(rows[rows["epoch"] == 1]["mean"].iloc[0], own, atol=1e-6)
    dots = table[(table["quantity"] == "dot") & (table["group"] == "negative-positive")]
    vectors = model.embedding.weight.detach().double().numpy()
    assert np.isclose(dots[dots["epoch"] == 1]["mean"].iloc[0], vectors[4] @ vectors[5])
    within = table[(table["quantity"] == "dot") & (table["group"] == "neutral-neutral")]
    pairs = [vectors[i] @ vectors[j] for i in range(6, 12) for j in range(6, 12) if i != j]
    assert np.isclose(within[within["epoch"] == 1]["mean"].iloc[0], np.mean(pairs))
    assert not table["mean"].isna().any()
    assert {"as_said_s", "A/(B+C)", "D/(E+F)", "product", "beta"} <= set(table["quantity"])


def test_additive_attention_is_traced_without_terms():
    model = drawn_model(layer=True)
    trace = Trace(model, Reader(CORPUS, "train", add_boundary_tokens=False), groups())
    trace.record(0, model.state_dict())
    table = trace.table()
    assert "A" not in set(table["quantity"])
    rows = table[(table["quantity"] == "attention") & (table["group"] == "positive")]
    assert np.isclose(rows["mean"].iloc[0], alone(model, np.array([5])).attention[0], atol=1e-6)
    assert isinstance(table, pd.DataFrame)
