"""Verdicts on attention and other measures, on the whole list of claims, and the metrics."""

import numpy as np
import pytest

from stages.papers.jain_wallace import page
from stages.papers.jain_wallace.claims import STATEMENTS
from stages.papers.jain_wallace.counterfactual_claims import decided
from stages.papers.shared.claims import stated
from tests.papers import jain_wallace_results as synthetic
from tests.papers.common import case, check, check_records, written_json
from tests.papers.jain_wallace_results import BOTH, GRADIENT, LOO, verdict_on

SETS = ("rotten-tomatoes", "imdb", "disaster-tweets", "bbc")


def by_class(zero, one, encoder="bilstm", pair=GRADIENT, count=12):
    """A model whose every document of a predicted class has the same tau."""
    tau, predicted = [zero] * 12 + [one] * count, [0] * 12 + [1] * count
    return synthetic.taus(tau, synthetic.about(encoder=encoder), predicted, pair)


def constant(value, pair=GRADIENT, count=12, **model):
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


def undefined(table, *rows):
    """The table without a correlation in some rows."""
    table.loc[table.index[list(rows)], "tau"] = np.nan
    return table


def agreement(loo, gradient, both):
    return [constant(loo, LOO), constant(gradient), constant(both, BOTH)]


def average(zero, one):
    return [by_class(0.3, 0.4), by_class(zero, one, "average")]


def encoder_gap(value):
    return [constant(0.2, LOO), constant(value, LOO, encoder="average")]


FOUR_ANSWERS = synthetic.taus([0.9] * 10 + [0.1] * 30, predicted=np.repeat([0, 1, 2, 3], 10))
OTHERS = [by_class(0.3, 0.3), by_class(0.9, 0.9, pair=LOO), by_class(0.9, 0.9, "average")]
SWAPPED, AS_CAPTIONED = agreement(0.5, 0.75, 0.8), agreement(0.75, 0.5, 0.8)
UNEVEN = [
    constant(0.1, LOO, 30),
    constant(0.2, BOTH, 30),
    undefined(constant(0.1, LOO, dataset="imdb"), 0),
    constant(0.8, BOTH, dataset="imdb"),
    constant(0.1, dataset="imdb"),
    constant(0.1, count=30),
]
NEAR = [constant(0.35), constant(0.3, attention="dot")]
APART = [constant(0.35, encoder="cnn"), constant(0.1, encoder="cnn", attention="dot")]
ONE_MODEL = [constant(0.3, pair) for pair in (GRADIENT, LOO, BOTH)]
FIRST, LAST = "2 of 2 rows hold; shown: rotten-tomatoes class 1.*", "1 of 2 rows hold*"
CNN = "1 of 2 rows hold; shown: rotten-tomatoes cnn.*"
CASES = [
    # JW1: every class is below one half; the highest is shown
    case("JW1", "holds", 0.4, by_class(0.3, 0.4), n=12, reason=FIRST),
    case("JW1", "fails", 0.6, by_class(0.3, 0.6), reason=LAST),
    case("JW1", "undecided", 0.5, synthetic.taus([0.2, 0.8] * 10)),
    # classes of nine documents are left out, and undefined documents are none
    case("JW1", "holds", 0.3, by_class(0.3, 0.9, count=9)),
    case("JW1", "holds", 0.3, undefined(by_class(0.3, 0.9), -3, -2, -1)),
    # four answers are not split
    case("JW1", "holds", 0.3, FOUR_ANSWERS, n=40),
    # JW1 is about gradients of the BiLSTM, JW2 about leave-one-out
    case("JW1", "holds", 0.3, *OTHERS),
    case("JW2", "fails", 0.9, *OTHERS),
    # JW3: Average is higher in every class
    case("JW3", "holds", 0.2, *average(0.5, 0.8), reason="*shown: rotten-tomatoes class 0*"),
    case("JW3", "fails", -0.3, *average(0.5, 0.1)),
    case("JW3", "not run", None, by_class(0.3, 0.4, "average")),
    # JW5 and JW6 are also decided with captions exchanged
    case("JW5", "holds", 0.3, *SWAPPED, reason="*per data set: rotten-tomatoes 0.30.*"),
    case("JW5", "holds", 0.3, *SWAPPED, reason="*are exchanged: 0.050 (0.050 to 0.050), fails"),
    case("JW6", "fails", 0.05, *SWAPPED, reason="*are exchanged: 0.300 (0.300 to 0.300), holds"),
    case("JW5", "fails", 0.05, *AS_CAPTIONED, reason="*holds"),
    case("JW6", "holds", 0.3, *AS_CAPTIONED),
    # every data set weighs alike: the mean of .1 and .7, not of 42 documents
    case("JW5", "holds", 0.4, *UNEVEN, n=41),
    # JW7: a gap near three eighths
    case("JW7", "holds", 0.4, *encoder_gap(0.6)),
    case("JW7", "fails", 0.1, *encoder_gap(0.3)),
    case("JW7", "fails", 0.7, *encoder_gap(0.9)),
    case("JW7", "not run", None, *ONE_MODEL),
    # JW8: dot and additive attention, document by document; the farthest model either way is shown
    case("JW8", "holds", -0.05, *NEAR, reason="*shown: rotten-tomatoes bilstm.*"),
    case("JW8", "fails", -0.25, constant(0.35), constant(0.4, attention="dot"), *APART, reason=CNN),
    case("JW8", "not run", None, constant(0.3, count=9), constant(0.3, count=9, attention="dot")),
    case("JW8", "not run", None, *ONE_MODEL),
]


@pytest.mark.parametrize(("claim", "expected", "taus"), CASES)
def test_correlations_decide(claim, expected, taus):
    check(verdict_on(claim, synthetic.results(taus=taus)), expected)


@pytest.mark.parametrize(
    ("lengths", "verdict", "rho"),
    [((5, 9, 12, 20), "holds", 0.8944), ((20, 12, 9, 5), "fails", -0.8944)],
)
def test_jw4_follows_the_ranks_of_length_and_significance(lengths, verdict, rho):
    """Ranks 1 2 3 4 beside 1.5 1.5 3.5 3.5."""
    significance = zip(SETS, (0.9, 0.9, 0.01, 0.01), strict=True)
    taus = [synthetic.taus([0.2] * 4, synthetic.about(name), p=p) for name, p in significance]
    instances = [
        synthetic.instances(4, synthetic.about(name), length=length)
        for name, length in zip(SETS, lengths, strict=True)
    ]
    entry = verdict_on("JW4", synthetic.results(taus=taus, instances=instances))
    assert (entry["verdict"], entry["ours"], entry["n"]) == (verdict, rho, 4)
    three = synthetic.results(taus=taus[:3], instances=instances)
    assert verdict_on("JW4", three)["verdict"] == "not run"


def test_claims_and_at_most_eight_metrics_are_written(tmp_path):
    run = synthetic.whole()
    page.write_verdicts(run, "smoke", tmp_path)
    records, metrics = (written_json(tmp_path, name) for name in ("claims.json", "metrics.json"))
    assert records == decided(run, "smoke")
    assert len(metrics) == 7
    first = run.taus[(run.taus["model"] == "bilstm-additive") & (run.taus["seed"] == 1)]
    for pair, name in ((GRADIENT, "tau_gradient_bilstm"), (LOO, "tau_leave_one_out_bilstm")):
        mean = first[first["pair"] == pair].groupby("dataset")["tau"].mean().mean()
        assert metrics[name] == pytest.approx(mean, abs=1e-4)
    assert metrics["claims_hold"] == sum(entry["verdict"] == "holds" for entry in records)
    by_id = {entry["id"]: entry["ours"] for entry in records}
    assert metrics["distant_adversaries"] == by_id["JW11"]


def test_headline_numbers_that_do_not_exist_are_null():
    run = synthetic.results(taus=[constant(0.2), constant(0.2, BOTH)])
    records = [{"id": f"JW{n}", "ours": 0, "verdict": ""} for n in range(1, 19)]
    metrics = page.headline(run, records)
    assert metrics["tau_leave_one_out_bilstm"] is None
