"""Verdicts on single erasures (C1-C14, X1, X3), and on the whole list of claims."""

import json

import numpy as np
import pytest

from stages.papers.serrano_smith import page
from stages.papers.serrano_smith.tables import contingency
from stages.papers.serrano_smith.verdicts import STATEMENTS, decided
from stages.papers.shared.claims import stated
from tests.papers import serrano_results as synthetic
from tests.papers.deciding import check_records
from tests.papers.serrano_results import BOXES, CLOTHING, RUNWAY, YAHOO, verdict_on


def alone(name, *tables):
    record = verdict_on(name, synthetic.results(single=tables))
    return record["verdict"], record["ours"]


@pytest.fixture(scope="module")
def run():
    return synthetic.whole(documents=100)


@pytest.fixture(scope="module")
def records(run):
    return {"whole": decided(run), "empty": decided(synthetic.results())}


@pytest.mark.parametrize("which", ["empty", "whole"])
def test_every_claim_gets_one_record_with_an_allowed_verdict(records, which):
    names = [*(f"C{n}" for n in range(1, 31)), "X1", "X2", "X3", "X4"]
    assert names == list(stated(STATEMENTS))
    check_records(records[which], names)


def test_without_rows_no_claim_is_decided(records):
    for entry in records["empty"]:
        assert (entry["verdict"], entry["n"], entry["ours"]) == ("not run", 0, None)


def test_nine_documents_of_a_model_decide_nothing_but_scores():
    run = synthetic.whole(documents=9)
    assert {entry["id"] for entry in decided(run) if entry["verdict"] != "not run"} == {"C29"}


def test_a_run_of_all_models_leaves_out_only_the_claim_about_seeds(records):
    left = {entry["id"] for entry in records["whole"] if entry["verdict"] == "not run"}
    assert left == {"C30"}


def test_c1_holds_when_most_documents_move_more_and_shows_the_lowest_model():
    moved = [0.1] * 36 + [-0.1] * 4
    run = synthetic.results(
        single=[synthetic.single(12), synthetic.single(40, RUNWAY, delta_js=moved)]
    )
    record = verdict_on("C1", run)
    assert (record["verdict"], record["ours"], record["n"]) == ("holds", 0.9, 40)
    assert record["reason"].startswith("2 of 2 rows hold; shown: rent-the-runway HANrnn.")


def test_c1_fails_by_one_model_and_a_difference_of_zero_is_not_more():
    assert alone("C1", synthetic.single(12), synthetic.single(12, RUNWAY, delta_js=0.0)) == (
        "fails",
        0,
    )
    half = synthetic.single(40, delta_js=[0.1, -0.1] * 20)
    assert alone("C1", half) == ("undecided", 0.5)


def test_c1_uses_attention_and_the_random_item_of_the_text():
    others = [synthetic.single(12, delta_js=-0.1, mode=mode) for mode in ("as_coded", "expected")]
    others += [
        synthetic.single(12, delta_js=-0.1, ranking=name) for name in ("gradient", "product")
    ]
    assert alone("C1", synthetic.single(12), *others) == ("holds", 1)


@pytest.mark.parametrize(("moved", "expected"), [(-0.01, ("holds", 0)), (-0.06, ("fails", 1))])
def test_c2_uses_negative_differences_only(moved, expected):
    assert alone("C2", synthetic.single(40, delta_js=[moved] * 10 + [0.3] * 30)) == expected
    nine = synthetic.single(40, delta_js=[moved] * 9 + [0.3] * 31)
    assert alone("C2", nine) == ("not run", None)


@pytest.mark.parametrize(("tie", "expected"), [(0.1, ("holds", -0.3)), (0.9, ("fails", 0.3))])
def test_c3_takes_the_mean_of_all_documents_from_that_of_the_negatives(tie, expected):
    rows = synthetic.single(
        40, delta_js=[-0.1] * 10 + [0.1] * 30, delta_alpha=[tie] * 10 + [0.5] * 30
    )
    assert alone("C3", rows) == expected  # (.1 - .5) 3 / 4


def test_c4_sets_yahoos_hierarchical_models_against_the_others():
    fat = synthetic.single(12, YAHOO, delta_js=-0.1, delta_alpha=0.5)
    thin = synthetic.single(12, RUNWAY, delta_js=-0.1, delta_alpha=0.4)  # .4 is not above .4
    flat = synthetic.single(12, YAHOO, "flan-rnn", delta_js=-0.1, delta_alpha=0.1)
    assert alone("C4", fat, thin, flat) == ("holds", 1)
    swapped = [fat.assign(dataset=RUNWAY), thin.assign(dataset=YAHOO)]
    assert alone("C4", *swapped) == ("fails", -1)
    assert alone("C4", thin) == ("not run", None)


@pytest.mark.parametrize(
    ("alpha", "moved", "expected"),
    [
        (0.4, 0.009, ("holds", 1)),
        (0.35, 0.009, ("holds", 1)),
        (0.4, 0.01, ("fails", 0)),
        (0.46, 0.0, ("not run", None)),
    ],
)
def test_c5_counts_outputs_that_hardly_move_at_four_tenths(alpha, moved, expected):
    assert alone("C5", synthetic.single(12, delta_alpha=alpha, delta_js=moved)) == expected


def rise(high, low, *pair):
    """A model that moves by `high` at large and by `low` at medium differences in weight."""
    alpha, moved = [0.8, 1.0, 0.3, 0.49] * 6, [high, high, low, low] * 6
    return synthetic.single(24, *pair, delta_alpha=alpha, delta_js=moved)


def test_c6_holds_when_the_output_moves_much_more_at_large_differences():
    assert alone("C6", rise(0.3, 0.1)) == ("holds", 0.2)
    assert alone("C6", rise(0.13, 0.1)) == ("fails", 0.03)
    middle = synthetic.single(12, RUNWAY, delta_alpha=0.5, delta_js=9.0)  # .5 is in neither bin
    assert alone("C6", rise(0.3, 0.1), middle) == ("holds", 0.2)


def test_c6_compares_a_model_with_itself():
    flat = rise(0.2, 0.2)  # the only model with documents in both bins: it does not rise
    still = synthetic.single(12, YAHOO, "flan-rnn", delta_alpha=0.4, delta_js=0.0)
    assert alone("C6", flat, still)[0] != "holds"


@pytest.mark.parametrize(("none", "expected"), [(0.3, ("holds", 0.2)), (0.05, ("fails", -0.05))])
def test_c7_sets_models_without_encoder_against_recurrent_ones(none, expected):
    rows = [
        synthetic.single(12, YAHOO, model, delta_js=moved)
        for model, moved in (("han-noenc", none), ("han-rnn", 0.1), ("han-conv", 0.9))
    ]
    assert alone("C7", *rows) == expected


def test_c8_holds_when_hanrnn_seldom_flips_in_every_data_set():
    other = synthetic.single(12, RUNWAY, "flan-rnn", top_flips=True)
    some = synthetic.single(40, RUNWAY, top_flips=[True] * 4 + [False] * 36)
    assert alone("C8", synthetic.single(12), some, other) == ("holds", 0.1)
    often = synthetic.single(12, CLOTHING, top_flips=True)
    assert alone("C8", synthetic.single(12), some, often) == ("fails", 1)


def test_c9_holds_by_the_papers_item_and_reports_the_verdict_on_the_coded_one():
    rows = [
        synthetic.single(12, top_flips=True),
        synthetic.single(12, random_flips=1.0, mode="as_coded"),
    ]
    record = verdict_on("C9", synthetic.results(single=rows))
    assert (record["verdict"], record["ours"]) == ("holds", 1)
    assert record["reason"].endswith("With the random item as coded: fails")


def test_c9_fails_where_flips_are_never_one_sided():
    both = synthetic.single(12, RUNWAY, top_flips=True, random_flips=1.0)
    assert alone("C9", synthetic.single(12, top_flips=True), both) == ("fails", 0)


def one_sided(top, other, *pair, both=5):
    """Documents that flip by the top item only, by the random one only, and by both."""
    flips = np.repeat([[1, 0], [0, 1], [1, 1]], [top, other, both], axis=0)
    return synthetic.single(
        len(flips), *pair, top_flips=flips[:, 0] > 0, random_flips=flips[:, 1] * 1.0
    )


def test_c10_compares_the_only_random_share_of_one_sided_flips():
    flat, han = one_sided(12, 0, YAHOO, "flan-rnn"), one_sided(0, 12)
    assert alone("C10", flat, han) == ("holds", -1)
    same = one_sided(12, 0)
    assert alone("C10", flat, same) == ("fails", 0)
    assert alone("C10", one_sided(9, 0, YAHOO, "flan-rnn"), han) == ("not run", None)


def test_c10_counts_only_the_documents_it_used():
    few = one_sided(0, 5, RUNWAY, "flan-rnn")
    run = synthetic.results(single=[one_sided(12, 0, YAHOO, "flan-rnn"), few, one_sided(0, 12)])
    record = verdict_on("C10", run)
    assert (record["ours"], record["n"]) == (-1, 24)


@pytest.mark.parametrize(("moved", "expected"), [(0.1, ("holds", 0)), (-0.1, ("fails", -1))])
def test_c11_sets_one_sided_flips_beside_negative_differences(moved, expected):
    rows = one_sided(12, 0, both=0).assign(delta_js=moved)
    few = one_sided(3, 0, RUNWAY, both=20).assign(delta_js=-0.1)  # too few one-sided: left out
    assert alone("C11", rows, few) == expected


def without_encoder(conv=False, rnn=False, none=True, architecture="han", dataset=YAHOO):
    flips = {"conv": conv, "rnn": rnn, "noenc": none}
    return [
        synthetic.single(12, dataset, f"{architecture}-{kind}", random_flips=float(flips[kind]))
        for kind in flips
    ]


def test_c12_needs_more_flips_without_encoder_than_with_either():
    assert alone("C12", *without_encoder()) == ("holds", 1)
    assert alone("C12", *without_encoder(conv=True)) == ("fails", 0)
    assert alone("C12", *without_encoder(rnn=True)) == ("fails", 0)
    assert alone("C12", *without_encoder()[1:]) == ("not run", None)


def test_c12_leaves_out_flat_models_of_yahoo_only():
    exception = without_encoder(none=False, architecture="flan")
    assert alone("C12", *without_encoder(), *exception) == ("holds", 1)
    counted = without_encoder(none=False, architecture="flan", dataset=RUNWAY)
    assert alone("C12", *without_encoder(), *counted) == ("fails", 0)


def tops(attention, other, *pair, ranking="product", count=20):
    """Of 20 documents so many flip by the top item of attention, and of another ranking."""
    first = np.arange(count)
    return [
        synthetic.single(count, *pair, top_flips=first < attention),
        synthetic.single(count, *pair, ranking=ranking, top_flips=first < other),
    ]


def test_c13_compares_product_and_attention_document_by_document():
    assert alone("C13", *tops(5, 15)) == ("holds", 0.5)
    assert alone("C13", *tops(5, 15), *tops(5, 5, RUNWAY)) == ("fails", 0)
    assert alone("C13", *tops(5, 15, count=9)) == ("not run", None)


def gradients(*less):
    """For each data set whether the gradient's top item flips less often than attention's."""
    outcomes = zip((YAHOO, RUNWAY, BOXES, CLOTHING), less, strict=False)
    pairs = [
        tops(*((15, 5) if fewer else (5, 15)), name, ranking="gradient") for name, fewer in outcomes
    ]
    return [table for pair in pairs for table in pair]


def test_c14_counts_models_in_which_gradient_flips_less_often():
    record = verdict_on("C14", synthetic.results(single=gradients(True, False, True)))
    assert (record["verdict"], record["ours"], record["n"]) == ("holds", 2, 3)
    assert record["reason"].startswith("2 of 3 models, 2 of them with their whole interval")
    assert alone("C14", *gradients(True, False, False)) == ("fails", 1)


def test_c14_is_undecided_when_the_models_are():
    close = [t for name in (RUNWAY, BOXES) for t in tops(10, 9, name, ranking="gradient")]
    assert alone("C14", *gradients(True), *close) == ("undecided", 3)


def test_c14_does_not_hold_by_half_of_the_models():
    assert alone("C14", *gradients(True, False))[0] != "holds"


def random_items(mode, product, attention=0.5):
    return [
        synthetic.single(12, ranking=ranking, mode=mode, random_flips=flips)
        for ranking, flips in (("product", product), ("attention", attention))
    ]


def test_x1_holds_when_the_coded_item_flips_alike_in_both_tables():
    rows = [*random_items("as_coded", 0.505), *random_items("expected", 0.25)]
    record = verdict_on("X1", synthetic.results(single=rows))
    assert (record["verdict"], record["ours"]) == ("holds", 0.005)
    assert "the difference would be -0.2500 (-0.2500 to -0.2500)" in record["reason"]
    assert alone("X1", *random_items("as_coded", 0.75)) == ("fails", 0.25)
    assert alone("X1", *random_items("paper", 0.5)) == ("not run", None)


def test_x3_compares_any_item_with_the_top_one_of_documents_with_several():
    def decide(some, top):
        documents = synthetic.instances(
            [5] * 12 + [1] * 8, any_single_flips=[some] * 12 + [True] * 8
        )
        return verdict_on(
            "X3", synthetic.results(instances=documents, single=synthetic.single(12, top_flips=top))
        )

    best = decide(True, False)
    assert (best["verdict"], best["ours"], best["n"]) == ("holds", 1, 12)
    assert (decide(True, True)["verdict"], decide(False, False)["verdict"]) == ("fails", "fails")


def test_claims_and_headline_numbers_are_written(tmp_path, run, records):
    page.write_verdicts(run, contingency(run.single), tmp_path)
    claims = json.loads((tmp_path / "claims.json").read_text(), parse_constant=pytest.fail)
    metrics = json.loads((tmp_path / "metrics.json").read_text(), parse_constant=pytest.fail)
    assert claims == records["whole"]
    assert list(metrics) == [
        *("top_flips_attention", "fraction_random", "fraction_attention", "fraction_gradient"),
        *("claims_hold", "claims_fail", "claims_undecided"),
    ]
