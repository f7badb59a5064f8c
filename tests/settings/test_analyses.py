"""Settings of the tests that models are put through: every mistake becomes one helpful line."""

import pytest

from stages.settings.params import parse
from tests.settings.test_params import RAW, changed, error

STUDIES = "'jain-wallace', 'serrano-smith', 'sun-lu', 'meister' or 'amini-kosseim'"
ADVERSARIAL = "candidates, steps, learning_rate, spread, penalty, margin, epsilons, examples"
ABOVE_ZERO = "input should be greater than 0"


@pytest.mark.parametrize(
    ("key", "value", "line"),
    [
        ("trials/wallace", ["imdb"], f"trials.wallace: input should be {STUDIES}, got 'wallace'"),
        ("trials/jain-wallace", "imdb", "trials.jain-wallace: input should be a valid tuple"),
        ("trials/jain-wallace", [], "trials.jain-wallace: tuple should have at least 1 item"),
        ("erasures/sun-lu", ["imdb", 3], "erasures.sun-lu.1: input should be a valid string"),
        ("trials/meister", ["imdb", "imdb"], "trials.meister: 'imdb' is named twice"),
        (
            "correlation/topk",
            5,
            "correlation: unknown key 'topk'; allowed: integrated_points, shares, top_k, top_share",
        ),
        ("correlation/shares", [0.1, 1.0], "correlation.shares.1: input should be less than 1"),
        ("correlation/top_k", 0, "correlation.top_k: input should be greater than or equal to 1"),
        ("permutation/counts", 5, "permutation: unknown key 'counts'; allowed: count"),
        ("permutation/count", 0, "permutation.count: input should be greater than or equal to 1"),
        (
            "adversarial/epsilon",
            0.1,
            f"adversarial: unknown key 'epsilon'; allowed: {ADVERSARIAL}",
        ),
        ("adversarial/epsilons", [0.01, 0.0], f"adversarial.epsilons.1: {ABOVE_ZERO}, got '0.0'"),
        ("adversarial/margin", -1.0, f"adversarial.margin: {ABOVE_ZERO}, got '-1.0'"),
        (
            "scales/smoke/adversarial/documents",
            3,
            "scales.smoke.adversarial: unknown key 'documents'; allowed: instances, tokens",
        ),
        (
            "studies/jain-wallace/for_dataset/snli/without",
            ["cnn-dot", "bilstm"],
            "studies.jain-wallace: for_dataset.snli.without: no model 'bilstm'; allowed: "
            + ", ".join(RAW["studies"]["jain-wallace"]["models"]),
        ),
    ],
)
def test_a_mistake_becomes_one_line(key, value, line):
    assert error(changed(key, value)).startswith(line)


def test_a_trial_needs_a_data_set_that_its_study_is_trained_on():
    raw = changed("trials/jain-wallace", ["imdb", "clothing"])
    start, _, allowed = error(raw).partition("; allowed: ")
    assert start == "trials.jain-wallace: 'clothing' is unknown"
    trained = [cell["dataset"] for cell in RAW["cells"].values() if cell["study"] == "jain-wallace"]
    assert sorted(allowed.split(", ")) == sorted(trained)
    assert "clothing" in RAW["corpora"]  # prepared, and yet nothing to try there


@pytest.mark.parametrize("exception", [{"epoch": 3}, {"epochs": 0}])
def test_a_mistake_in_an_exception_is_found_when_settings_are_read(exception):
    key = "scales/laptop/train_base/jain-wallace/exceptions"
    line = error(changed(key, {"imdb": exception}))
    assert line.startswith("scales.laptop.train_base.jain-wallace")


def test_models_that_a_study_does_without_are_gone_on_that_data_set_only():
    raw = changed("studies/jain-wallace/for_dataset/snli/without", ["cnn-dot"])
    study = parse(raw, "params.yaml").studies["jain-wallace"]
    every = set(RAW["studies"]["jain-wallace"]["models"])
    elsewhere = {name for name in every if study.models[name].only}
    assert every - set(study.at("snli").models) - elsewhere == {"cnn-dot"}
    assert set(study.at("imdb").models) == every
