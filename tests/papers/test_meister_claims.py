"""Every claim of Meister et al. holds on synthetic results that fit it, and fails on others."""

from dataclasses import replace

import numpy as np
import pytest

from stages.papers.meister import verdicts
from stages.papers.meister.panels import BAG, MODELS
from stages.papers.shared.claims import stated
from tests.papers import meister_results as synthetic
from tests.papers.deciding import check_holds, check_records, record_of

FITTING = synthetic.results()
CLAIMS = stated(verdicts.STATEMENTS)
RECORDS = {entry["id"]: entry for entry in verdicts.decided(FITTING)}
DECIDABLE = [name for name in CLAIMS if name != "M10"]


def decide(name, results):
    return record_of(verdicts, name, results)


def instances(column, change, where=lambda table: True):
    """The fitting results with one column of documents changed."""
    table = FITTING.instances
    changed = np.where(where(table), change(table), table[column])
    return replace(FITTING, instances=table.assign(**{column: changed}))


def agreements(measure, change, where=lambda table: True):
    """The fitting results with the agreement of one measure changed."""
    table = FITTING.taus
    chosen = (table["measure"] == measure) & where(table)
    return replace(FITTING, taus=table.assign(tau=np.where(chosen, change(table), table["tau"])))


def test_there_are_13_claims_in_order():
    assert list(CLAIMS) == [f"M{n}" for n in range(1, 14)]
    check_records(list(RECORDS.values()), list(CLAIMS))


@pytest.mark.parametrize("name", DECIDABLE)
def test_a_claim_holds_where_it_should(name):
    check_holds(RECORDS[name])


def test_without_retrained_adversaries_the_claim_on_them_is_not_run():
    assert RECORDS["M10"]["verdict"] == "not run"
    assert RECORDS["M10"]["ours"] is None
    assert RECORDS["M11"]["reason"].endswith("opposes no sparsemax model of this study")


def sparsemax(table):
    return table["model"].str.endswith("sparsemax")


def one_model(table):
    return (table["dataset"] == "imdb") & (table["model"] == "transformer-softmax")


CONTRADICTING = {
    "M1": lambda: instances("entropy_states", lambda t: t["entropy_states"] - 0.5, one_model),
    "M2": lambda: instances("entropy_states", lambda t: t["entropy_states"] - 0.1, sparsemax),
    "M3": lambda: agreements("gradient_state", lambda t: t["tau"] - 0.6, one_model),
    "M4": lambda: instances(
        "entropy_without_input",
        lambda t: t["entropy_without_input"] - 0.5,
        lambda t: (t["model"] == "bilstm-sparsegen") & (t["value"] == 0.75),
    ),
    "M5": lambda: instances("entropy_gradient_input", lambda t: 1.5 - t["entropy_gradient_input"]),
    "M6": lambda: instances("support", lambda t: 1.2 - t["support"]),
    "M7": lambda: agreements("without_input", lambda t: -t["tau"]),
    "M8": lambda: agreements("gradient_input", lambda t: t["tau"] + 0.5, one_model),
    "M9": lambda: instances("farthest_correct", lambda t: t["correct"], one_model),
    "M11": lambda: instances("farthest_correct", lambda t: t["correct"], sparsemax),
    "M12": lambda: instances("projection_gap", lambda t: 1e-3, sparsemax),
    "M13": lambda: instances("mass_on_support", lambda t: t["support"] + 0.2, sparsemax),
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
    def in_one(table):
        return table["dataset"] == "imdb"

    fallen = instances(
        "entropy_gradient_input", lambda t: 1.5 - t["entropy_gradient_input"], in_one
    )
    entry = decide("M5", fallen)
    assert "(prose) in 4 of 6 rows, falls (Table 2) in 2" in entry["reason"]
    assert entry["ours"] == -1


def test_ties_in_support_are_counted_as_ties():
    assert RECORDS["M6"]["ours"] == pytest.approx(-0.9661, abs=1e-4)
    assert RECORDS["M6"]["n"] == 6 * synthetic.DOCUMENTS


def test_support_that_never_changes_is_no_trend():
    entry = decide("M6", instances("support", lambda t: 1.0))
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
