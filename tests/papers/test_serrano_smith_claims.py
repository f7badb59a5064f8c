"""Every claim of Serrano & Smith on synthetic results: it holds, fails, is undecided, is gated."""

from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest

from stages.papers.serrano_smith import claims
from stages.settings.studies import Gate
from stages.statistics import bootstrap
from tests.papers import common
from tests.papers import serrano_results as synthetic
from tests.papers.common import Cases, changed, guessed
from tests.papers.serrano_results import BOXES, DOCUMENTS, RUNWAY, YAHOO

ENCODED = ("han-rnn", "flan-rnn", "han-conv", "flan-conv")
HIERARCHICAL = ("han-rnn", "han-conv", "han-noenc")
WITHOUT_ENCODER = ("han-noenc", "flan-noenc")
FITTING = synthetic.fitting()
ONE = {"dataset": BOXES, "model": "han-conv"}
HAN_RNN, FLANS = {"model": "han-rnn"}, {"model": ["flan-rnn", "flan-conv", "flan-noenc"]}
NOENC = {"model": list(WITHOUT_ENCODER)}


@pytest.fixture(autouse=True, scope="module")
def _fewer_replicates():
    with patch.object(bootstrap, "REPEATS", 200):
        yield


def single(where, base=FITTING, **columns):
    return changed(base, "single", where, **columns)


def erased(ranking, count, **where):
    """So many of 100 items are erased along a ranking."""
    items = {"count": count, "fraction": count / 100}
    return changed(FITTING, "multi", {"ranking": ranking} | where, **items)


def massive(ranking, mass):
    return changed(FITTING, "multi", {"ranking": ranking}, mass=mass)


def where_negative(value):
    return lambda t: np.where(t["delta_js"] < 0, value, t["delta_alpha"])


def answered(models, share, **where):
    where = {"model": models} | where
    return changed(FITTING, "answers", where, predicted=lambda t: guessed(t["instance"], share))


CONTRADICTING = {
    "C1": lambda: single(ONE, delta_js=-0.01),
    "C2": lambda: single(ONE, delta_js=lambda t: np.where(t["delta_js"] < 0, -0.06, t["delta_js"])),
    "C3": lambda: single({}, delta_alpha=where_negative(0.9)),
    "C4": lambda: single(
        {"dataset": BOXES},
        single({"dataset": YAHOO}, delta_alpha=where_negative(0.1)),
        delta_alpha=where_negative(0.5),
    ),
    "C5": lambda: single(ONE, delta_js=lambda t: np.where(t.delta_alpha == 0.4, 0.2, t.delta_js)),
    "C6": lambda: single({}, delta_js=lambda t: np.minimum(t["delta_js"], 0.02)),
    "C7": lambda: single(NOENC, delta_js=lambda t: np.minimum(t["delta_js"], 0.01)),
    "C8": lambda: single(HAN_RNN, top_flips=True),
    "C8b": lambda: single(HAN_RNN, top_flips=True),
    "C9": lambda: single(ONE, random_flips=lambda t: 1.0 - t["top_flips"]),
    "C10": lambda: single(FLANS, random_flips=lambda t: t["instance"] % 3 == 0),
    "C11": lambda: single(HAN_RNN, random_flips=lambda t: t["instance"] % 3 == 0),
    "C12": lambda: single(NOENC, top_flips=False, random_flips=0.0),
    "C13": lambda: single({"ranking": "product"} | ONE, top_flips=False),
    "C14": lambda: single({"ranking": "gradient"}, top_flips=True),
    "C15": lambda: erased("attention", 99),
    "C16": lambda: erased("attention", 10),
    "C17": lambda: erased("gradient", 99),
    "C18": lambda: erased("gradient", 99, **ONE),
    "C19": lambda: erased("product", 99),
    "C20": lambda: erased("attention", 20, model="flan-rnn", dataset=BOXES),
    "C21": lambda: erased("attention", 95, model=["han-conv", "flan-conv"]),
    "C22": lambda: erased(list(synthetic.RANKINGS), 99, **NOENC),
    "C23": lambda: erased("random", 95, model="flan-noenc", dataset=BOXES),
    "C24": lambda: erased("gradient", 5, **NOENC),
    "C25": lambda: erased(["gradient", "product"], 99),
    "C26": lambda: erased("attention", 5, dataset=YAHOO, model=list(HIERARCHICAL)),
    "C27": lambda: massive("attention", 0.2),
    "C28": lambda: massive("gradient", 0.7),
    "C28b": lambda: massive("product", 0.7),
    "C29": lambda: answered(["han-rnn", "flan-rnn"], 0.65, dataset=BOXES),
    "X1": lambda: single({"mode": "as_coded"} | ONE, random_flips=lambda t: t["instance"] % 7 == 0),
    "X2": lambda: erased("centred", 99),
    "X3": lambda: changed(FITTING, "instances", {}, any_single_flips=False),
    "X4": lambda: changed(FITTING, "multi", {}, count_to_mean=lambda t: t["count"]),
}


CASES = Cases(
    claims,
    FITTING,
    Gate(floors={YAHOO: 0.6, BOXES: 0.6}),
    CONTRADICTING,
    {"accuracy": 0.55},
    "reaches 0.55, gate 0.60",
    apart=("C30",),
)
record_of = CASES.record


def test_claims_are_in_order_and_say_that_there_is_one_seed():
    names = [*(f"C{n}" for n in range(1, 31)), "X1", "X2", "X3", "X4"]
    assert [name for name in CASES.stated if not name.endswith("b")] == names
    assert all("one seed" in CASES.records[name]["reason"] for name in CONTRADICTING)


def seeds(pattern, accuracy=(0.7, 0.75, 0.8)):
    """Three seeds of every model: shares of documents that gradient wins, and accuracies."""
    parts = []
    scores = []
    for seed, (wins, reached) in enumerate(zip(pattern, accuracy, strict=True)):
        won = common.rows(FITTING.multi, instance=list(range(40)), ranking="gradient")
        count = np.where(won["instance"] < 40 * wins, 1, 99)
        lost = common.rows(FITTING.multi, instance=list(range(40)), ranking="attention")
        parts += [won.assign(count=count, seed=seed), lost.assign(count=50, seed=seed)]
        scores.append(FITTING.scores.assign(accuracy=reached, seed=seed))
    return replace(FITTING, multi=pd.concat(parts), scores=pd.concat(scores))


RISING = seeds((0.5, 0.6, 0.7))
REVERSED = changed(RISING, "scores", {"dataset": YAHOO}, accuracy=lambda t: 1.5 - t["accuracy"])


@pytest.mark.parametrize(
    ("results", "verdict"),
    [
        (seeds((0.6, 0.5, 0.6)), "holds"),
        (RISING, "fails"),
        (REVERSED, "undecided"),
        (seeds((0.6, 0.5, 0.6), (0.5, 0.55, 0.59)), "not run"),
        (FITTING, "not run"),
    ],
)
def test_c30_compares_seeds_of_different_accuracy(results, verdict):
    entry = record_of("C30", results)
    assert entry["verdict"] == verdict, entry
    if verdict == "not run":
        assert "fewer than four models have seeds of different accuracy" in entry["reason"]
    else:
        assert (entry["runs"], entry["seeds"]) == (36, 3)


def test_without_rows_no_claim_is_decided():
    empty = replace(synthetic.results(), scores=FITTING.scores[:0])
    for entry in CASES.decided(empty):
        assert (entry["verdict"], entry["n"], entry["ours"]) == ("not run", 0, None)


def test_nine_documents_of_a_model_decide_nothing_but_scores():
    run = synthetic.fitting(documents=9)
    ungated = replace(CASES, gate=Gate(floors={}))
    verdicts = {record["id"]: record["verdict"] for record in ungated.decided(run)}
    assert {name for name, verdict in verdicts.items() if verdict != "not run"} <= {"C29", "C17"}


def test_the_random_item_of_the_code_is_in_the_reason():
    coded = single({"mode": "as_coded"}, delta_js=-0.01)
    entry = record_of("C1", coded)
    assert entry["verdict"] == "holds"
    assert (
        "Mean of the rows 0.859; with the random item as the code draws it 0.000"
        in (entry["reason"])
    )


def rows_of(name, results=FITTING):
    return {row["row"]: row for row in record_of(name, results)["rows"]}


def test_fat_tails_need_fifty_documents():
    few = FITTING.single[(FITTING.single["delta_js"] > 0) | (FITTING.single["instance"] < 200)]
    assert record_of("C4", replace(FITTING, single=few))["verdict"] == "not run"
    assert len(rows_of("C3", replace(FITTING, single=few))) == 12


def test_rises_are_compared_between_models_that_differ_in_the_encoder_only():
    assert list(rows_of("C7")) == [
        f"{name} {a}-noenc minus {name} {a}-rnn" for name in (YAHOO, BOXES) for a in ("han", "flan")
    ]
    left = {"model": ["han-rnn", "flan-noenc"]}
    fewer = changed(FITTING, "scores", left, accuracy=0.5)
    assert record_of("C7", fewer)["verdict"] == "not run"


def test_the_papers_exceptions_are_left_out():
    assert not [label for label in rows_of("C12") if label.startswith(f"{YAHOO} flan")]
    assert len(rows_of("C12")) == 6
    missing = f"{YAHOO} han-conv minus {YAHOO} han-noenc"
    assert missing not in rows_of("C29")
    assert len(rows_of("C29")) == 11


def test_flips_are_compared_with_the_published_rate_of_their_data_set():
    values = {label: row["value"] for label, row in rows_of("C8b").items()}
    rate = np.ceil(0.097 * DOCUMENTS) / DOCUMENTS
    assert values == pytest.approx(
        {f"{YAHOO} han-rnn": rate - 0.092, f"{BOXES} han-rnn": rate - 0.103}, abs=1e-4
    )


def test_amazon_is_compared_with_every_other_set():
    three = synthetic.fitting((YAHOO, BOXES, RUNWAY), WITHOUT_ENCODER)
    same = changed(three, "multi", {"dataset": RUNWAY, "ranking": "random"}, fraction=0.1)
    labels = [f"{BOXES} flan-noenc minus {name} flan-noenc" for name in (YAHOO, RUNWAY)]
    assert list(rows_of("C23", three)) == labels
    assert record_of("C23", same)["verdict"] == "fails"


def test_gradient_must_win_in_half_of_the_whole_test_set():
    rows = rows_of("C17")
    assert len(rows) == len(ENCODED) * 2
    share = DOCUMENTS / (DOCUMENTS + 5)  # five documents have one item
    assert [row["value"] for row in rows.values()] == pytest.approx([share] * len(rows), abs=1e-4)


def test_a_few_models_may_break_a_claim_about_most():
    assert record_of("C15", erased("attention", 99, **ONE))["verdict"] == "holds"
    assert record_of("C24", erased("gradient", 5, model="han-noenc"))["verdict"] == "fails"


def test_never_loses_against_any_number_and_two_of_them_take_no_part():
    parts = {"attention": [1, 0, 3, 2, 0], "gradient": [2, 4, 0, 2, 0], "random": [3] * 5}
    tables = [synthetic.multi(count, ranking=name) for name, count in parts.items()]
    second = synthetic.multi([9] * 5, ranking="random", order=1)
    run = synthetic.results(multi=[*tables, second])
    pair = (YAHOO, "han-rnn")
    assert run.wins(pair, "attention", "gradient").to_list() == [1, -1, 1, 0]
    assert run.wins(pair, "gradient", "attention").to_list() == [-1, 1, -1, 0]
    assert run.wins(pair, "attention", "random").to_list() == [1, -1, 0, 1, -1]
    assert run.fraction(pair, "attention").dropna().to_list() == [0.1, 0.3, 0.2]
