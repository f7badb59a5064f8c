"""Which runs an analysis measures and which documents it reads."""

import math
from pathlib import Path

import numpy as np

from stages.engine.trained import sampled_documents, trained_runs
from stages.settings.analyses import DocumentBudget
from stages.settings.section import frozen
from tests.fixtures.project import settings_of
from tests.nn import toy

SETTINGS = settings_of()
ALL = DocumentBudget()


def runs_of(study, group):
    return trained_runs(SETTINGS, study, group, ALL)


def test_only_runs_with_attention_of_their_own_are_analysed():
    models = [trained.run.model for trained in runs_of("pooled", "tickets")]
    assert models == ["bilstm-additive", "bilstm-dot", "average-additive", "average-additive"]
    assert "bilstm-sparse" in {trained.run.model for trained in runs_of("pooled", "synthetic")}


def test_every_data_set_of_a_group_is_analysed():
    runs = runs_of("pooled", "synthetic")
    one = next(r for r in runs if r.names == ("pooled", "synthetic-three", "bilstm-dot+1"))
    assert one.folder == Path("models/pooled/synthetic-three/bilstm-dot+1")
    assert one.corpus_folder == Path("models/pooled/synthetic-three/corpus")
    assert (one.add_boundary_tokens, one.all_types, one.seed) == (True, False, 7)
    scaled = runs_of("scaled", "synthetic")[0]
    assert (scaled.add_boundary_tokens, scaled.all_types) == (False, True)


def test_the_columns_that_every_table_starts_with():
    one = next(r for r in runs_of("pooled", "babi") if r.run.model == "average-additive")
    keys = one.keys
    assert list(keys) == ["dataset", "model", "encoder", "attention", "value", "seed"]
    assert math.isnan(keys.pop("value"))
    assert list(keys.values()) == ["babi-1", "average-additive", "average", "additive", 1]


def test_swept_runs_are_named_by_their_value():
    runs = [r for r in runs_of("scaled", "synthetic") if r.run.model == "dp"]
    on_first = [r.keys["value"] for r in runs if r.run.dataset == "synthetic-1"]
    assert on_first == [1.0, 1.0, 10.0, 10.0]
    assert len({r.folder for r in runs}) == len(runs)


def test_a_budget_can_differ_by_data_set_and_model():
    overrides = [
        {"for": {"dataset": "synthetic"}, "set": {"instances": 5}},
        {"for": {"model": "bilstm-dot"}, "set": {"tokens": 9}},
    ]
    budget = DocumentBudget.model_validate(frozen({"instances": 3, "overrides": overrides}))
    runs = trained_runs(SETTINGS, "pooled", "synthetic", budget)
    runs += trained_runs(SETTINGS, "pooled", "tickets", budget)
    bounds = {(r.run.group, r.run.model): (r.budget.instances, r.budget.tokens) for r in runs}
    assert bounds["synthetic", "average-additive"] == (5, None)
    assert bounds["synthetic", "bilstm-dot"] == (5, 9)
    assert bounds["tickets", "bilstm-dot"] == (3, 9)


def drawn(count=None, most=None, seed=1, name="toy"):
    budget = DocumentBudget(instances=count, tokens=most)
    return sampled_documents(toy.corpus(name=name), seed, budget)


def test_documents_are_within_the_budget_sorted_and_the_same_every_time():
    rows = drawn(10)
    assert len(rows) == len(set(rows)) == 10
    assert list(rows) == sorted(rows)
    np.testing.assert_array_equal(rows, drawn(10))
    assert set(rows) < set(drawn(20)) < set(range(40))
    assert list(rows) != list(range(10))


def test_without_a_budget_all_documents_are_read():
    assert list(drawn()) == list(drawn(1000, 10**6)) == list(range(40))


def test_tokens_are_a_budget_too_and_the_tighter_one_binds():
    lengths = toy.corpus().parts["test"].text.lengths
    rows = drawn(most=50)
    assert 50 - lengths.max() < lengths[rows].sum() <= 50
    assert set(rows) < set(drawn())
    assert len(drawn(3, 50)) == 3
    np.testing.assert_array_equal(drawn(39, 50), rows)


def test_each_data_set_and_seed_has_its_own_documents():
    assert list(drawn(10)) != list(drawn(10, name="other"))
    assert list(drawn(10)) != list(drawn(10, seed=2))
