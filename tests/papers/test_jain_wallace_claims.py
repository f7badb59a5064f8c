"""Verdicts on attention and other measures, on the whole list of claims, and the metrics."""

import json

import numpy as np
import pandas as pd
import pytest

from stages.papers.jain_wallace import page
from stages.papers.jain_wallace.claims import STATEMENTS
from stages.papers.jain_wallace.counterfactual_claims import decided
from stages.papers.shared.claims import stated
from tests.papers import jain_wallace_results as synthetic
from tests.papers.deciding import check_records
from tests.papers.jain_wallace_results import BOTH, GRADIENT, LOO, verdict_on

SETS = ("rotten-tomatoes", "imdb", "disaster-tweets", "bbc")


def by_class(zero, one, encoder="bilstm", pair=GRADIENT, count=12):
    """A model whose every document of a predicted class has the same tau."""
    tau, predicted = [zero] * 12 + [one] * count, [0] * 12 + [1] * count
    return synthetic.taus(tau, synthetic.about(encoder=encoder), predicted, pair)


def constant(value, pair, count=12, **model):
    return synthetic.taus([value] * count, synthetic.about(**model), 0, pair)


@pytest.mark.filterwarnings("ignore:Mean of empty slice", "ignore:invalid value encountered")
@pytest.mark.parametrize("run", [synthetic.results(), synthetic.whole()], ids=["empty", "whole"])
def test_every_claim_gets_one_record_with_an_allowed_verdict(run):
    names = list(stated(STATEMENTS))
    assert len(set(names)) == len(names) == 21
    check_records(decided(run, "smoke"), names)


@pytest.mark.filterwarnings("ignore:Mean of empty slice", "ignore:invalid value encountered")
def test_without_rows_no_claim_is_decided():
    for entry in decided(synthetic.results(), "smoke"):
        assert (entry["verdict"], entry["n"], entry["ours"]) == ("not run", 0, None)


def test_claims_that_were_not_run_have_a_reason():
    records = {entry["id"]: entry for entry in decided(synthetic.whole(), "smoke")}
    assert [records[name]["verdict"] for name in ("JW10", "JW16", "WP4")] == ["not run"] * 3
    assert "MIMIC-III" in records["JW10"]["reason"]
    assert records["JW16"]["reason"].startswith("scale is smoke: ")
    assert records["WP4"]["reason"].startswith("no MLP was trained")


def test_jw1_holds_when_every_class_is_below_half_and_shows_the_highest():
    entry = verdict_on("JW1", synthetic.results(taus=by_class(0.3, 0.4)))
    assert (entry["verdict"], entry["ours"], entry["n"]) == ("holds", 0.4, 12)
    assert entry["reason"].startswith("2 of 2 rows hold; shown: rotten-tomatoes class 1.")


def test_jw1_fails_by_one_class_and_is_undecided_by_an_interval_around_half():
    entry = verdict_on("JW1", synthetic.results(taus=by_class(0.3, 0.6)))
    assert (entry["verdict"], entry["ours"]) == ("fails", 0.6)
    assert entry["reason"].startswith("1 of 2 rows hold")
    spread = synthetic.taus([0.2, 0.8] * 10)
    assert verdict_on("JW1", synthetic.results(taus=spread))["verdict"] == "undecided"


def test_jw1_leaves_out_classes_of_nine_documents_and_counts_undefined_ones_as_none():
    entry = verdict_on("JW1", synthetic.results(taus=by_class(0.3, 0.9, count=9)))
    assert (entry["verdict"], entry["ours"]) == ("holds", 0.3)
    rows = by_class(0.3, 0.9)
    rows.loc[rows.index[-3:], "tau"] = np.nan
    assert verdict_on("JW1", synthetic.results(taus=rows))["ours"] == 0.3


def test_jw1_does_not_split_four_answers():
    rows = synthetic.taus([0.9] * 10 + [0.1] * 30, predicted=np.repeat([0, 1, 2, 3], 10))
    entry = verdict_on("JW1", synthetic.results(taus=rows))
    assert (entry["ours"], entry["n"], entry["verdict"]) == (0.3, 40, "holds")


def test_jw1_is_about_gradients_of_the_bilstm_and_jw2_about_leave_one_out():
    rows = [by_class(0.3, 0.3), by_class(0.9, 0.9, pair=LOO), by_class(0.9, 0.9, "average")]
    run = synthetic.results(taus=rows)
    assert (verdict_on("JW1", run)["verdict"], verdict_on("JW2", run)["verdict"]) == (
        "holds",
        "fails",
    )


def test_jw3_holds_when_average_is_higher_in_every_class():
    run = synthetic.results(taus=[by_class(0.3, 0.4), by_class(0.5, 0.8, "average")])
    entry = verdict_on("JW3", run)
    assert (entry["verdict"], entry["ours"]) == ("holds", 0.2)
    assert "shown: rotten-tomatoes class 0" in entry["reason"]


def test_jw3_fails_by_one_class_and_needs_both_encoders():
    run = synthetic.results(taus=[by_class(0.3, 0.4), by_class(0.5, 0.1, "average")])
    entry = verdict_on("JW3", run)
    assert (entry["verdict"], entry["ours"]) == ("fails", -0.3)
    assert (
        verdict_on("JW3", synthetic.results(taus=by_class(0.3, 0.4, "average")))["verdict"]
        == "not run"
    )


@pytest.mark.parametrize(
    ("lengths", "verdict", "rho"), [((5, 9, 12, 20), "holds", 0.8944), ((20, 12, 9, 5), "fails", 0)]
)
def test_jw4_follows_the_ranks_of_length_and_significance(lengths, verdict, rho):
    models = [synthetic.about(name) for name in SETS]
    run = synthetic.results(
        taus=[
            synthetic.taus([0.2] * 4, model, p=p)
            for model, p in zip(models, (0.9, 0.9, 0.01, 0.01), strict=True)
        ],
        instances=[
            synthetic.instances(4, model, length=n)
            for model, n in zip(models, lengths, strict=True)
        ],
    )
    entry = verdict_on("JW4", run)
    assert (entry["verdict"], entry["n"]) == (verdict, 4)
    assert entry["ours"] == (rho or -0.8944)  # ranks 1 2 3 4 beside 1.5 1.5 3.5 3.5
    three = synthetic.results(taus=run.taus[run.taus["dataset"] != "bbc"], instances=run.instances)
    assert verdict_on("JW4", three)["verdict"] == "not run"


def agreement(loo, gradient, both):
    rows = [constant(value, pair) for value, pair in ((loo, LOO), (gradient, GRADIENT))]
    return synthetic.results(taus=[*rows, constant(both, BOTH)])


def test_jw5_and_jw6_are_also_decided_with_captions_exchanged():
    run = agreement(loo=0.5, gradient=0.75, both=0.8)
    five, six = verdict_on("JW5", run), verdict_on("JW6", run)
    assert (five["verdict"], five["ours"]) == ("holds", 0.3)
    assert "per data set: rotten-tomatoes 0.30." in five["reason"]
    assert five["reason"].endswith("are exchanged: 0.050 (0.050 to 0.050), fails")
    assert (six["verdict"], six["ours"]) == ("fails", 0.05)
    assert six["reason"].endswith("are exchanged: 0.300 (0.300 to 0.300), holds")


def test_jw5_fails_where_jw6_holds():
    run = agreement(loo=0.75, gradient=0.5, both=0.8)
    assert (verdict_on("JW5", run)["verdict"], verdict_on("JW6", run)["verdict"]) == (
        "fails",
        "holds",
    )
    assert verdict_on("JW5", run)["reason"].endswith("holds")


def test_jw5_weighs_every_data_set_alike_and_leaves_out_undefined_documents():
    rows = [
        *(constant(value, pair, 30) for value, pair in ((0.1, LOO), (0.2, BOTH))),
        *(constant(value, pair, dataset="imdb") for value, pair in ((0.1, LOO), (0.8, BOTH))),
        *(constant(0.1, GRADIENT, n, dataset=name) for name, n in (("imdb", 12), (SETS[0], 30))),
    ]
    rows[2].loc[0, "tau"] = np.nan
    entry = verdict_on("JW5", synthetic.results(taus=rows))
    assert (entry["ours"], entry["n"]) == (0.4, 41)  # the mean of .1 and .7, not of 42 documents


@pytest.mark.parametrize(("average", "verdict"), [(0.6, "holds"), (0.3, "fails"), (0.9, "fails")])
def test_jw7_requires_a_gap_near_three_eighths(average, verdict):
    rows = [constant(0.2, LOO), constant(average, LOO, encoder="average")]
    entry = verdict_on("JW7", synthetic.results(taus=rows))
    assert (entry["verdict"], entry["ours"]) == (verdict, round(average - 0.2, 4))


def test_jw8_compares_dot_and_additive_document_by_document():
    rows = [constant(0.35, GRADIENT), constant(0.3, GRADIENT, attention="dot")]
    entry = verdict_on("JW8", synthetic.results(taus=rows))
    assert (entry["verdict"], entry["ours"]) == ("holds", -0.05)
    assert "shown: rotten-tomatoes bilstm." in entry["reason"]


def test_jw8_fails_by_the_model_that_is_farthest_either_way():
    rows = [constant(0.35, GRADIENT, encoder=name) for name in ("bilstm", "cnn")]
    rows += [constant(0.4, GRADIENT, attention="dot")]
    rows += [constant(0.1, GRADIENT, encoder="cnn", attention="dot")]
    entry = verdict_on("JW8", synthetic.results(taus=rows))
    assert (entry["verdict"], entry["ours"]) == ("fails", -0.25)
    assert "1 of 2 rows hold; shown: rotten-tomatoes cnn." in entry["reason"]
    few = [constant(0.3, GRADIENT, 9, attention=kind) for kind in ("additive", "dot")]
    assert verdict_on("JW8", synthetic.results(taus=few))["verdict"] == "not run"


@pytest.mark.parametrize("name", ["JW7", "JW8"])
def test_a_data_set_without_one_of_the_compared_models_is_left_out(name):
    rows = [constant(0.3, pair) for pair in (GRADIENT, LOO, BOTH)]
    assert verdict_on(name, synthetic.results(taus=rows))["verdict"] == "not run"


def test_claims_and_at_most_eight_metrics_are_written(tmp_path):
    run = synthetic.whole()
    page.write_verdicts(run, "smoke", tmp_path)
    records = json.loads((tmp_path / "claims.json").read_text(), parse_constant=pytest.fail)
    metrics = json.loads((tmp_path / "metrics.json").read_text(), parse_constant=pytest.fail)
    assert records == decided(run, "smoke")
    assert len(metrics) == 8
    first = run.taus[(run.taus["model"] == "bilstm-additive") & (run.taus["seed"] == 1)]
    for pair, name in ((GRADIENT, "tau_gradient_bilstm"), (LOO, "tau_leave_one_out_bilstm")):
        mean = first[first["pair"] == pair].groupby("dataset")["tau"].mean().mean()
        assert metrics[name] == pytest.approx(mean, abs=1e-4)
    assert metrics["claims_hold"] == sum(entry["verdict"] == "holds" for entry in records)
    by_id = {entry["id"]: entry["ours"] for entry in records}
    assert metrics["distant_adversaries"] == by_id["JW11"]


def test_headline_numbers_that_do_not_exist_are_null():
    run = synthetic.results(taus=pd.concat(constant(0.2, pair) for pair in (GRADIENT, BOTH)))
    records = [{"id": f"JW{n}", "ours": 0, "verdict": ""} for n in range(1, 19)]
    metrics = page.headline(run, records)
    assert metrics["tau_leave_one_out_bilstm"] is None
