"""What a data set changes of a study: single models, models left out, models of their own sets."""

import copy
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from stages.settings.errors import UserError
from stages.settings.params import load, parse

PARAMS = Path(__file__).parents[2] / "params.yaml"
RAW = YAML(typ="safe").load(PARAMS.read_text(encoding="utf-8"))
STUDY = load(PARAMS).studies["sun-lu"]


def changed(**changes):
    raw = copy.deepcopy(RAW)
    raw["studies"]["sun-lu"] |= changes
    return parse(raw, "params.yaml")


def test_a_model_is_trained_only_on_the_sets_it_names():
    assert "dp-wide" in STUDY.at("synthetic", "synthetic-1").models
    assert "dp-wide" not in STUDY.at("synthetic", "synthetic-2").models
    assert "dp-wide" not in STUDY.at("imdb").models
    assert {"dp", "dp-l", "dp-a", "ad", "dp-penalty"} == set(STUDY.at("imdb", "imdb").models)


def test_a_member_of_a_family_changes_what_the_family_changed():
    family, member = (STUDY.at("synthetic", f"synthetic-{name}") for name in ("2", "1"))
    assert family.models["dp"].each["score.scale"] == (10.0,)
    assert len(member.models["dp"].each["score.scale"]) == 7
    assert member.training.optimizer == family.training.optimizer == "sgd"


def test_training_values_of_a_model_are_changed_one_by_one():
    penalised = STUDY.at("synthetic", "synthetic-1").models["dp-penalty"]
    assert penalised.training == {"product_penalty": 0.001}
    assert STUDY.at("imdb").models["dp-penalty"].training == {"product_penalty": 0.0001}
    assert STUDY.at("rotten-tomatoes").models["dp"].training == {"traced": 1}


def test_unknown_names_are_refused_with_what_is_allowed():
    wrong = {"imdb": {"models": {"dpp": {"spread": 1.0}}}}
    with pytest.raises(UserError, match=r"for_dataset\.imdb\.models: no model 'dpp'; allowed: dp,"):
        changed(for_dataset=wrong)
    models = copy.deepcopy(RAW["studies"]["sun-lu"]["models"])
    models["dp"]["only"] = ["imbd"]
    with pytest.raises(UserError, match=r"sun-lu\.models\.dp\.only: 'imbd' is unknown; allowed: "):
        changed(models=models)


def test_a_change_that_leaves_a_model_invalid_is_refused_at_once():
    wrong = {"imdb": {"models": {"dp": {"spread": -1.0}}}}
    with pytest.raises(UserError, match=r"for_dataset\.imdb.*spread"):
        changed(for_dataset=wrong)


def test_traced_training_needs_groups():
    with pytest.raises(UserError, match="traced training needs the key groups"):
        changed(groups=None)
