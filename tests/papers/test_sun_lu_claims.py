"""Every claim of Sun & Lu holds on fitting results and fails on contradicting ones."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from stages.papers.shared.claims import stated
from stages.papers.sun_lu.panels import DATA_I, RATIOS
from stages.papers.sun_lu.verdicts import DECIDERS, STATEMENTS, decided
from tests.papers import sun_lu_results as synthetic
from tests.papers.deciding import check_holds, check_records

FITTING = synthetic.results()
CLAIMS = stated(STATEMENTS)
RECORDS = {entry["id"]: entry for entry in decided(FITTING)}


def verdict(name, **changes):
    return DECIDERS[name](CLAIMS[name], replace(FITTING, **changes))["verdict"]


def scaled(table, column, where, factor):
    changed = table.copy()
    changed[column] = np.where(where(table), table[column] * factor, table[column])
    return changed


def test_there_are_33_claims_in_order():
    assert list(CLAIMS) == [f"SL{n}" for n in range(1, 34)]
    check_records(list(RECORDS.values()), list(CLAIMS))


@pytest.mark.parametrize("name", [f"SL{n}" for n in range(1, 34)])
def test_a_claim_holds_where_it_should(name):
    check_holds(RECORDS[name])


ACCURACY = {
    "SL1": lambda t: np.where(t["value"] == 1.0, 0.9, t["accuracy"]),
    "SL2": lambda t: np.where(t["value"] == 10000.0, 0.6, t["accuracy"]),
    "SL4": lambda t: np.where(t["value"] == 10000.0, 0.9, t["accuracy"]),
    "SL5": lambda t: np.where(t["model"] == "dp-l", 0.8, t["accuracy"]),
    "SL13": lambda t: np.where(t["model"] == "dp-penalty", 0.95, t["accuracy"]),
}


@pytest.mark.parametrize("name", ACCURACY)
def test_accuracies_that_contradict(name):
    scores = FITTING.scores.assign(accuracy=ACCURACY[name](FITTING.scores))
    expected = "undecided" if name == "SL5" else "fails"  # a flat column neither gains nor loses
    assert verdict(name, scores=scores) == expected


TOKENS = {
    "SL6": ("polarity_score", lambda t: t["group"] == "negative", -1),
    "SL7": ("polarity_score", lambda t: t["group"] == "neutral", 20),
    "SL8": ("attention_score", lambda t: t["group"] == "negative", -1),
    "SL10": ("attention_score", lambda t: t["value"] == 100.0, 50),
    "SL11": ("polarity_score", lambda t: t["value"] == 100.0, 0.1),
    "SL12": ("attention_score", lambda t: t["model"] == "dp-penalty", -1),
    "SL14": ("attention_score", lambda t: t["group"] == "guns", -1),
    "SL15": ("attention_score", lambda t: t["model"] == "ad", -1),
    "SL16": ("test_weight", lambda t: t["group"] == "neutral", 5),
    "SL18": ("test_length", lambda t: t["test_length"] < 20, 30),
    "SL28": ("polarity_score", lambda t: t["dataset"] == "synthetic-2", 5),
    "SL31": ("local_attention", lambda t: t["model"] == "dp-l", -1),
}


@pytest.mark.parametrize("name", TOKENS)
def test_scores_that_contradict(name):
    column, where, factor = TOKENS[name]
    assert verdict(name, tokens=scaled(FITTING.tokens, column, where, factor)) == "fails"


def test_a_gap_against_the_sign_of_the_product():
    runs = FITTING.runs.assign(product=-FITTING.runs["product"])
    assert verdict("SL9", runs=runs) == "fails"


def test_weights_that_go_against_the_scores():
    draw = np.random.default_rng(0)
    tokens = FITTING.tokens.copy()
    chosen = (tokens["model"] == "dp") & (tokens["value"] == 10.0)
    sign = tokens["group"].map({"positive": 1.0, "negative": -1.0}).fillna(0.0)
    drift = np.where(chosen, sign, 0.0)
    tokens["attention_score"] += drift
    tokens["test_weight"] = 0.5 - 0.1 * drift + 0.001 * draw.normal(size=len(tokens))
    assert verdict("SL17", tokens=tokens) == "fails"


def test_uneven_attention_at_a_large_scale():
    assert verdict("SL3", runs=FITTING.runs.assign(entropy=0.9)) == "fails"


def test_products_that_ignore_the_ratio():
    wrong = FITTING.runs["dataset"] == RATIOS["1:5"]
    runs = FITTING.runs.assign(product=FITTING.runs["product"].where(~wrong, 60.0))
    assert verdict("SL29", runs=runs) == "fails"


def test_seeds_that_disagree():
    tokens = FITTING.tokens.copy()
    flipped = (tokens["seed"] % 2 == 0) & (tokens["group"] == "positive")
    tokens["attention_score"] = np.where(flipped, -1.0, tokens["attention_score"])
    assert verdict("SL33", tokens=tokens) == "fails"


TRACES = {
    "SL19": (["residual_polarity"], None, 1e9),
    "SL20": (["pi"], "positive", -1),
    "SL21": (["rho"], "positive", -1),
    "SL22": (["A/(B+C)"], None, 100),
    "SL23": (["D/(E+F)"], None, 1e-4),
    "SL25": (["dot"], "negative-positive", -1),
    "SL26": (["dot"], "negative-positive", 5),
    "SL32": (["as_said_s"], None, 0.1),
}


@pytest.mark.parametrize("name", TRACES)
def test_traces_that_contradict(name):
    quantities, group, factor = TRACES[name]
    traces = FITTING.traces.copy()
    chosen = traces["quantity"].isin(quantities) & ((traces["group"] == group) | (group is None))
    for column in ("mean", "q50"):
        traces[column] = np.where(chosen, traces[column] * factor, traces[column])
    if factor == -1:
        traces["positive"] = np.where(chosen, 1 - traces["positive"], traces["positive"])
    assert verdict(name, traces=traces) == "fails"


def test_a_wide_start_that_is_as_quick():
    traces = FITTING.traces
    parts = [traces[traces["model"] != "dp-wide"]]
    parts += [synthetic.traced(DATA_I, "dp-wide", np.nan, seed, slow=-1) for seed in range(1, 6)]
    assert verdict("SL27", traces=pd.concat(parts)) == "fails"


def test_f_that_is_there_from_the_start():
    traces = FITTING.traces.copy()
    chosen = (traces["quantity"] == "F") & (traces["group"] == "positive")
    traces["mean"] = np.where(chosen, 1.0, traces["mean"])
    assert verdict("SL24", traces=traces) == "fails"


def test_a_penalty_that_opens_the_gap():
    traces = FITTING.traces[FITTING.traces["model"] != "dp-penalty"]
    wide = [synthetic.traced(DATA_I, "dp-penalty", 10.0, seed, gap=0.5) for seed in range(1, 6)]
    assert verdict("SL30", traces=pd.concat([traces, *wide])) == "fails"


def test_what_was_not_trained_is_not_run():
    only = replace(
        FITTING,
        tokens=FITTING.tokens[FITTING.tokens["model"] == "dp-l"],
        traces=FITTING.traces[FITTING.traces["model"] == "ad"],
        scores=FITTING.scores[FITTING.scores["model"] == "dp-l"],
        runs=FITTING.runs.iloc[:0],
    )
    verdicts = {entry["id"]: entry["verdict"] for entry in decided(only)}
    for name in ("SL1", "SL3", "SL8", "SL13", "SL19", "SL20", "SL25", "SL27", "SL30", "SL32"):
        assert verdicts[name] == "not run", name
