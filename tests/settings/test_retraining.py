"""Settings of retraining: every mistake becomes one helpful line."""

import pytest

from tests.settings.test_params import RAW, changed, error

CELL = "retrains/amini-kosseim-mock"
PLACE = "retrains.amini-kosseim-mock"
KNOWN = ", ".join(RAW["retrain"]["procedures"])


@pytest.mark.parametrize(
    ("key", "value", "line"),
    [
        (
            f"{CELL}/procedures",
            ["warmer"],
            f"{PLACE}.procedures: 'warmer' is unknown; allowed: {KNOWN}",
        ),
        (f"{CELL}/models", ["gru"], f"{PLACE}.models: 'gru' is unknown; allowed: lstm, mlp"),
        (f"{CELL}/taught", "gru", f"{PLACE}.taught: 'gru' is unknown; allowed: lstm, mlp"),
        (f"{CELL}/dataset", "clothing", f"{PLACE}.dataset: 'clothing' is unknown"),
        (f"{CELL}/seeds", 3, f"{PLACE}: unknown key 'seeds'; allowed: study, dataset, vectors"),
        (
            "retrain/procedures/warm/start",
            "cold",
            "retrain.procedures.warm.start: input should be 'fresh' or 'base', got 'cold'",
        ),
        (
            "retrain/procedures/warm/strengths",
            [0.1],
            "retrain.procedures.warm: strengths: needed with loss swept, and only there",
        ),
        (
            "retrain/procedures/sweep/strengths",
            [],
            "retrain.procedures.sweep: strengths: needed with loss swept, and only there",
        ),
        ("retrain/collapsed", 1.0, "retrain.collapsed: input should be less than 1"),
        ("retrain/shake", -0.1, "retrain.shake: input should be greater than or equal to 0"),
        (
            "scales/laptop/retrain/exceptions/mlp",
            {"epoch": 3},
            "scales.laptop.retrain: exceptions.mlp: unknown key 'epoch'; allowed: documents",
        ),
    ],
)
def test_a_mistake_becomes_one_line(key, value, line):
    assert error(changed(key, value)).startswith(line)
