"""Rules that join rows to one verdict, the row that is shown, and the learnt rule with gates."""

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from stages.papers.shared import rules
from stages.papers.shared.results import StudyResults
from stages.papers.shared.rules import Claim, Row, decide, read_claims, row_of
from stages.settings.errors import UserError
from stages.settings.studies import Gate
from stages.statistics.bootstrap import nested

STATED = {
    "id": "X1",
    "statement": "something",
    "where": "Table 1",
    "quote": "words",
    "quantity": "a mean",
    "unit": "tau",
    "published": ".5",
}


def claim(rule="every", **bounds):
    return Claim.model_validate(STATED | {"rule": rule} | (bounds or {"above": 0.0}))


def row(name, value, width=0.1):
    return Row(name, value, value - width, value + width, 50, 3, 3)


GOOD, NEAR, OPEN, BAD = row("good", 1.0), row("near", 0.2), row("open", 0.05), row("bad", -0.5)


@pytest.mark.parametrize(
    ("rule", "some", "verdict", "shown", "ours"),
    [
        ("every", [GOOD, NEAR], "holds", "near", 0.2),
        ("every", [GOOD, OPEN], "undecided", "open", 0.05),
        ("every", [GOOD, OPEN, BAD], "fails", "bad", -0.5),
        ({"most": 0.5}, [GOOD, NEAR, BAD], "holds", "2 of 3 rows", 2 / 3),
        ({"most": 0.75}, [GOOD, NEAR, BAD], "fails", "2 of 3 rows", 2 / 3),
        ({"most": 0.75}, [GOOD, NEAR, OPEN], "undecided", "2 of 3 rows", 2 / 3),
        ({"count": 2}, [GOOD, NEAR, BAD, OPEN], "holds", "2 of 4 rows", 2),
        ({"count": 3}, [GOOD, NEAR, BAD, OPEN], "undecided", "2 of 4 rows", 2),
        ({"count": 4}, [GOOD, NEAR, BAD, OPEN], "fails", "2 of 4 rows", 2),
        ("difference", [BAD], "fails", "bad", -0.5),
    ],
)
def test_rules(rule, some, verdict, shown, ours):
    record = decide(claim(rule), some)
    assert (record["verdict"], record["shown"]) == (verdict, shown)
    assert record["ours"] == pytest.approx(ours, rel=1e-3)
    held = sum(entry["verdict"] == "holds" for entry in record["rows"])
    assert record["reason"] == f"{held} of {len(some)} rows hold"
    assert record["low"] <= record["ours"] <= record["high"]


def test_bounds_on_both_sides():
    equal = claim(above=-0.3, below=0.3)
    assert equal.threshold == "-0.3 to 0.3"
    assert [equal.of_row(some) for some in (OPEN, row("x", 0.25), GOOD)] == [
        "holds",
        "undecided",
        "fails",
    ]


def test_without_rows_the_reason_names_the_gated_runs():
    record = decide(claim(), [None], gated="imdb bilstm reaches 0.39, gate 0.60")
    assert record["verdict"] == "not run"
    assert record["reason"] == "not run at this scale: imdb bilstm reaches 0.39, gate 0.60"
    assert (record["ours"], record["rows"]) == (None, [])


def test_one_seed_is_said():
    assert "one seed" in decide(claim(), [Row("a", 1.0, 0.9, 1.1, 50, 1, 1)])["reason"]


def test_numbers_keep_significant_digits():
    small = decide(claim(), [Row("a", 1.23456e-6, 1e-6, 2e-6, 5, 1, 1)])
    assert small["ours"] == 1.235e-6


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"rule": "mostly"}, "claims.0.rule"),
        ({"rule": {"most": 1.5}}, "claims.0.rule"),
        ({"above": None}, "claims.0.above"),
        ({"qoute": "x"}, "claims.0: unknown key 'qoute'; allowed: id, statement"),
    ],
)
def test_a_mistake_in_claims_is_one_sentence(tmp_path, change, line):
    from ruamel.yaml import YAML

    path = tmp_path / "claims.yaml"
    with path.open("w") as file:
        YAML(typ="safe").dump([STATED | {"rule": "every", "above": 0.0} | change], file)
    with pytest.raises(UserError) as caught:
        read_claims(path)
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_claim_needs_a_bound(tmp_path):
    with pytest.raises(ValueError, match="X1: give one of the keys above, below"):
        Claim.model_validate(STATED | {"rule": "every"})


def literal(groups, draw, repeats=4000):
    """Runs, then documents within each drawn run, one by one."""
    means = []
    for _ in range(repeats):
        runs = [groups[i] for i in draw.integers(0, len(groups), len(groups))]
        means.append(np.mean([draw.choice(values, len(values)).mean() for values in runs]))
    return np.percentile(means, [2.5, 97.5])


def test_nested_bootstrap_equals_the_literal_one():
    draw = np.random.default_rng(0)
    groups = [draw.normal(mean, 1, n) for mean, n in ((0, 40), (0.5, 60), (1, 50))]
    interval = nested(groups, np.random.default_rng(1))
    assert interval.value == pytest.approx(np.mean([values.mean() for values in groups]))
    assert np.allclose([interval.low, interval.high], literal(groups, draw), atol=0.06)
    alone = nested(groups[:1], np.random.default_rng(1))
    assert alone.high - alone.low < interval.high - interval.low  # training varies too


def test_documents_of_several_seeds_are_not_independent():
    values = np.random.default_rng(3).normal(size=100)
    table = pd.DataFrame(
        {"seed": np.repeat([1, 2, 3], 100), "x": np.concatenate([values, values + 1, values - 1])}
    )
    row = row_of("a", table, "x")
    assert (row.documents, row.runs, row.seeds) == (100, 3, 3)
    assert row.high - row.low > 1.0  # as wide as seeds differ, not as 300 documents would have it


def test_a_run_with_few_documents_is_no_row():
    table = pd.DataFrame({"seed": [1] * 5, "x": np.arange(5.0)})
    assert row_of("a", table, "x") is None
    assert rules.significant(math.nan) is None


@dataclass(frozen=True)
class Some(StudyResults):
    scores: pd.DataFrame
    documents: pd.DataFrame


def test_runs_at_chance_or_below_the_gate_are_left_out():
    keys = {"value": np.nan, "seed": 1, "n": 400, "commonest": 0.5}
    models = {"good": 0.8, "low": 0.6, "chance": 0.52}
    scores = pd.DataFrame(
        [{"dataset": "imdb", "model": m, "accuracy": a} | keys for m, a in models.items()]
    )
    documents = pd.DataFrame(
        [{"dataset": "imdb", "model": m, "value": np.nan, "seed": 1} for m in models]
    )
    usable, named = Some(scores, documents).usable(Gate(floors={"imdb": 0.7}))
    assert usable.documents["model"].tolist() == usable.scores["model"].tolist() == ["good"]
    assert named == (
        "imdb low reaches 0.60, gate 0.70; imdb chance reaches 0.52, commonest answer 0.50"
    )
    everything, nobody = Some(scores[:1], documents[:1]).usable(Gate())
    assert (len(everything.scores), nobody) == (1, "")
