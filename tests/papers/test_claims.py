"""Verdicts from intervals at every bound, and the records of claims."""

import math

import pytest

from stages.papers.shared.claims import Claim, counted, everywhere, not_run, record, within
from stages.statistics.bootstrap import NOTHING, Interval

CLAIM = Claim("X1", "words mean things", "Table 9", "mean", ".3")


def interval(low, high, n=10):
    return Interval((low + high) / 2, low, high, n)


@pytest.mark.parametrize(
    ("bounds", "verdict"),
    [
        (interval(0.21, 0.49), "holds"),
        (interval(0.2, 0.4), "undecided"),  # touches the bound: not inside
        (interval(0.3, 0.5), "undecided"),
        (interval(0.1, 0.3), "undecided"),
        (interval(0.1, 0.6), "undecided"),  # reaches beyond both sides
        (interval(0.1, 0.2), "fails"),  # touches the bound from outside
        (interval(0.5, 0.6), "fails"),
        (interval(0.2, 0.2), "fails"),
        (interval(0.3, 0.3), "holds"),
        (interval(0.3, 0.4, n=0), "not run"),
        (Interval(0.3, math.nan, math.nan, 10), "not run"),
        (NOTHING, "not run"),
    ],
)
def test_where_the_interval_lies_decides(bounds, verdict):
    assert within(bounds, low=0.2, high=0.5) == verdict


def test_one_sided_claims_have_no_other_side():
    assert within(interval(0.3, 900.0), low=0.2) == "holds"
    assert within(interval(-900.0, 0.4), high=0.5) == "holds"
    assert within(interval(-900.0, 0.1), low=0.2) == "fails"
    assert within(interval(-900.0, 900.0)) == "holds"


@pytest.mark.parametrize(
    ("verdicts", "verdict"),
    [
        (["holds", "holds"], "holds"),
        (["holds", "not run"], "holds"),
        (["holds", "undecided", "not run"], "undecided"),
        (["undecided", "fails", "holds"], "fails"),
        (["not run", "not run"], "not run"),
        ([], "not run"),
    ],
)
def test_a_claim_about_every_row(verdicts, verdict):
    assert everywhere(iter(verdicts)) == verdict


def test_a_record_has_the_claim_the_rounded_numbers_and_the_verdict():
    assert record(CLAIM, Interval(0.123456, 0.1, 0.98765, 12), "holds", "because") == {
        "id": "X1",
        "statement": "words mean things",
        "where": "Table 9",
        "statistic": "mean",
        "published": ".3",
        "ours": 0.1235,
        "low": 0.1,
        "high": 0.9877,
        "n": 12,
        "verdict": "holds",
        "reason": "because",
    }


def test_numbers_that_do_not_exist_are_null():
    entry = record(CLAIM, Interval(0.5, math.nan, math.nan, 3), "undecided", "")
    assert (entry["ours"], entry["low"], entry["high"], entry["n"]) == (0.5, None, None, 3)
    absent = not_run(CLAIM, "no data")
    assert (absent["ours"], absent["low"], absent["high"], absent["n"]) == (None, None, None, 0)
    assert (absent["verdict"], absent["reason"]) == ("not run", "no data")


def test_verdicts_are_counted_and_none_is_left_out():
    verdicts = ["holds", "fails", "holds", "not run"]
    records = [record(CLAIM, NOTHING, verdict, "") for verdict in verdicts]
    assert counted(records) == {"holds": 2, "fails": 1, "undecided": 0, "not run": 1}
    assert counted([]) == {"holds": 0, "fails": 0, "undecided": 0, "not run": 0}
