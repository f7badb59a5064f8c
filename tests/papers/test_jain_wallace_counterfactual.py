"""Verdicts on shuffled and adversarial attention, on scores and on training again."""

import math

import numpy as np
import pandas as pd
import pytest

from stages.papers.jain_wallace import evidence
from stages.statistics.bootstrap import Interval
from tests.papers import jain_wallace_results as synthetic
from tests.papers.jain_wallace_results import verdict_on

SET = "rotten-tomatoes"


def peaked(median, largest=0.6, count=12, **model):
    """Documents with the same largest weight and the same change when shuffled."""
    return synthetic.shuffled([median] * count, synthetic.about(**model), max_attention=largest)


def distant(last, largest=0.8, count=12, epsilon=0.05, **model):
    run = synthetic.about(**model)
    return synthetic.adversaries([last] * count, run, epsilon, max_attention=largest)


def test_jw9_holds_when_peaked_documents_hardly_move():
    rows = [peaked(0.05, 0.5), peaked(0.9, 0.49, 50)]  # at least .5 counts; below does not
    entry = verdict_on("JW9", synthetic.results(shuffled=rows))
    assert (entry["verdict"], entry["ours"], entry["n"]) == ("holds", 1.0, 12)
    assert entry["reason"].endswith("of at least .75: nan (nan to nan, n 0)")


def test_jw9_fails_when_they_move_by_a_tenth_and_adds_the_stricter_threshold():
    entry = verdict_on("JW9", synthetic.results(shuffled=[peaked(0.1), peaked(0.05, 0.75, 10)]))
    assert (entry["ours"], entry["n"]) == (round(10 / 22, 4), 22)
    assert entry["reason"].endswith("of at least .75: 1.00 (1.00 to 1.00, n 10)")
    assert verdict_on("JW9", synthetic.results(shuffled=peaked(0.1)))["verdict"] == "fails"


def test_jw9_needs_ten_peaked_documents():
    few = synthetic.results(shuffled=[peaked(0.05, count=9), peaked(0.05, 0.1, 40)])
    assert verdict_on("JW9", few)["verdict"] == "not run"


@pytest.mark.parametrize(
    ("wide", "narrow", "verdict"), [(0.6, 0.2, "holds"), (0.5, 0.6, "fails"), (0.2, 0.6, "fails")]
)
def test_jw11_is_decided_within_the_epsilon_of_the_figures(wide, narrow, verdict):
    run = synthetic.results(adversaries=[distant(wide), distant(narrow, epsilon=0.01)])
    entry = verdict_on("JW11", run)
    assert (entry["verdict"], entry["ours"]) == (verdict, float(wide > 0.5))
    assert f"epsilon 0.01: share {float(narrow > 0.5):.2f}" in entry["reason"]
    assert f"mean of the medians {wide:.2f}" in entry["reason"]


def test_the_reason_of_jw11_has_the_share_by_the_best_iterate():
    rows = distant(0.2).assign(best=0.6)
    entry = verdict_on("JW11", synthetic.results(adversaries=[rows, rows.assign(epsilon=0.01)]))
    assert entry["verdict"] == "fails"
    assert entry["reason"].count("share by the best iterate 1.00") == 2


def test_jw12_requires_a_weak_negative_correlation():
    largest = np.linspace(0.2, 0.9, 200)
    noise = np.random.default_rng(5).normal(size=200)
    verdicts = [
        verdict_on(
            "JW12",
            synthetic.results(adversaries=synthetic.adversaries(last, max_attention=largest)),
        )["verdict"]
        for last in (-1.5 * largest + noise, -largest, largest)
    ]
    assert verdicts == ["holds", "fails", "fails"]
    assert verdict_on("JW12", synthetic.results(adversaries=distant(0.5, count=9)))["verdict"] == (
        "not run"
    )


def test_jw13_holds_when_every_set_has_distant_adversaries():
    rows = [distant(0.45), distant(0.5, 0.75, dataset="imdb"), distant(0.1, 0.7, 40)]
    entry = verdict_on("JW13", synthetic.results(adversaries=rows))
    assert (entry["verdict"], entry["ours"]) == ("holds", 1.0)
    assert entry["reason"].startswith("2 of 2 rows hold")


def test_jw13_fails_by_one_set_and_leaves_out_sets_of_nine():
    rows = [distant(0.6), distant(0.4, dataset="imdb"), distant(0.1, count=9, dataset="snli")]
    entry = verdict_on("JW13", synthetic.results(adversaries=rows))
    assert (entry["verdict"], entry["ours"]) == ("fails", 0.0)
    assert entry["reason"].startswith("1 of 2 rows hold; shown: imdb.")


@pytest.mark.parametrize(("average", "verdict"), [(0.5, "holds"), (0.1, "fails")])
def test_jw14_compares_how_far_average_moves(average, verdict):
    run = synthetic.results(shuffled=[peaked(0.2), peaked(average, encoder="average")])
    entry = verdict_on("JW14", run)
    assert (entry["verdict"], entry["ours"]) == (verdict, round(average - 0.2, 4))
    assert verdict_on("JW14", synthetic.results(shuffled=peaked(0.2)))["verdict"] == "not run"


def test_jw15_needs_one_document_with_another_top_word_far_away_within_a_hundredth():
    one = np.arange(20) == 3
    near = synthetic.adversaries(np.where(one, 0.6, 0.1), epsilon=0.01, other_top_token=one)
    entry = verdict_on("JW15", synthetic.results(adversaries=near))
    assert (entry["verdict"], entry["ours"], entry["n"]) == ("holds", 0.05, 20)
    assert entry["reason"].startswith("1 documents of 20")


@pytest.mark.parametrize(
    "change",
    [{"last": 0.5}, {"other_top_token": False}, {"attention": "dot", "model": "bilstm-dot"}],
)
def test_jw15_fails_when_no_document_has_all_of_it(change):
    far = synthetic.adversaries([0.6] * 20, epsilon=0.01, other_top_token=True)
    short = synthetic.adversaries([0.1] * 3, epsilon=0.01)
    entry = verdict_on("JW15", synthetic.results(adversaries=[far.assign(**change), short]))
    assert (entry["verdict"], entry["ours"]) == ("fails", 0.0)


def test_jw15_was_not_run_if_only_the_wider_epsilon_was():
    far = synthetic.adversaries([0.6] * 20, epsilon=0.05, other_top_token=True)
    assert verdict_on("JW15", synthetic.results(adversaries=far))["verdict"] == "not run"


def scores(dataset, **models):
    rows = [synthetic.score(dataset, name, value) for name, value in models.items()]
    table = pd.DataFrame(rows)
    table["model"] = table["model"].str.replace("_", "-")
    return synthetic.results(taus=synthetic.taus([0.1], synthetic.about(dataset)), models=table)


def test_jw17_requires_every_classifier_within_a_twentieth():
    alike = scores(SET, bilstm_additive=0.8, cnn_additive=0.82, average_additive=0.78)
    entry = verdict_on("JW17", alike)
    assert (entry["verdict"], abs(entry["ours"])) == ("holds", 0.02)
    apart = scores(SET, bilstm_additive=0.8, cnn_additive=0.82, average_additive=0.7)
    entry = verdict_on("JW17", apart)
    assert (entry["verdict"], entry["ours"]) == ("fails", -0.1)
    assert "shown: rotten-tomatoes average" in entry["reason"]
    assert verdict_on("JW17", scores("babi-1", bilstm_additive=0.8))["verdict"] == "not run"


def test_jw18_is_about_questions_only():
    worse = {"bilstm_additive": 0.9, "cnn_additive": 0.8, "average_additive": 0.6}
    entry = verdict_on("JW18", scores("babi-1", **worse))
    assert (entry["verdict"], entry["ours"], entry["n"]) == ("holds", -0.2, 1_000_000)
    alike = {"bilstm_additive": 0.9, "cnn_additive": 0.89, "average_additive": 0.88}
    assert verdict_on("JW18", scores("babi-1", **alike))["verdict"] == "fails"
    assert verdict_on("JW18", scores(SET, **worse))["verdict"] == "not run"


@pytest.mark.parametrize(("uniform", "verdict"), [(0.7, "holds"), (0.85, "fails")])
def test_wp1_compares_learned_with_uniform_attention(uniform, verdict):
    run = scores(SET, bilstm_additive=0.8, bilstm_uniform=uniform)
    entry = verdict_on("WP1", run)
    assert (entry["verdict"], entry["ours"]) == (verdict, round(0.8 - uniform, 4))


def test_scores_are_drawn_from_the_counts_of_right_and_wrong_answers():
    models = pd.DataFrame([synthetic.score(SET, "bilstm-additive", 0.8, n=400)])
    for metric in ("accuracy", "f1"):
        drawn = evidence.score_draws(models, SET, "bilstm-additive", metric)
        assert drawn.mean() == pytest.approx(0.8, abs=0.01)
        # sqrt(.8 * .2 / 400) = .02; the F1 of balanced answers spreads about as much
        assert drawn.std() == pytest.approx(0.02, abs=0.005)
    assert np.isnan(evidence.score_draws(models, SET, "cnn-dot", "f1")).all()


def replicas(*weights, count=12):
    """The same documents under seeds 1, 2, ..."""
    return [
        synthetic.tokens([weight] * count, synthetic.about(seed=seed))
        for seed, weight in enumerate(weights, 1)
    ]


def test_the_divergence_between_seeds_is_the_median_over_the_others():
    rows = replicas((1.0, 0.0), (1.0, 0.0), (0.0, 1.0), count=2)
    other = synthetic.tokens([(0.0, 1.0)] * 2, synthetic.about(encoder="cnn", seed=2))
    table = evidence.replica_divergence(synthetic.results(weights=[*rows, other]))
    assert table["instance"].to_list() == [0, 1]
    np.testing.assert_allclose(table["jsd"], math.log(2) / 2)  # of 0 and ln 2
    half = evidence.replica_divergence(synthetic.results(weights=replicas((0.5, 0.5), (1.0, 0.0))))
    # the entropy of the middle (3/4, 1/4) less the mean of the two entropies, ln 2 and 0
    middle = -0.75 * math.log(0.75) - 0.25 * math.log(0.25)
    np.testing.assert_allclose(half["jsd"], middle - math.log(2) / 2)


def test_wp2_holds_when_seeds_agree_and_fails_when_they_are_farther_than_adversaries():
    same = synthetic.results(weights=replicas((0.9, 0.1), (0.9, 0.1)), adversaries=distant(0.6))
    entry = verdict_on("WP2", same)
    assert (entry["verdict"], entry["ours"], entry["n"]) == ("holds", 0.6, 12)
    opposite = synthetic.results(weights=replicas((1.0, 0.0), (0.0, 1.0)), adversaries=distant(0.6))
    entry = verdict_on("WP2", opposite)
    assert (entry["verdict"], entry["ours"]) == ("fails", round(0.6 - math.log(2), 4))
    assert entry["reason"].endswith("Median divergence between seeds: rotten-tomatoes 0.693")


def test_wp2_needs_a_second_seed_and_ten_shared_documents():
    alone = synthetic.results(weights=replicas((1.0, 0.0)), adversaries=distant(0.6))
    assert verdict_on("WP2", alone)["verdict"] == "not run"
    few = synthetic.results(weights=replicas((1, 0), (1, 0), count=9), adversaries=distant(0.6))
    assert verdict_on("WP2", few)["verdict"] == "not run"


def test_a_mean_of_independent_estimates_has_a_narrower_interval():
    parts = [Interval(0.1, 0.0, 0.2, 5), Interval(0.3, 0.2, 0.4, 7)]
    interval = evidence.mean_of_intervals(parts)
    assert (interval.value, interval.n) == (pytest.approx(0.2), 12)
    assert interval.high - interval.low == pytest.approx(0.2 / math.sqrt(2))


def test_jw12_leaves_out_a_data_set_where_all_divergences_are_equal():
    largest = np.linspace(0.2, 0.9, 20)
    rows = [
        synthetic.adversaries(largest, max_attention=largest),
        synthetic.adversaries([0.5] * 20, synthetic.about("imdb"), max_attention=largest),
    ]
    assert verdict_on("JW12", synthetic.results(adversaries=rows))["verdict"] == "fails"
