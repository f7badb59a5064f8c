"""Studies: grid, defaults, sweep, overrides and the runs that a scale's budget leaves of them."""

import pytest

from stages.settings.overrides import Override, assigned, overridden
from stages.settings.runs import model_runs, runs_of
from tests.fixtures.project import settings_of

SETTINGS = settings_of()
POOLED, SCALED = SETTINGS.studies["pooled"], SETTINGS.studies["scaled"]
BUDGET = "scales/small/train_base/pooled"


def runs(changes=None, study="pooled", group="babi"):
    return runs_of(settings_of(changes), study, group)


def budget(overrides=(), **values):
    """The runs of `pooled` on babi with another budget, by model."""
    entry = {"epochs": 5, "tokens": 1000, "seeds": 1} | values | {"overrides": list(overrides)}
    return {run.model: run for run in runs({BUDGET: entry})}


def override(**values):
    selectors = {key: values.pop(key) for key in ("dataset", "model") if key in values}
    return {"for": selectors, "set": values}


def test_a_grid_crosses_its_axes_and_named_models_follow():
    assert list(POOLED.entries) == [
        "bilstm-additive",
        "bilstm-dot",
        "average-additive",
        "bilstm-uniform",
        "bilstm-sparse",
        "average-frozen",
    ]
    entry = POOLED.entry("bilstm-dot", "synthetic-1", "synthetic").model
    assert (entry.encoder.kind, entry.encoder.options) == ("bilstm", {"hidden": 4})
    assert (entry.score.kind, entry.score.options) == ("dot", {})
    named = POOLED.entry("bilstm-uniform", "synthetic-1", "synthetic").model
    assert named.encoder == entry.encoder  # by its name in the grid
    assert named.score.options == {"divisor": 2}  # of defaults
    assert named.projection.kind == "uniform"


def test_a_grid_names_models_by_a_template_and_kinds_by_entries():
    grid = {
        "name": "{architecture}-{encoder}",
        "encoder": {"rnn": {"kind": "bigru", "hidden": 2}, "noenc": {"kind": "none"}},
        "architecture": {"han": "hierarchical", "flan": "flat"},
    }
    changes = {"studies/scaled/models": {"grid": grid}, "studies/scaled/overrides": []}
    study = settings_of(changes).studies["scaled"]
    assert list(study.entries) == ["han-rnn", "flan-rnn", "han-noenc", "flan-noenc"]
    entry = study.entry("han-rnn", "synthetic-1", "synthetic").model
    assert (entry.architecture, entry.encoder.kind) == ("hierarchical", "bigru")


def test_a_scale_can_train_some_values_of_a_sweep():
    changes = {"scales/small/train_base/scaled": {"values": [10.0]}, "scale": "small"}
    runs = [r for r in runs_of(settings_of(changes), "scaled", "synthetic") if "1" in r.dataset]
    assert {run.value for run in runs if run.model == "dp"} == {10.0}
    assert any(run.value is None for run in runs)  # models without a sweep stay


def test_runs_are_models_times_values_times_seeds():
    names = [run.name for run in runs_of(SETTINGS, "scaled", "synthetic") if "1" in run.dataset]
    assert names == ["dp@1+1", "dp@1+2", "dp@10+1", "dp@10+2", "dp-l+1", "dp-l+2"]
    first, second, last, *_ = runs_of(SETTINGS, "scaled", "synthetic")
    assert [run.settings.score.options["scale"] for run in (first, last)] == [1.0, 10.0]
    assert [run.replica for run in (first, second, last)] == [False, True, False]


def test_a_model_is_trained_only_on_the_data_sets_it_names():
    models = {}
    for run in (*runs(group="synthetic"), *runs(), *runs(group="tickets")):
        models.setdefault(run.model, set()).add(run.dataset)
    assert models["bilstm-uniform"] == {"synthetic-1"}  # a data set
    assert models["average-frozen"] == {"synthetic-1", "synthetic-three", "tickets"}  # a group
    assert models["bilstm-dot"] == {"synthetic-1", "synthetic-three", "babi-1", "tickets"}


def test_later_overrides_win_and_change_only_what_they_set():
    on = {name: POOLED.entry(name, "babi-1", "babi") for name in ("bilstm-dot", "bilstm-additive")}
    assert on["bilstm-dot"].training.epochs == 1
    assert on["bilstm-additive"].training.epochs == 2
    elsewhere = POOLED.entry("bilstm-dot", "tickets", "tickets")
    assert elsewhere.training.epochs == 3
    assert on["bilstm-dot"].model.encoder.options == {"hidden": 2}
    assert POOLED.entry("average-additive", "babi-1", "babi").model.encoder.options["hidden"] == 4
    decay = on["bilstm-dot"].training.weight_decay
    assert (decay.encoder, decay.head) == (1e-5, 1e-5)
    assert elsewhere.training.weight_decay.head == 0.0


def test_an_override_replaces_a_sweep():
    assert len(SCALED.entry("dp", "synthetic-1", "synthetic").swept()) == 2
    ((value, model),) = SCALED.entry("dp", "synthetic-three", "synthetic").swept()
    assert (value, model.score.options["scale"]) == (10.0, 10.0)


def test_names_are_matched_by_patterns_and_groups():
    one = Override.model_validate({"for": {"dataset": "babi", "model": "cnn-*"}, "set": {"a.b": 1}})
    assert one.matches(dataset=("babi-2", "babi"), model=("cnn-dot",))
    assert not one.matches(dataset=("babi-2", "babi"), model=("bilstm-cnn-dot",))
    assert not one.matches(dataset=("imdb", "imdb"), model=("cnn-dot",))
    assert not one.matches(dataset=("babi-2", "babi"))
    values = {"a": {"c": 2}}
    names = {"dataset": ("babi",), "model": ("cnn-dot",)}
    assert overridden(values, [one], **names) == {"a": {"b": 1, "c": 2}}
    assert values == {"a": {"c": 2}}  # a copy
    assert assigned({"a": 3}, "a.b", 1) == {"a": {"b": 1}}


@pytest.mark.parametrize(
    ("selectors", "tokens"),
    [
        ({"model": "bilstm-dot"}, {"bilstm-dot": 7}),
        ({"dataset": "babi"}, dict.fromkeys(("bilstm-dot", "average-additive"), 7)),
        ({"dataset": "babi-1"}, dict.fromkeys(("bilstm-dot", "average-additive"), 7)),
        ({"dataset": "babi-1", "model": "average-*"}, {"average-additive": 7}),
        ({"dataset": "tickets"}, {}),
    ],
)
def test_a_budgets_override_holds_where_it_matches(selectors, tokens):
    for model, run in budget([override(tokens=7, **selectors)]).items():
        if model != "bilstm-additive":
            assert run.tokens == tokens.get(model, 1000)


@pytest.mark.parametrize(("epochs", "expected"), [(1, 1), (1000, 2), (None, 2)])
def test_a_budget_never_gives_more_epochs_or_seeds_than_the_study(epochs, expected):
    run = budget(epochs=epochs)["bilstm-additive"]
    assert run.training.epochs == expected
    assert run.training.learning_rate == 0.01
    assert len(runs({BUDGET: {"seeds": 99}})) == 3 * 3


def test_a_budgets_learning_rate_replaces_the_studys():
    assert budget(learning_rate=0.5)["bilstm-dot"].training.learning_rate == 0.5
    assert model_runs(SETTINGS, "pooled", "babi", "babi-1", "bilstm-uniform") == []
