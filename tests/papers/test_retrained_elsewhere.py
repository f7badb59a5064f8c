"""Retrained adversaries on the pages of Meister et al. and of Jain & Wallace."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from stages.papers.jain_wallace.claims import STATEMENTS
from stages.papers.jain_wallace.guidance_claims import base_guides_better
from stages.papers.meister import verdicts
from stages.papers.shared.claims import stated
from tests.papers import jain_wallace_results, meister_results
from tests.papers.deciding import record_of

FITTING = meister_results.results()


def opposed(model, wrong, jsd, documents=400):
    """A base that is always right, and an adversary that is wrong on some documents."""
    place = np.arange(documents)
    label = place % 2
    return pd.DataFrame(
        {
            "dataset": "rotten-tomatoes",
            "model": model,
            "value": np.nan,
            "seed": 1,
            "instance": place,
            "label": label,
            "predicted": np.where(place < wrong, 1 - label, label),
            "base_predicted": label,
            "jsd": jsd,
        }
    )


def meister(name, *tables):
    return record_of(verdicts, name, replace(FITTING, retrained=pd.concat(tables)))


@pytest.mark.parametrize(
    ("wrong", "jsd", "verdict"),
    [(1, 0.6, "holds"), (80, 0.6, "fails"), (8, 0.6, "undecided"), (1, 0.3, "fails")],
)
def test_a_retrained_adversary_must_keep_accuracy_and_go_far(wrong, jsd, verdict):
    entry = meister("M10", opposed("bilstm-softmax", wrong, jsd))
    assert entry["verdict"] == verdict
    assert entry["ours"] == pytest.approx(-wrong / 400, abs=1e-4)
    assert f"Divergence: rotten-tomatoes bilstm-softmax {jsd:.2f}" in entry["reason"]


def test_sparse_attention_needs_both_halves():
    assert meister("M11", opposed("bilstm-sparsemax", 1, 0.6))["verdict"] == "holds"
    assert meister("M11", opposed("bilstm-sparsemax", 80, 0.6))["verdict"] == "fails"
    # the softmax model does not count
    assert meister("M11", opposed("bilstm-softmax", 80, 0.6))["verdict"] == "holds"
    assert meister("M10", opposed("bilstm-sparsemax", 1, 0.6))["verdict"] == "not run"


def guided(base_right, adversary_right, documents=200):
    place = np.arange(documents)
    label = place % 2
    parts = []
    for name, right in (("base", base_right), ("adversary", adversary_right)):
        predicted = np.where(place < right * documents, label, 1 - label)
        rows = {"dataset": "rotten-tomatoes", "seed": 1, "instance": place, "label": label}
        parts.append(pd.DataFrame(rows | {"weights_of": name, "predicted": predicted}))
    return pd.concat(parts, ignore_index=True)


@pytest.mark.parametrize(
    ("base", "adversary", "verdict"),
    [(0.9, 0.6, "holds"), (0.6, 0.9, "fails"), (0.8, 0.79, "undecided")],
)
def test_better_guidance_is_decided_by_f1(base, adversary, verdict):
    table = guided(base, adversary)
    if verdict == "undecided":  # wrong on different documents
        swap = (table["weights_of"] == "adversary") & (table["instance"] < 42)
        table.loc[swap, "predicted"] = 1 - table.loc[swap, "label"]
        back = (table["weights_of"] == "adversary") & (table["instance"] >= 42)
        table.loc[back, "predicted"] = table.loc[back, "label"]
    results = replace(jain_wallace_results.results(), guided=table)
    entry = base_guides_better(stated(STATEMENTS)["WP4"], results)
    assert entry["verdict"] == verdict
    assert entry["n"] == 200


def test_f1_gain_by_hand():
    # base right on 180 of 200, 90 of each class: F1 .9; adversary .6
    entry = base_guides_better(
        stated(STATEMENTS)["WP4"], replace(jain_wallace_results.results(), guided=guided(0.9, 0.6))
    )
    assert entry["ours"] == pytest.approx(0.3, abs=1e-4)
    assert "weights 0.900, under the adversary's 0.600" in entry["reason"]
