"""Verdicts on erasing along a ranking (C15-C30, X2, X4), and the evidence they rest on."""

import json

import numpy as np
import pandas as pd
import pytest

from stages.papers.serrano_smith import evidence, page
from stages.papers.serrano_smith.tables import contingency
from tests.papers import serrano_results as synthetic
from tests.papers.serrano_results import BOXES, CLOTHING, RUNWAY, YAHOO, in_order, verdict_on

HAN, FLAN = (YAHOO, "han-rnn"), (YAHOO, "flan-rnn")
ENCODED = ("han-rnn", "flan-rnn", "han-conv", "flan-conv")


def erased(name, *tables):
    """Verdict and number of a claim on erasing in order."""
    record = verdict_on(name, in_order(*tables))
    return record["verdict"], record["ours"]


def test_never_loses_against_any_number_and_two_of_them_take_no_part():
    rows = synthetic.rankings(documents=5, attention=[1, 0, 3, 2, 0], gradient=[2, 4, 0, 2, 0])
    run = in_order(rows)
    assert evidence.wins(run, HAN, "attention", "gradient").tolist() == [1, -1, 1, 0]
    assert evidence.wins(run, HAN, "gradient", "attention").tolist() == [-1, 1, -1, 0]


def test_wins_compare_items_of_the_same_document_with_the_first_random_order():
    orders = [synthetic.multi([3, 3], ranking="random", order=n) for n in (0, 1)]
    orders[1]["count"] = 1
    attention = synthetic.multi([4, 2]).iloc[::-1]
    run = in_order(attention, *orders)
    assert evidence.wins(run, HAN, "attention", "random").tolist() == [-1, 1]


def test_fractions_are_of_documents_that_flip():
    run = in_order(synthetic.multi([2, 0, 10]), synthetic.multi([1, 1, 1], *FLAN))
    assert evidence.fraction(run, HAN, "attention").tolist() == [0.2, 1.0]


def test_models_weigh_alike_and_those_of_nine_documents_not_at_all():
    parts = {"one": np.full(10, 0.2), "two": np.full(30, 0.8), "few": np.full(9, 9.0)}
    assert evidence.mean_over(parts, "x") == (pytest.approx(0.5), *[pytest.approx(0.5)] * 2, 40)
    undefined = {"one": np.append(np.full(10, 0.2), np.nan), "two": np.append(np.ones(9), np.nan)}
    assert (evidence.mean_over(undefined, "x").value, evidence.mean_over(undefined, "x").n) == (
        pytest.approx(0.2),
        10,
    )
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


def test_c15_holds_when_attention_needs_fewer_items_in_every_model():
    faster, slower = synthetic.rankings(attention=2), synthetic.rankings(RUNWAY, attention=6)
    record = verdict_on("C15", in_order(faster))
    assert (record["verdict"], record["ours"], record["n"]) == ("holds", 1, 12)
    assert erased("C15", faster, slower) == ("fails", -1)
    assert erased("C15", synthetic.rankings(RUNWAY, random=0)) == ("holds", 1)
    assert erased("C15", synthetic.rankings(documents=9)) == ("not run", None)


def test_c16_compares_fractions_of_documents_that_flip_under_both():
    mixed = [8] * 12 + [0] * 12, [2] * 12 + [9] * 12
    rows = synthetic.rankings(documents=24, attention=mixed[0], gradient=mixed[1])
    without = synthetic.rankings(YAHOO, "han-noenc", attention=1, gradient=9)
    assert erased("C16", rows, without) == ("holds", 0.6)
    assert erased("C16", synthetic.rankings(attention=2)) == ("fails", -0.3)
    assert erased("C16", synthetic.rankings(gradient=0)) == ("not run", None)


def encoders(*gradient):
    """Encoder models of Yahoo: attention needs 5 items, gradient the listed number."""
    return [
        synthetic.rankings(YAHOO, model, gradient=count)
        for model, count in zip(ENCODED, gradient, strict=True)
    ]


def test_c17_counts_encoder_models_in_which_gradient_mostly_wins():
    record = verdict_on("C17", in_order(*encoders(1, 1, 1, 9)))
    assert (record["verdict"], record["ours"], record["n"]) == ("holds", 0.75, 4)
    assert record["reason"].startswith("3 of 4 models; ")
    none = synthetic.rankings(YAHOO, "han-noenc", gradient=9)
    assert erased("C17", *encoders(1, 1, 1, 9), none) == ("holds", 0.75)
    assert erased("C17", *encoders(1, 5, 1, 9)) == ("fails", 0.5)  # equal is no win


def test_c17_needs_over_half_of_the_documents():
    assert erased("C17", *encoders(*[[1] * 6 + [9] * 6] * 4))[1] == 0


def test_c18_needs_sixteen_wins_for_ten_losses_in_every_encoder_model():
    often = synthetic.rankings(documents=40, gradient=[1] * 32 + [9] * 4 + [5] * 4)
    assert erased("C18", often) == ("holds", 8)
    seldom = synthetic.rankings(*FLAN, documents=1000, gradient=[1] * 550 + [9] * 450)
    assert erased("C18", often, seldom) == ("fails", 1.2222)
    assert erased("C18", often, synthetic.rankings(YAHOO, "flan-noenc", gradient=9)) == ("holds", 8)
    assert erased("C18", synthetic.rankings(documents=9, gradient=1)) == ("not run", None)


@pytest.mark.parametrize(("product", "expected"), [(4, ("holds", 1)), (6, ("fails", -1))])
def test_c19_sets_product_against_gradient(product, expected):
    assert erased("C19", synthetic.rankings(product=product)) == expected


def test_c20_is_the_mean_median_of_flat_recurrent_models():
    rows = synthetic.rankings(*FLAN, documents=20, attention=[9] * 15 + [0] * 5)
    other = synthetic.rankings(RUNWAY, "flan-rnn", attention=7)
    assert erased("C20", rows, other, synthetic.rankings(attention=1)) == ("holds", 0.8)
    assert erased("C20", synthetic.rankings(*FLAN, attention=3)) == ("fails", 0.3)
    assert erased("C20", synthetic.rankings(*FLAN, attention=[9] * 9 + [0] * 3)) == (
        "not run",
        None,
    )


@pytest.mark.parametrize(("flat", "expected"), [(9, ("holds", 0.5)), (3, ("fails", -0.1))])
def test_c21_is_a_difference_of_differences(flat, expected):
    attention = dict(zip(ENCODED, (6, flat, 5, 3), strict=True))
    rows = [synthetic.rankings(YAHOO, model, attention=count) for model, count in attention.items()]
    assert erased("C21", *rows) == expected  # (flat - .3) - (.6 - .5)
    assert erased("C21", *rows[:3]) == ("not run", None)


def test_c22_takes_all_four_rankings_of_the_paper():
    slow = synthetic.rankings(YAHOO, "han-conv", random=9, other=5)
    fast = synthetic.rankings(YAHOO, "han-noenc", centred=9, other=2)
    record = verdict_on("C22", in_order(slow, fast))
    assert (record["verdict"], record["ours"], record["n"]) == ("holds", 0.4, 96)  # .6 - .2
    swapped = [slow.assign(model="han-noenc"), fast.assign(model="han-conv")]
    assert erased("C22", *swapped) == ("fails", -0.4)


def test_c23_sets_amazon_against_the_other_sets_and_reports_the_shares_of_the_caption():
    brittle = synthetic.rankings(BOXES, "flan-noenc", random=[1] * 9 + [7] * 3, gradient=9)
    others = [synthetic.rankings(name, "flan-noenc", random=7) for name in (YAHOO, CLOTHING)]
    record = verdict_on("C23", in_order(brittle, *others))
    assert (record["verdict"], record["ours"]) == ("holds", -0.45)  # (.9 + 2.1) / 12 - .7
    assert record["reason"].endswith("Above one half: 25.0/0.0/100.0/0.0 %")
    tough = synthetic.rankings(BOXES, "flan-noenc", random=9)
    assert erased("C23", tough, *others) == ("fails", 0.2)
    assert erased("C23", *others) == ("not run", None)


def test_c24_accepts_ties_in_models_without_encoder():
    even = synthetic.rankings(YAHOO, "han-noenc")
    assert erased("C24", even, synthetic.rankings(gradient=1)) == ("holds", 0)
    assert erased("C24", even, synthetic.rankings(YAHOO, "flan-noenc", gradient=1)) == ("fails", -1)


def test_c25_needs_one_of_two_other_rankings_to_be_faster():
    either = synthetic.rankings(gradient=[1] * 6 + [9] * 6, product=[9] * 6 + [1] * 6)
    assert erased("C25", either) == ("holds", 1)
    flips_where_attention_never_does = synthetic.rankings(attention=0, gradient=0, product=10)
    assert erased("C25", flips_where_attention_never_does) == ("holds", 1)
    assert erased("C25", either, synthetic.rankings(*FLAN)) == ("fails", 0)
    nothing_flips = synthetic.rankings(attention=0, gradient=0, product=0)
    assert erased("C25", nothing_flips) == ("fails", 0)


def test_c26_sets_yahoos_hierarchical_models_against_the_others():
    poor, good = synthetic.rankings(attention=9), synthetic.rankings(RUNWAY, attention=6)
    flat = synthetic.rankings(*FLAN, attention=1)
    assert erased("C26", poor, good, flat) == ("holds", 0.3)
    assert erased("C26", poor.assign(dataset=RUNWAY), good.assign(dataset=YAHOO)) == ("fails", -0.3)
    assert erased("C26", good) == ("not run", None)


def masses(attention, gradient, *pair):
    """Documents of one model by the mass erased; two never flip and have none."""
    counts = [3] * 12 + [0] * 2
    return [
        synthetic.multi(counts, *pair, mass=attention),
        synthetic.multi(counts, *pair, ranking="gradient", mass=gradient),
    ]


def test_c27_is_the_mean_over_models_of_the_median_mass():
    record = verdict_on("C27", in_order(*masses(0.9, 0.1), *masses(0.5, 0.1, *FLAN)))
    assert (record["verdict"], record["ours"], record["n"]) == ("holds", 0.7, 24)
    assert erased("C27", *masses(0.4, 0.9)) == ("fails", 0.4)


def test_c28_counts_models_whose_mass_is_a_quarter_lower():
    lower, alike = masses(0.75, 0.5), masses(0.7, 0.6, *FLAN)
    more = masses(0.9, 0.1, RUNWAY)
    record = verdict_on("C28", in_order(*lower, *alike, *more))
    assert (record["verdict"], record["ours"], record["n"]) == ("holds", 0.6667, 3)
    assert erased("C28", *lower, *alike) == ("fails", 0.5)
    assert erased("C28", *alike) == ("fails", 0)


def test_c29_compares_accuracies_but_of_yahoos_hierarchical_models():
    def c29(*scores):
        erasures = (synthetic.single(12, *score[:2]) for score in scores)
        table = synthetic.scores(*(synthetic.score(*score) for score in scores))
        record = verdict_on("C29", synthetic.results(single=erasures, scores=table))
        return record["verdict"], record["ours"]

    flat = (YAHOO, "flan-rnn", 0.8), (YAHOO, "flan-noenc", 0.7)
    assert c29(*flat) == ("holds", 0.1)
    assert c29(*flat, (YAHOO, "han-rnn", 0.5), (YAHOO, "han-noenc", 0.9)) == ("holds", 0.1)
    assert c29(*flat, (BOXES, "han-rnn", 0.6), (BOXES, "han-noenc", 0.65)) == ("fails", -0.05)
    assert c29(flat[0]) == ("not run", None)


def test_c30_is_never_run():
    assert verdict_on("C30", synthetic.results())["reason"].startswith("one seed per model")


@pytest.mark.parametrize(
    ("centred", "expected"), [(5, ("holds", 0)), (4, ("holds", 1)), (6, ("fails", -1))]
)
def test_x2_needs_the_centred_product_to_be_no_worse(centred, expected):
    assert erased("X2", synthetic.rankings(centred=centred)) == expected


def test_x4_counts_documents_whose_first_flip_by_attention_moves():
    counts, other = [5, 5, 10, 0] * 5, [5, 4, 0, 10] * 5
    moved = synthetic.multi(counts, count_to_mean=other)
    still = synthetic.multi(counts, ranking="gradient")
    assert erased("X4", moved, still) == ("holds", 0.75)
    assert erased("X4", synthetic.multi(counts), still.assign(count_to_mean=1)) == ("fails", 0)


def headline(*multi):
    run = in_order(*multi)
    rows = [
        synthetic.single(10, *pair, top_flips=np.arange(10) < flips, mode=mode)
        for pair, flips in ((HAN, 2), (FLAN, 5))
        for mode in ("paper", "as_coded")
    ]
    rows.append(synthetic.single(10, ranking="gradient", top_flips=True))
    return page.headline(run, contingency(pd.concat(rows)))


def test_headline_numbers_are_means_over_models():
    flat = synthetic.rankings(*FLAN, attention=[1] * 6 + [0] * 6, gradient=8)
    assert headline(synthetic.rankings(attention=2), flat) == {
        "top_flips_attention": 35.0,
        "fraction_random": 0.5,
        "fraction_attention": 0.15,
        "fraction_gradient": 0.65,
    }


def test_headline_numbers_that_do_not_exist_are_null():
    json.loads(json.dumps(headline(synthetic.rankings(gradient=0))), parse_constant=pytest.fail)
