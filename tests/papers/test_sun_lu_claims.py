"""Every claim of Sun & Lu holds on fitting results and fails on contradicting ones."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from stages.papers.shared.claims import stated
from stages.papers.sun_lu import verdicts
from stages.papers.sun_lu.panels import DATA_I, DATA_II, RATIOS
from tests.papers import sun_lu_results as synthetic
from tests.papers.common import changed, check_holds, check_records, matching, record_of, rows

FITTING = synthetic.results()
RECORDS = {entry["id"]: entry for entry in verdicts.decided(FITTING)}


def test_there_are_33_claims_in_order():
    names = [f"SL{n}" for n in range(1, 34)]
    assert list(stated(verdicts.STATEMENTS)) == names
    check_records(list(RECORDS.values()), names)


@pytest.mark.parametrize("name", RECORDS)
def test_a_claim_holds_where_it_should(name):
    check_holds(RECORDS[name])


def scores(accuracy, **where):
    return changed(FITTING, "scores", where, accuracy=accuracy)


def scaled(column, factor, **where):
    """The fitting results with one column of some tokens multiplied."""
    return changed(FITTING, "tokens", where, **{column: lambda table: table[column] * factor})


def runs(column, value, **where):
    return changed(FITTING, "runs", where, **{column: value})


def traces(quantity, factor, **where):
    """The fitting results with a traced quantity multiplied."""
    columns = {name: lambda t, name=name: t[name] * factor for name in ("mean", "q50")}
    if factor == -1:
        columns["positive"] = lambda t: 1 - t["positive"]
    return changed(FITTING, "traces", {"quantity": quantity} | where, **columns)


def traced_again(model, value, **courses):
    """The fitting results with a model's traces made again."""
    parts = [FITTING.traces[FITTING.traces["model"] != model]]
    parts += [synthetic.traced(DATA_I, model, value, seed, **courses) for seed in range(1, 6)]
    return replace(FITTING, traces=pd.concat(parts))


def weights_against_scores():
    draw = np.random.default_rng(0)
    tokens = FITTING.tokens
    sign = tokens["group"].map({"positive": 1.0, "negative": -1.0}).fillna(0.0)
    drift = sign * matching(tokens, {"model": "dp", "value": 10.0})
    weight = 0.5 - 0.1 * drift + 0.001 * draw.normal(size=len(tokens))
    score = tokens["attention_score"] + drift
    return replace(FITTING, tokens=tokens.assign(attention_score=score, test_weight=weight))


def outliers_as_long():
    tokens = FITTING.tokens
    length = tokens["test_length"].where(tokens["test_length"] >= 20, tokens["test_length"] * 30)
    return replace(FITTING, tokens=tokens.assign(test_length=length))


CONTRADICTING = {
    "SL1": lambda: scores(0.9, value=1.0),
    "SL2": lambda: scores(0.6, value=10000.0),
    "SL3": lambda: runs("entropy", 0.9),
    "SL4": lambda: scores(0.9, value=10000.0),
    "SL6": lambda: scaled("polarity_score", -1, group="negative"),
    "SL7": lambda: scaled("polarity_score", 20, group="neutral"),
    "SL8": lambda: scaled("attention_score", -1, group="negative"),
    "SL9": lambda: runs("product", lambda t: -t["product"]),
    "SL10": lambda: scaled("attention_score", 50, value=100.0),
    "SL11": lambda: scaled("polarity_score", 0.1, value=100.0),
    "SL12": lambda: scaled("attention_score", -1, model="dp-penalty"),
    "SL13": lambda: scores(0.95, model="dp-penalty"),
    "SL14": lambda: scaled("attention_score", -1, group="guns"),
    "SL15": lambda: scaled("attention_score", -1, model="ad"),
    "SL16": lambda: scaled("test_weight", 5, group="neutral"),
    "SL17": weights_against_scores,
    "SL18": outliers_as_long,
    "SL19": lambda: traces("residual_polarity", 1e9),
    "SL20": lambda: traces("pi", -1, group="positive"),
    "SL21": lambda: traces("rho", -1, group="positive"),
    "SL22": lambda: traces("A/(B+C)", 100),
    "SL23": lambda: traces("D/(E+F)", 1e-4),
    "SL24": lambda: changed(
        FITTING, "traces", {"quantity": "F", "group": "positive"}, mean=1.0
    ),  # there from the start
    "SL25": lambda: traces("dot", -1, group="negative-positive"),
    "SL26": lambda: traces("dot", 5, group="negative-positive"),
    "SL27": lambda: traced_again("dp-wide", np.nan, slow=-1),
    "SL28": lambda: scaled("polarity_score", 5, dataset=DATA_II),
    "SL29": lambda: runs("product", 60.0, dataset=RATIOS["1:5"]),
    "SL30": lambda: traced_again("dp-penalty", 10.0, gap=0.5),
    "SL31": lambda: scaled("local_attention", -1, model="dp-l"),
    "SL32": lambda: traces("as_said_s", 0.1),
    "SL33": lambda: changed(
        FITTING, "tokens", {"seed": [2, 4], "group": "positive"}, attention_score=-1.0
    ),
}


@pytest.mark.parametrize("name", CONTRADICTING)
def test_a_claim_fails_on_results_that_contradict(name):
    assert record_of(verdicts, name, CONTRADICTING[name]())["verdict"] == "fails"


def test_a_flat_column_of_accuracies_neither_gains_nor_loses():
    assert record_of(verdicts, "SL5", scores(0.8, model="dp-l"))["verdict"] == "undecided"


def test_what_was_not_trained_is_not_run():
    only = replace(
        FITTING,
        tokens=rows(FITTING.tokens, model="dp-l"),
        traces=rows(FITTING.traces, model="ad"),
        scores=rows(FITTING.scores, model="dp-l"),
        runs=FITTING.runs.iloc[:0],
    )
    decided = {entry["id"]: entry["verdict"] for entry in verdicts.decided(only)}
    for name in ("SL1", "SL3", "SL8", "SL13", "SL19", "SL20", "SL25", "SL27", "SL30", "SL32"):
        assert decided[name] == "not run", name
