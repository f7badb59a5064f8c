"""Verdicts on erasing along a ranking (C15-C30, X2, X4), and the evidence they rest on."""

import json
from unittest.mock import ANY

import numpy as np
import pandas as pd
import pytest

from stages.papers.serrano_smith import evidence, page
from stages.papers.serrano_smith.tables import contingency
from tests.papers import serrano_results as synthetic
from tests.papers.common import case, check, score
from tests.papers.serrano_results import BOXES, CLOTHING, RUNWAY, YAHOO, in_order, verdict_on

HAN, FLAN = (YAHOO, "han-rnn"), (YAHOO, "flan-rnn")
multi, rankings = synthetic.multi, synthetic.rankings
ENCODED = ("han-rnn", "flan-rnn", "han-conv", "flan-conv")


def test_never_loses_against_any_number_and_two_of_them_take_no_part():
    run = in_order(rankings(documents=5, attention=[1, 0, 3, 2, 0], gradient=[2, 4, 0, 2, 0]))
    assert evidence.wins(run, HAN, "attention", "gradient").tolist() == [1, -1, 1, 0]
    assert evidence.wins(run, HAN, "gradient", "attention").tolist() == [-1, 1, -1, 0]


def test_wins_compare_items_of_the_same_document_with_the_first_random_order():
    orders = [multi([3, 3], ranking="random"), multi([1, 1], ranking="random", order=1)]
    run = in_order(multi([4, 2]).iloc[::-1], *orders)
    assert evidence.wins(run, HAN, "attention", "random").tolist() == [-1, 1]


def test_fractions_are_of_documents_that_flip():
    run = in_order(multi([2, 0, 10]), multi([1, 1, 1], *FLAN))
    assert evidence.fraction(run, HAN, "attention").tolist() == [0.2, 1.0]


def test_models_weigh_alike_and_those_of_nine_documents_not_at_all():
    parts = {"one": np.full(10, 0.2), "two": np.full(30, 0.8), "few": np.full(9, 9.0)}
    assert evidence.mean_over(parts, "x") == (pytest.approx(0.5), *[pytest.approx(0.5)] * 2, 40)
    undefined = {"one": np.append(np.full(10, 0.2), np.nan), "two": np.append(np.ones(9), np.nan)}
    interval = evidence.mean_over(undefined, "x")
    assert (interval.value, interval.n) == (pytest.approx(0.2), 10)
    assert evidence.mean_over({"few": np.ones(9)}, "x").n == 0


def test_a_ratio_takes_no_loss_as_half_a_loss():
    draw = np.random.default_rng(0)
    assert evidence.ratio(np.array([1.0] * 6 + [-1.0] * 3 + [0.0]), draw).value == 2
    assert evidence.ratio(np.ones(10), draw) == (20, 20, 20, 10)
    assert evidence.ratio(np.ones(9), draw).n == 0


def test_a_median_lies_within_its_interval():
    interval = evidence.of_median(np.arange(101.0), np.random.default_rng(0))
    assert (interval.value, interval.n) == (50, 101)
    assert 25 < interval.low < 50 < interval.high < 75
    assert evidence.of_median(np.arange(9.0), np.random.default_rng(0)).n == 0


def encoders(*gradient):
    """Encoder models of Yahoo: attention needs 5 items, gradient the listed number."""
    counts = zip(ENCODED, gradient, strict=True)
    return [rankings(YAHOO, model, gradient=count) for model, count in counts]


def recurrent(flat):
    """Encoder models of Yahoo by the items that attention needs: (flat - .3) - (.6 - .5)."""
    counts = zip(ENCODED, (6, flat, 5, 3), strict=True)
    return [rankings(YAHOO, model, attention=count) for model, count in counts]


def masses(attention, gradient, *pair):
    """Documents of one model by the mass erased; two never flip and have none."""
    counts = [3] * 12 + [0] * 2
    return [
        multi(counts, *pair, mass=attention),
        multi(counts, *pair, ranking="gradient", mass=gradient),
    ]


FASTER = rankings(attention=2)
UNDER_BOTH = {"attention": [8] * 12 + [0] * 12, "gradient": [2] * 12 + [9] * 12}
NO_ENCODER = rankings(YAHOO, "han-noenc", attention=1, gradient=9)
OFTEN = rankings(documents=40, gradient=[1] * 32 + [9] * 4 + [5] * 4)
SELDOM = rankings(*FLAN, documents=1000, gradient=[1] * 550 + [9] * 450)
FLAT = [
    rankings(*FLAN, documents=20, attention=[9] * 15 + [0] * 5),
    rankings(RUNWAY, "flan-rnn", attention=7),
]
SLOW = rankings(YAHOO, "han-conv", random=9, other=5)
FAST = rankings(YAHOO, "han-noenc", centred=9, other=2)
BRITTLE = rankings(BOXES, "flan-noenc", random=[1] * 9 + [7] * 3, gradient=9)
OTHERS = [rankings(name, "flan-noenc", random=7) for name in (YAHOO, CLOTHING)]
EVEN = rankings(YAHOO, "han-noenc")
EITHER = rankings(gradient=[1] * 6 + [9] * 6, product=[9] * 6 + [1] * 6)
POOR, GOOD = rankings(attention=9), rankings(RUNWAY, attention=6)
LOWER, ALIKE = masses(0.75, 0.5), masses(0.7, 0.6, *FLAN)
COUNTS, TO_MEAN = [5, 5, 10, 0] * 5, [5, 4, 0, 10] * 5
STILL = multi(COUNTS, ranking="gradient")
CASES = [
    # C15: attention needs fewer items than a random order in every model
    case("C15", "holds", 1, FASTER, n=12),
    case("C15", "fails", -1, FASTER, rankings(RUNWAY, attention=6)),
    case("C15", "holds", 1, rankings(RUNWAY, random=0)),
    case("C15", "not run", None, rankings(documents=9)),
    # C16: fractions of documents that flip under both rankings, in models with encoder
    case("C16", "holds", 0.6, rankings(documents=24, **UNDER_BOTH), NO_ENCODER),
    case("C16", "fails", -0.3, FASTER),
    case("C16", "not run", None, rankings(gradient=0)),
    # C17: encoder models in which gradient wins over half of the documents; equal is no win
    case("C17", "holds", 0.75, *encoders(1, 1, 1, 9), n=4, reason="3 of 4 models; *"),
    case("C17", "holds", 0.75, *encoders(1, 1, 1, 9), rankings(YAHOO, "han-noenc", gradient=9)),
    case("C17", "fails", 0.5, *encoders(1, 5, 1, 9)),
    case("C17", ANY, 0, *encoders(*[[1] * 6 + [9] * 6] * 4)),
    # C18: sixteen wins for ten losses in every encoder model
    case("C18", "holds", 8, OFTEN),
    case("C18", "fails", 1.2222, OFTEN, SELDOM),
    case("C18", "holds", 8, OFTEN, rankings(YAHOO, "flan-noenc", gradient=9)),
    case("C18", "not run", None, rankings(documents=9, gradient=1)),
    # C19: product against gradient
    case("C19", "holds", 1, rankings(product=4)),
    case("C19", "fails", -1, rankings(product=6)),
    # C20: the mean median of flat recurrent models
    case("C20", "holds", 0.8, *FLAT, rankings(attention=1)),
    case("C20", "fails", 0.3, rankings(*FLAN, attention=3)),
    case("C20", "not run", None, rankings(*FLAN, attention=[9] * 9 + [0] * 3)),
    # C21: a difference of differences, which needs all four models
    case("C21", "holds", 0.5, *recurrent(9)),
    case("C21", "fails", -0.1, *recurrent(3)),
    case("C21", "not run", None, *recurrent(9)[:3]),
    # C22: all four rankings of the paper, .6 - .2
    case("C22", "holds", 0.4, SLOW, FAST, n=96),
    case("C22", "fails", -0.4, SLOW.assign(model="han-noenc"), FAST.assign(model="han-conv")),
    # C23: Amazon against the other sets, (.9 + 2.1) / 12 - .7, and the shares of the caption
    case("C23", "holds", -0.45, BRITTLE, *OTHERS, reason="*Above one half: 25.0/0.0/100.0/0.0 %"),
    case("C23", "fails", 0.2, rankings(BOXES, "flan-noenc", random=9), *OTHERS),
    case("C23", "not run", None, *OTHERS),
    # C24: ties are accepted; only models without encoder count
    case("C24", "holds", 0, EVEN, rankings(gradient=1)),
    case("C24", "fails", -1, EVEN, rankings(YAHOO, "flan-noenc", gradient=1)),
    # C25: one of two other rankings is faster, also where attention never flips
    case("C25", "holds", 1, EITHER),
    case("C25", "holds", 1, rankings(attention=0, gradient=0, product=10)),
    case("C25", "fails", 0, EITHER, rankings(*FLAN)),
    case("C25", "fails", 0, rankings(attention=0, gradient=0, product=0)),
    # C26: Yahoo's hierarchical models against the others
    case("C26", "holds", 0.3, POOR, GOOD, rankings(*FLAN, attention=1)),
    case("C26", "fails", -0.3, POOR.assign(dataset=RUNWAY), GOOD.assign(dataset=YAHOO)),
    case("C26", "not run", None, GOOD),
    # C27: the mean over models of the median mass
    case("C27", "holds", 0.7, *masses(0.9, 0.1), *masses(0.5, 0.1, *FLAN), n=24),
    case("C27", "fails", 0.4, *masses(0.4, 0.9)),
    # C28: models whose mass is a quarter lower
    case("C28", "holds", 0.6667, *LOWER, *ALIKE, *masses(0.9, 0.1, RUNWAY), n=3),
    case("C28", "fails", 0.5, *LOWER, *ALIKE),
    case("C28", "fails", 0, *ALIKE),
    # C30 is never run
    case("C30", "not run", None, FASTER, reason="one seed per model*"),
    # X2: the centred product is no worse
    case("X2", "holds", 0, rankings(centred=5)),
    case("X2", "holds", 1, rankings(centred=4)),
    case("X2", "fails", -1, rankings(centred=6)),
    # X4: documents whose first flip by attention moves
    case("X4", "holds", 0.75, multi(COUNTS, count_to_mean=TO_MEAN), STILL),
    case("X4", "fails", 0, multi(COUNTS), STILL.assign(count_to_mean=1)),
]


@pytest.mark.parametrize(("claim", "expected", "tables"), CASES)
def test_erasing_in_order_decides(claim, expected, tables):
    check(verdict_on(claim, in_order(*tables)), expected)


FLAT_SCORES = [(YAHOO, "flan-rnn", 0.8), (YAHOO, "flan-noenc", 0.7)]
# Yahoo's hierarchical models do not count
SCORES = [
    case("C29", "holds", 0.1, *FLAT_SCORES),
    case("C29", "holds", 0.1, *FLAT_SCORES, (YAHOO, "han-rnn", 0.5), (YAHOO, "han-noenc", 0.9)),
    case("C29", "fails", -0.05, *FLAT_SCORES, (BOXES, "han-rnn", 0.6), (BOXES, "han-noenc", 0.65)),
    case("C29", "not run", None, FLAT_SCORES[0]),
]


@pytest.mark.parametrize(("claim", "expected", "scores"), SCORES)
def test_accuracies_decide(claim, expected, scores):
    erasures = [synthetic.single(12, *entry[:2]) for entry in scores]
    table = pd.DataFrame([score(*entry) for entry in scores])
    check(verdict_on(claim, synthetic.results(single=erasures, scores=table)), expected)


def headline(*tables):
    run = in_order(*tables)
    rows = [
        synthetic.single(10, *pair, top_flips=np.arange(10) < flips, mode=mode)
        for pair, flips in ((HAN, 2), (FLAN, 5))
        for mode in ("paper", "as_coded")
    ]
    rows.append(synthetic.single(10, ranking="gradient", top_flips=True))
    return page.headline(run, contingency(pd.concat(rows)))


def test_headline_numbers_are_means_over_models():
    flat = rankings(*FLAN, attention=[1] * 6 + [0] * 6, gradient=8)
    assert headline(FASTER, flat) == {
        "top_flips_attention": 35.0,
        "fraction_random": 0.5,
        "fraction_attention": 0.15,
        "fraction_gradient": 0.65,
    }


def test_headline_numbers_that_do_not_exist_are_null():
    json.loads(json.dumps(headline(rankings(gradient=0))), parse_constant=pytest.fail)
