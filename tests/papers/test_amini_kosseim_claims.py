"""Every claim of Amini & Kosseim on synthetic results, and the statistics behind them."""

from dataclasses import replace

import numpy as np
import pytest

from stages.papers.amini_kosseim import claims, evidence
from stages.settings.studies import Gate
from tests.papers import amini_results as synthetic
from tests.papers.amini_results import with_runs
from tests.papers.common import Cases, changed, rows

FITTING = synthetic.results()


def published(where, **columns):
    """The fitting results with runs of the published procedure changed."""
    return with_runs(FITTING, {"procedure": "published"} | where, **columns)


def swept(**columns):
    """The fitting results with documents of the sweep changed."""
    return changed(FITTING, "instances", {"procedure": "sweep"}, **columns)


LSTM, MLP = {"model": "lstm"}, {"model": "mlp"}
BETTER = {"procedure": ["warm", "longer"]}


CONTRADICTING = {
    "AF1": lambda: changed(FITTING, "scores", LSTM, f1=0.8),
    "AF2": lambda: published(LSTM, stvd=0.8),
    "AF3": lambda: published(MLP, stvd=lambda t: 1 - t["stvd"]),
    "AF4": lambda: published(LSTM, stvd=lambda t: 30 * t["stvd"]),
    "AF5": lambda: published(MLP | {"dataset": "mock-1"}, stvd=0.3),
    "AF6": lambda: published({}, jsd=0.4),
    "AF7": lambda: published(MLP, jsd=0.01),
    "AF8": lambda: published(MLP | {"dataset": "imdb"}, stvd=0.8),
    "AF9": lambda: published(LSTM | {"dataset": synthetic.MOCK_SETS}, stvd=0.2),
    "AF10": lambda: changed(FITTING, "bases", {}, length=lambda t: np.sin(t["instance"])),
    "AF11": lambda: swept(stvd=0.6),
    "AF12": lambda: changed(FITTING, "runs", MLP, base_f1=lambda t: 0.99 - 0.01 * t["seed"]),
    "AF13": lambda: changed(FITTING, "runs", {"collapsed": True}, stvd=0.3),
    "AF14": lambda: changed(FITTING, "runs", BETTER, loss=5.0),
    "AF15": lambda: published({"model": evidence.ON_TEST}, stvd=lambda t: t["stvd"] + 0.1),
    "AF16": lambda: changed(FITTING, "runs", MLP, attefa=lambda t: 0.1 * t["adversary"]),
    "WP3": lambda: swept(stvd=0.6),
}
BETWEEN = {  # where no mixture of documents or runs lies between
    "AF1": lambda: changed(FITTING, "scores", LSTM, f1=0.88),
    "AF13": lambda: changed(FITTING, "runs", {"collapsed": True, "seed": 1}, stvd=0.45),
    "AF14": lambda: changed(FITTING, "runs", BETTER | {"seed": [1, 2]}, loss=5.0),
    "AF15": lambda: published(
        {"model": evidence.ON_TEST, "seed": 1}, stvd=lambda t: t["stvd"] + 0.06
    ),
    "AF16": lambda: changed(
        FITTING, "runs", MLP | {"dataset": "imdb"}, attefa=lambda t: 0.1 * t["adversary"]
    ),
}


CASES = Cases(
    claims,
    FITTING,
    Gate(),
    CONTRADICTING,
    {"accuracy": 0.65, "f1": 0.65},
    "reaches 0.65, gate 0.75",
    BETWEEN,
)
decide = CASES.record


def test_scores_after_less_training_are_listed_but_not_judged():
    entry = decide("AF1", changed(FITTING, "scores", {}, train_documents=500))
    assert entry["verdict"] == "not run"
    assert "too few documents: imdb lstm 0.00 with 500" in entry["reason"]


def test_what_was_not_run_is_not_decided():
    only = synthetic.results(mock=("mock-1",), real=())
    entries = {entry["id"]: entry for entry in CASES.decided(only)}
    decided = {name for name, entry in entries.items() if entry["verdict"] != "not run"}
    assert decided == {"AF2", "AF5", "AF6", "AF7", "AF14"}
    assert entries["AF3"]["reason"] == "fewer than four Mock sets"


def test_one_run_is_decided_by_its_documents():
    entry = decide("AF5", replace(FITTING, runs=rows(FITTING.runs, seed=1, adversary=1)))
    assert (entry["runs"], entry["verdict"]) == (1, "holds")
    assert "one seed" in entry["reason"]


def test_collapse_against_an_unsure_base_is_not_judged():
    entry = decide("AF13", changed(FITTING, "bases", {}, probability=0.7))
    assert entry["verdict"] == "not run"
    assert "0 of 36 collapsed runs are against a sure base" in entry["reason"]


def test_a_base_below_the_gate_decides_nothing():
    """Its adversaries would leave the claim undecided."""
    first = MLP | {"dataset": "mock-1", "seed": 1}
    low = published(first, stvd=0.01)
    entry = decide("AF5", changed(low, "scores", first, f1=0.6))
    assert entry["verdict"] == "holds"
    assert "Left out: mock-1 mlp reaches 0.60, gate 0.75" in entry["reason"]
    assert decide("AF5", low)["verdict"] == "undecided"


def test_no_far_attention_leaves_the_sweep_undecided():
    entry = decide("WP3", swept(jsd=0.1))
    assert entry["verdict"] == "not run"
    assert "no strength moves attention beyond 0.4" in entry["reason"]


def test_intervals_draw_documents_bases_and_adversaries():
    """Nine runs that differ by base only are three observations, not nine."""
    imdb = MLP | {"dataset": "imdb"}
    widths = []
    for spread in ("seed", "adversary"):
        results = published(imdb, stvd=lambda t, by=spread: 0.1 * t[by], jsd=evidence.LARGEST)
        values = evidence.estimates(results, evidence.runs_of(results, "imdb", "mlp"))
        assert values[0] == pytest.approx(0.2)
        widths.append(np.ptp(np.percentile(values[1:], (2.5, 97.5))))
    assert widths[0] == pytest.approx(0.2, abs=0.05)
    assert 0.01 < widths[1] < widths[0] / 1.5


def test_the_best_adversary_of_a_base_is_that_of_the_lowest_loss():
    best = evidence.optimised(FITTING)
    best = best[(best["way"] == evidence.BEST) & (best["dataset"] == "mock-1")]
    assert best["seed"].tolist() == [1, 2, 3]
    assert set(best["procedure"]) == {"warm"}


def test_variances_by_hand():
    """Bases at .1, .2, .3; adversaries .01 to either side: .01 less a third of .0001."""
    runs = changed(
        FITTING, "runs", MLP, attefa=lambda t: 0.1 * t["seed"] + 0.01 * (t["adversary"] - 2)
    )
    table = evidence.variances(runs)
    assert set(table["model"]) == {"mlp"}  # the LSTM has one adversary against each base
    row = table.iloc[0]
    assert row["between_adversaries"] == pytest.approx(1e-4)
    assert row["between_bases"] == pytest.approx(0.01 - 1e-4 / 3)
    assert (row["bases"], row["adversaries"]) == (3, 3)
