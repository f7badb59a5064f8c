"""The `analyses:` section: every mistake becomes one line."""

import pytest

from stages.settings.errors import UserError
from tests.fixtures.project import params_error, settings_of

ABOVE_ZERO = "input should be greater than 0"
AT_LEAST_ONE = "input should be greater than or equal to 1"
RETRAIN = "analyses/retrain/studies/pooled/synthetic"
PLACE = "analyses.retrain.studies.pooled.synthetic"
MODELS = "bilstm-additive, bilstm-dot, average-additive, "
STRENGTHS = "strengths: needed with loss swept, and only there"
CORRELATION = "studies, integrated_points, shares, top_k, top_share"


@pytest.mark.parametrize(
    ("key", "value", "line"),
    [
        ("correlations", {}, ": unknown key 'correlations'; allowed: correlation, permutation, "),
        (
            "erasure/studies/other",
            "all",
            ".erasure.studies: 'other' is unknown; allowed: pooled, scaled",
        ),
        (
            "erasure/studies/pooled",
            ["synthetic", "imbd"],
            ".erasure.studies.pooled: 'imbd' is unknown; allowed: synthetic, babi, tickets, imdb",
        ),
        (
            "erasure/studies/pooled",
            ["babi", "babi"],
            ".erasure.studies.pooled: 'babi' is named twice",
        ),
        ("erasure/studies/pooled", "synthetic", ".erasure.studies.pooled: input should be 'all'"),
        ("erasure/studies", None, ".erasure.studies: input should be a valid dictionary"),
        ("correlation/topk", 5, f".correlation: unknown key 'topk'; allowed: {CORRELATION}"),
        ("correlation/shares", [0.1, 1.0], ".correlation.shares.1: input should be less than 1"),
        ("permutation/count", 0, f".permutation.count: {AT_LEAST_ONE}"),
        ("adversarial/epsilons", [0.01, 0.0], f".adversarial.epsilons.1: {ABOVE_ZERO}, got '0.0'"),
    ],
)
def test_a_mistake_becomes_one_line(key, value, line):
    assert params_error({f"analyses/{key}": value}).startswith(f"analyses{line}")


@pytest.mark.parametrize(
    ("key", "value", "line"),
    [
        (
            f"{RETRAIN}/procedures",
            ["warmer"],
            f"{PLACE}.procedures: 'warmer' is unknown; allowed: published, warm, sweep",
        ),
        (f"{RETRAIN}/models", ["gru"], f"{PLACE}.models: 'gru' is unknown; allowed: {MODELS}"),
        (f"{RETRAIN}/guided", "gru", f"{PLACE}.guided: 'gru' is unknown; allowed: {MODELS}"),
        (
            "analyses/retrain/studies/pooled/imbd",
            {"procedures": ["warm"]},
            "analyses.retrain.studies.pooled: 'imbd' is unknown; allowed: synthetic, babi, tickets",
        ),
        (
            "analyses/retrain/procedures/warm/start",
            "cold",
            "analyses.retrain.procedures.warm.start: input should be 'fresh' or 'base', got 'cold'",
        ),
        (
            "analyses/retrain/procedures/warm/strengths",
            [0.1],
            f"analyses.retrain.procedures.warm: {STRENGTHS}",
        ),
        (
            "analyses/retrain/procedures/sweep/strengths",
            [],
            f"analyses.retrain.procedures.sweep: {STRENGTHS}",
        ),
        (
            "scales/small/retrain/overrides/0/set",
            {"epoch": 3},
            "scales.small.retrain: overrides.0.set: unknown key 'epoch'; allowed: documents, epoch",
        ),
        (
            "scales/small/retrain/overrides/1/for",
            {"procedure": "longer"},
            "scales.small.retrain.overrides.1.for.procedure: 'longer' matches nothing; allowed: pu",
        ),
        (
            "scales/small/adversarial/documents",
            3,
            "scales.small.adversarial: unknown key 'documents'; allowed: overrides, instances, t",
        ),
    ],
)
def test_a_mistake_in_retraining_or_a_budget_becomes_one_line(key, value, line):
    assert params_error({key: value}).startswith(line)


def test_an_analysis_runs_on_the_listed_data_sets_that_the_study_has():
    settings = settings_of({"analyses/erasure/studies/pooled": ["babi", "imdb", "synthetic"]})
    assert settings.analysed("erasure", "pooled") == ("babi", "synthetic")
    settings = settings_of({"analyses/erasure/studies/scaled": ["babi"]})
    with pytest.raises(UserError, match=r"erasure\.studies\.scaled names no data set of the study"):
        settings.analysed("erasure", "scaled")
