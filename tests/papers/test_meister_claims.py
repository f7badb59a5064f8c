"""Every claim of Meister et al. holds on synthetic results that fit it, and fails on others."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from stages.papers.meister import verdicts
from stages.papers.meister.panels import BAG, MODELS
from stages.papers.shared.claims import stated
from tests.papers import meister_results as synthetic
from tests.papers.common import changed, check_holds, check_records, record_of

FITTING = synthetic.results()
RECORDS = {entry["id"]: entry for entry in verdicts.decided(FITTING)}
DECIDABLE = [name for name in RECORDS if name != "M10"]
ONE = {"dataset": "imdb", "model": "transformer-softmax"}
SPARSEMAX = {"model": ["bilstm-sparsemax", "transformer-sparsemax"]}
SPREAD = "entropy_gradient_input"


def decide(name, results):
    return record_of(verdicts, name, results)


def instances(where, **columns):
    return changed(FITTING, "instances", where, **columns)


def agreements(measure, tau, **where):
    """The fitting results with the agreement of one measure changed."""
    return changed(FITTING, "taus", {"measure": measure} | where, tau=tau)


def test_there_are_13_claims_in_order():
    names = [f"M{n}" for n in range(1, 14)]
    assert list(stated(verdicts.STATEMENTS)) == names
    check_records(list(RECORDS.values()), names)


@pytest.mark.parametrize("name", DECIDABLE)
def test_a_claim_holds_where_it_should(name):
    check_holds(RECORDS[name])


def test_without_retrained_adversaries_the_claim_on_them_is_not_run():
    assert RECORDS["M10"]["verdict"] == "not run"
    assert RECORDS["M10"]["ours"] is None
    assert RECORDS["M11"]["reason"].endswith("opposes no sparsemax model of this study")


CONTRADICTING = {
    "M1": lambda: instances(ONE, entropy_states=lambda t: t["entropy_states"] - 0.5),
    "M2": lambda: instances(SPARSEMAX, entropy_states=lambda t: t["entropy_states"] - 0.1),
    "M3": lambda: agreements("gradient_state", lambda t: t["tau"] - 0.6, **ONE),
    "M4": lambda: instances(
        {"model": "bilstm-sparsegen", "value": 0.75},
        entropy_without_input=lambda t: t["entropy_without_input"] - 0.5,
    ),
    "M5": lambda: instances({}, entropy_gradient_input=lambda t: 1.5 - t[SPREAD]),
    "M6": lambda: instances({}, support=lambda t: 1.2 - t["support"]),
    "M7": lambda: agreements("without_input", lambda t: -t["tau"]),
    "M8": lambda: agreements("gradient_input", lambda t: t["tau"] + 0.5, **ONE),
    "M9": lambda: instances(ONE, farthest_correct=lambda t: t["correct"]),
    "M11": lambda: instances(SPARSEMAX, farthest_correct=lambda t: t["correct"]),
    "M12": lambda: instances(SPARSEMAX, projection_gap=1e-3),
    "M13": lambda: instances(SPARSEMAX, mass_on_support=lambda t: t["support"] + 0.2),
}


@pytest.mark.parametrize("name", DECIDABLE)
def test_a_claim_fails_on_results_that_contradict(name):
    entry = decide(name, CONTRADICTING[name]())
    assert entry["verdict"] == "fails", entry["reason"]
    assert "nan" not in entry["reason"]


def test_the_row_shown_is_the_one_that_breaks_the_claim():
    entry = decide("M1", CONTRADICTING["M1"]())
    assert "11 of 12 rows hold; shown: imdb transformer-softmax." in entry["reason"]
    assert entry["ours"] == pytest.approx(0.3, abs=0.01)


def test_softmax_alone_does_not_decide_the_claim_on_sparse_attention():
    assert decide("M11", CONTRADICTING["M9"]())["verdict"] == "holds"


def test_entropy_that_rises_is_counted_for_the_prose():
    assert "(prose) in 6 of 6 rows, falls (Table 2) in 0" in RECORDS["M5"]["reason"]


def test_entropy_that_falls_is_counted_for_table_2():
    fallen = instances({"dataset": "imdb"}, entropy_gradient_input=lambda t: 1.5 - t[SPREAD])
    entry = decide("M5", fallen)
    assert "(prose) in 4 of 6 rows, falls (Table 2) in 2" in entry["reason"]
    assert entry["ours"] == -1


def test_ties_in_support_are_counted_as_ties():
    assert RECORDS["M6"]["ours"] == pytest.approx(-0.9661, abs=1e-4)
    assert RECORDS["M6"]["n"] == 6 * synthetic.DOCUMENTS


def test_support_that_never_changes_is_no_trend():
    entry = decide("M6", instances({}, support=1.0))
    assert entry["verdict"] == "not run"
    assert "nan" not in entry["reason"]


def test_documents_without_a_number_are_left_out():
    assert RECORDS["M1"]["n"] == synthetic.DOCUMENTS - 1
    assert RECORDS["M9"]["n"] == synthetic.DOCUMENTS


def test_scores_and_held_attention_are_in_the_reasons():
    assert "With scores instead of weights: bilstm gradient_input -1.00" in RECORDS["M7"]["reason"]
    assert "agreement with states: imdb bilstm-softmax 1.00" in RECORDS["M3"]["reason"]


def test_what_was_not_trained_is_not_run():
    only = synthetic.without(FITTING, model=[*MODELS, "bilstm-sparsegen", "transformer-sparsegen"])
    assert set(only.instances["model"]) == {BAG}
    entries = verdicts.decided(only)
    assert {entry["verdict"] for entry in entries} == {"not run"}
    assert not any("nan" in entry["reason"] for entry in entries)


def test_without_imdb_its_own_claim_is_not_run_and_the_others_hold():
    few = synthetic.without(FITTING, dataset="imdb")
    decided = {entry["id"]: entry["verdict"] for entry in verdicts.decided(few)}
    assert {name for name, verdict in decided.items() if verdict == "not run"} == {"M7", "M10"}
    assert {verdict for name, verdict in decided.items() if name not in ("M7", "M10")} == {"holds"}


def test_three_lambdas_are_too_few_for_a_trend():
    few = synthetic.without(FITTING, value=[-100.0, -10.0, -1.0])
    for name in ("M5", "M6", "M7"):
        assert decide(name, few)["verdict"] == "not run", name


def test_an_encoder_that_did_not_run_leaves_the_other_to_decide():
    one = synthetic.without(FITTING, encoder="transformer")
    entry = decide("M5", one)
    assert entry["verdict"] == "holds"
    assert "in 3 of 3 rows" in entry["reason"]


def test_a_model_that_learnt_nothing_is_left_out_and_named():
    poor = {"dataset": "imdb", "model": "bilstm-sparsemax"}
    decided = verdicts.decided(changed(FITTING, "scores", poor, accuracy=0.51))
    records = {entry["id"]: entry for entry in decided}
    assert "answer: imdb bilstm-sparsemax; with them:" in records["M1"]["reason"]
    assert "imdb bilstm-sparsemax 0" not in records["M1"]["reason"].split("Left out")[0]
    assert "imdb bilstm-sparsemax 0" in RECORDS["M1"]["reason"]
    assert records["M6"] == RECORDS["M6"]


def opposed(model, wrong, jsd):
    """The fitting results with an adversary that is wrong on some of 400 documents."""
    place = np.arange(400)
    label = place % 2
    about = {"dataset": "rotten-tomatoes", "model": model, "value": np.nan, "seed": 1}
    table = pd.DataFrame({"instance": place, "label": label, "base_predicted": label})
    predicted = np.where(place < wrong, 1 - label, label)
    return replace(FITTING, retrained=table.assign(predicted=predicted, jsd=jsd, **about))


@pytest.mark.parametrize(
    ("wrong", "jsd", "verdict"),
    [(1, 0.6, "holds"), (80, 0.6, "fails"), (8, 0.6, "undecided"), (1, 0.3, "fails")],
)
def test_a_retrained_adversary_must_keep_accuracy_and_go_far(wrong, jsd, verdict):
    entry = decide("M10", opposed("bilstm-softmax", wrong, jsd))
    assert entry["verdict"] == verdict
    assert entry["ours"] == pytest.approx(-wrong / 400, abs=1e-4)
    assert f"Divergence: rotten-tomatoes bilstm-softmax {jsd:.2f}" in entry["reason"]


@pytest.mark.parametrize(
    ("name", "model", "wrong", "verdict"),
    [
        ("M11", "bilstm-sparsemax", 1, "holds"),
        ("M11", "bilstm-sparsemax", 80, "fails"),
        ("M11", "bilstm-softmax", 80, "holds"),  # the softmax model does not count
        ("M10", "bilstm-sparsemax", 1, "not run"),
    ],
)
def test_sparse_attention_needs_both_halves(name, model, wrong, verdict):
    assert decide(name, opposed(model, wrong, 0.6))["verdict"] == verdict
