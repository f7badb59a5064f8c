"""Every claim of every paper on synthetic results: it holds, fails, is undecided, is gated."""

import json
from unittest.mock import patch

import pytest

from stages.statistics import bootstrap
from tests.papers import (
    test_amini_kosseim_claims,
    test_jain_wallace_claims,
    test_meister_claims,
    test_serrano_smith_claims,
    test_sun_lu_claims,
)
from tests.papers.common import VERDICTS, changed

SERRANO = test_serrano_smith_claims.CASES
PAPERS = [
    SERRANO,
    test_amini_kosseim_claims.CASES,
    test_jain_wallace_claims.CASES,
    test_meister_claims.CASES,
    test_sun_lu_claims.CASES,
]
CLAIMS = [pytest.param(cases, name, id=name) for cases in PAPERS for name in cases.contradicting]
KEYS = [
    *("id", "statement", "where", "quote", "statistic", "unit", "rule", "threshold", "published"),
    *("ours", "low", "high", "n", "runs", "seeds", "documents", "shown"),
    *("verdict", "reason", "rows"),
]


@pytest.fixture(autouse=True)
def _fewer_replicates(request):
    """The many rows of Serrano & Smith would take long."""
    fewer = "cases" in request.fixturenames and request.getfixturevalue("cases") is SERRANO
    with patch.object(bootstrap, "REPEATS", 200 if fewer else bootstrap.REPEATS):
        yield


@pytest.mark.parametrize("cases", PAPERS, ids=lambda cases: cases.claims.__name__)
def test_every_claim_is_measured_and_has_a_complete_record(cases):
    records = list(cases.records.values())
    assert list(cases.stated) == list(cases.records)
    assert {*cases.contradicting, *cases.apart} == set(cases.stated)
    assert all(list(record) == KEYS for record in records)
    assert {record["verdict"] for record in records} <= VERDICTS
    assert all(record["reason"] for record in records)
    json.dumps(records, allow_nan=False)


@pytest.mark.parametrize(("cases", "name"), CLAIMS)
def test_a_claim_holds_where_it_should(cases, name):
    record = cases.records[name]
    assert record["verdict"] == "holds", record["reason"]
    assert record["low"] <= record["ours"] <= record["high"]
    assert min(record["n"], record["runs"], record["seeds"]) > 0
    assert "nan" not in record["reason"]


@pytest.mark.parametrize(("cases", "name"), CLAIMS)
def test_a_claim_fails_on_results_that_contradict(cases, name):
    record = cases.record(name, cases.contradicting[name]())
    assert record["verdict"] == "fails", record["reason"]


@pytest.mark.parametrize(("cases", "name"), [c for c in CLAIMS if c.id not in c.values[0].exact])
def test_a_claim_is_undecided_between_the_two(cases, name):
    assert cases.undecided(name)


@pytest.mark.parametrize(("cases", "name"), CLAIMS)
def test_no_claim_is_decided_by_runs_below_the_gate(cases, name):
    record = cases.record(name, changed(cases.fitting, "scores", {}, **cases.below))
    assert record["verdict"] == "not run"
    assert record["reason"].startswith("not run at this scale: ")
    assert cases.gated in record["reason"]
