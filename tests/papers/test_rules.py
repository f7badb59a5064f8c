"""Rules that join rows to one verdict, the row that is shown, and the learnt rule with gates."""

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from ruamel.yaml import YAML

from stages.papers.shared import rules
from stages.papers.shared.fidelity import explained, fidelity, share_inside
from stages.papers.shared.results import StudyResults, concerning
from stages.papers.shared.rows import Row, row_of
from stages.papers.shared.rules import Claim, decide, read_claims
from stages.settings.errors import UserError
from stages.settings.studies import Gate

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


def claims_file(folder, **changes):
    """A claims.yaml of one claim."""
    path = folder / "claims.yaml"
    with path.open("w") as file:
        YAML(typ="safe").dump([STATED | {"rule": "every", "above": 0.0} | changes], file)
    return path


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
        ({"count": 3}, [GOOD, BAD], "undecided", "1 of 2 rows", 1),
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


@pytest.mark.parametrize(
    ("rule", "some", "spoken_of", "verdict"),
    [
        ({"most": 0.5}, [GOOD], 1, "holds"),  # the paper speaks of one row
        ({"most": 0.5}, [GOOD], 2, "undecided"),
        ({"most": 0.5}, [GOOD, GOOD], 4, "holds"),
        ({"most": 0.5}, [GOOD, GOOD], 5, "undecided"),
        ({"most": 0.5}, [BAD, BAD], 5, "undecided"),
        ({"most": 0.5}, [BAD, BAD, BAD], 5, "fails"),
        ({"count": 2}, [GOOD, GOOD], 24, "holds"),  # whatever the others are
        ({"count": 1}, [BAD], 24, "undecided"),
        ("every", [GOOD, GOOD], 24, "undecided"),
        ("every", [GOOD, BAD], 24, "fails"),  # one that fails suffices
        ("mean", [GOOD], 1, "holds"),
    ],
)
def test_half_of_the_rows_and_two_must_be_measured(rule, some, spoken_of, verdict):
    record = decide(claim(rule), some, spoken_of=spoken_of)
    assert record["verdict"] == verdict
    least = min(spoken_of, max(2, (spoken_of + 1) // 2))
    missing = f"{len(some)} of {spoken_of} rows could be measured, {least} are needed"
    assert (missing in record["reason"]) == (verdict == "undecided")


def test_rows_without_a_value_and_of_gated_runs_are_spoken_of(tmp_path):
    path = claims_file(tmp_path, rule={"most": 0.5})

    def measure(results):
        few = [None] if "c" in set(results.documents["model"]) else []
        return [row(f"imdb {m}", 1.0) for m in results.documents["model"] if m != "c"] + few, ""

    models = {"a": 0.8, "b": 0.5, "c": 0.8}  # b is at chance, c has too few documents
    (record,) = rules.records(path, {"X1": measure}, some(models), Gate())
    assert record["verdict"] == "undecided"
    assert "1 of 3 rows could be measured, 2 are needed. Left out: imdb b" in record["reason"]


def test_bounds_on_both_sides():
    equal = claim(above=-0.3, below=0.3)
    assert equal.threshold == "-0.3 to 0.3"
    assert [equal.of_row(some) for some in (OPEN, row("x", 0.25), GOOD)] == [
        "holds",
        "undecided",
        "fails",
    ]


def test_without_rows_the_reason_names_the_gated_runs():
    record = decide(claim(), [None], refused=["imdb bilstm reaches 0.39, gate 0.60"])
    assert record["verdict"] == "not run"
    assert record["reason"] == "not run at this scale: imdb bilstm reaches 0.39, gate 0.60"
    assert (record["ours"], record["rows"]) == (None, [])


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ("every", "every row"),
        ("mean", "the mean"),
        ({"most": 0.75}, "at least 75% of rows"),
        ({"count": 1}, "at least 1 row"),
    ],
)
def test_a_record_has_its_rule_in_words(rule, text):
    assert decide(claim(rule), [GOOD])["rule"] == text


@pytest.mark.parametrize(("n", "end"), [(3, "c"), (4, "c; and 1 more run"), (5, "2 more runs")])
def test_a_reason_names_three_runs(n, end):
    assert decide(claim(), [GOOD], "", list("abcde"[:n]))["reason"].endswith(end)


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
    with pytest.raises(UserError) as caught:
        read_claims(claims_file(tmp_path, **change))
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_claim_needs_a_bound(tmp_path):
    with pytest.raises(ValueError, match="X1: give one of the keys above, below"):
        Claim.model_validate(STATED | {"rule": "every"})


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


def some(models, **columns):
    """Results of runs {model: accuracy}, all on IMDB."""
    keys = {"dataset": "imdb", "value": np.nan, "seed": 1}
    about = {"n": 400, "commonest": 0.5, "metric": "f1", "published": np.nan} | columns
    scores = [keys | {"model": m, "accuracy": a, "f1": a - 0.01} | about for m, a in models.items()]
    return Some(pd.DataFrame(scores), pd.DataFrame([keys | {"model": m} for m in models]))


def test_runs_at_chance_or_below_the_gate_are_left_out():
    results = some({"good": 0.8, "low": 0.6, "chance": 0.52})
    refused = results.refused(Gate(floors={"imdb": 0.7}))
    usable = results.without(refused)
    assert usable.documents["model"].tolist() == usable.scores["model"].tolist() == ["good"]
    assert refused["reason"].tolist() == [
        "imdb low reaches 0.59, gate 0.70",
        "imdb chance reaches 0.52, commonest answer 0.50",
    ]
    assert results.refused(Gate())["model"].tolist() == ["chance"]
    assert not len(results.refused(Gate(), learnt=False))


def test_the_gate_is_measured_from_the_published_score():
    results = some({"near": 0.8, "far": 0.74}, published=0.9)
    assert results.refused(Gate())["reason"].tolist() == ["imdb far reaches 0.73, gate 0.75"]
    assert not len(results.refused(Gate(below_published=0.2)))
    assert len(results.refused(Gate(floors={"imdb": 0.85}))) == 2


def test_a_table_without_seeds_keeps_models_of_which_a_run_is_left():
    two = some({"a": 0.8})
    scores = pd.concat([two.scores, two.scores.assign(seed=2, accuracy=0.5)])
    results = Some(scores, two.documents.drop(columns="seed"))
    refused = results.refused(Gate())
    assert refused["seed"].tolist() == [2]
    assert len(results.without(refused).documents) == 1
    assert not len(results.without(scores).documents)


def test_figures_keep_a_data_set_of_which_no_run_is_usable():
    one, other = some({"a": 0.8, "b": 0.5}), some({"a": 0.5})
    scores = pd.concat([one.scores, other.scores.assign(dataset="snli")])
    documents = pd.concat([one.documents, other.documents.assign(dataset="snli")])
    drawn = Some(scores, documents).drawn(Gate())
    assert drawn.documents[["dataset", "model"]].to_numpy().tolist() == [
        ["imdb", "a"],
        ["snli", "a"],
    ]
    assert drawn.marked("SNLI", "snli") == "SNLI (below the gate)"
    assert drawn.marked("IMDB", "imdb") == "IMDB"


def test_a_claim_without_rows_names_the_runs_it_would_rest_on(tmp_path):
    path = claims_file(tmp_path)

    def measure(results):
        models = results.documents["model"]
        return [row(f"imdb {m}", 1.0) for m in models if m == "b"], ""

    (record,) = rules.records(path, {"X1": measure}, some({"a": 0.5, "b": 0.51}), Gate())
    assert record["verdict"] == "not run"
    assert record["reason"] == ("not run at this scale: imdb b reaches 0.51, commonest answer 0.50")
    (record,) = rules.records(path, {"X1": measure}, some({"a": 0.5, "b": 0.8}), Gate())
    assert record["verdict"] == "holds"


def test_a_model_is_named_by_whole_words_of_a_label():
    refused = pd.DataFrame({"dataset": "imdb", "model": ["dp", "dp-a"], "reason": ["one", "two"]})
    assert concerning(refused, ["imdb dp-a@10 minus dp-a@1"]) == ["two"]
    assert concerning(refused, ["imdb dp over all lambdas"]) == ["one"]
    assert concerning(refused, ["snli dp"]) == []


def test_fidelity_compares_cells_that_both_have():
    cells = pd.DataFrame(
        {
            "where": "Table 1",
            "cell": ["a", "b", "c"],
            "dataset": "imdb",
            "own_data": True,
            "published": [0.5, 0.5, np.nan],
            "ours": [0.58, 0.61, 0.5],
            "noise": 0.1,
        }
    )
    table = fidelity(cells)
    assert table["cell"].tolist() == ["a", "b"]
    assert table["difference"].tolist() == [0.08, 0.11]
    assert table["inside"].tolist() == [True, False]
    assert share_inside(table) == 0.5
    assert share_inside(table[:0]) is None


def test_cells_outside_noise_have_a_reason_where_one_is_known():
    table = pd.DataFrame(
        {
            "dataset": ["imdb", "imdb", "mock-1", "snli"],
            "own_data": [True, True, False, True],
            "inside": [True, False, False, False],
        }
    )
    reasons = explained(table, pd.DataFrame({"dataset": ["snli"]}))["reason"].tolist()
    gate = "a run of this data set is below its gate"
    assert reasons == ["", "not known", "other data than the paper's", gate]
