"""Data sets on which a model learnt nothing are left out of claims about attention."""

import numpy as np
import pandas as pd

from stages.papers.jain_wallace.verdicts import ABOUT_ATTENTION, decided, nothing_learnt
from tests.papers.jain_wallace_results import GRADIENT, about, results, score, taus

HIGH, LOW = np.linspace(0.7, 0.8, 40), np.linspace(0.1, 0.2, 40)


def run(boolq: float, n: int = 1000):
    """Attention agrees weakly with gradients, except on BoolQ, where `boolq` answers are right."""
    scores = [score("rotten-tomatoes", "bilstm-additive", 0.8, n)]
    scores += [score("boolq", "bilstm-additive", boolq, n) | {"commonest": 0.62}]
    return results(
        taus=[
            taus(LOW, about("rotten-tomatoes"), pair=GRADIENT),
            taus(HIGH, about("boolq"), pair=GRADIENT),
        ],
        models=pd.DataFrame(scores),
    )


def test_a_model_must_beat_the_commonest_answer_by_its_interval():
    # 95 % of 1,000 answers of which .64 are right reach down to .61, of .66 to .631
    assert nothing_learnt(run(0.64).models) == ["boolq"]
    assert nothing_learnt(run(0.66).models) == []
    assert nothing_learnt(run(0.64, n=100_000).models) == []


def test_a_data_set_without_learning_does_not_decide_but_is_in_the_reason():
    (first, *_) = decided(run(0.62), "smoke")
    assert (first["id"], first["verdict"]) == ("JW1", "holds")
    assert first["n"] == 40
    assert abs(first["ours"] - 0.15) < 1e-6
    assert "commonest answer: BiLSTM on boolq; with them: 0.75 (" in first["reason"]
    assert first["reason"].endswith("), fails")


def test_where_all_have_learnt_nothing_is_left_out():
    (first, *_) = decided(run(0.7), "smoke")
    assert first["verdict"] == "fails"
    assert "commonest" not in first["reason"]


def test_claims_about_scores_keep_every_set():
    for record in decided(run(0.62), "smoke"):
        assert "commonest" not in record["reason"] or record["id"] in ABOUT_ATTENTION
    assert {"JW16", "JW17", "JW18", "WP1"}.isdisjoint(ABOUT_ATTENTION)
