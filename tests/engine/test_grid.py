"""Which models a study has on a data set, with which budget, and which documents they are shown."""

import math
from pathlib import Path

import numpy as np
import pytest
from stages.engine.grid import instances, subjects
from stages.settings.resolved import granted

from stages.settings.analyses import DocumentBudget
from stages.settings.params import TrainBudget, load
from tests.nn import toy

SETTINGS = load(Path(__file__).parents[2] / "params.yaml")
STUDY = "jain-wallace"
ALL = DocumentBudget(instances=None, tokens=None)
CELL = ["dataset", "model", "encoder", "attention", "value", "seed"]
ATTENTIVE = {f"{e}-{a}" for e in ("bilstm", "cnn", "average") for a in ("additive", "dot")}


def settings(study=STUDY, exceptions=None, **changes):
    """The repository's settings with another budget for a study's training."""
    given = {"epochs": 5, "tokens": 1000, "seeds": 2, "learning_rate": None} | changes
    budget = TrainBudget(**given, exceptions=exceptions or {})
    trained = SETTINGS.budget.train_base | {study: budget}
    scale = SETTINGS.budget.model_copy(update={"train_base": trained})
    return SETTINGS.model_copy(update={"scales": SETTINGS.scales | {SETTINGS.scale: scale}})


def tokens(exceptions, family="babi", name="babi-1"):
    """The tokens that each model gets."""
    found = granted(settings(exceptions=exceptions), STUDY, family, name)
    return {next(iter(only.models)): budget.tokens for only, budget in found}


def test_every_model_is_a_study_of_its_own():
    found = list(granted(settings(), STUDY, "imdb", "imdb"))
    whole = SETTINGS.studies[STUDY].at("imdb")
    assert [list(only.models) for only, _ in found] == [[name] for name in whole.models]
    assert all(only.seeds == whole.seeds[:2] for only, _ in found)
    assert all(budget.tokens == 1000 for _, budget in found)


def test_an_exception_holds_where_it_is_named():
    by_model = tokens({"cnn-dot": {"tokens": 7}})
    assert by_model.pop("cnn-dot") == 7
    assert set(by_model.values()) == {1000}
    assert set(tokens({"babi-1": {"tokens": 7}}).values()) == {7}
    assert set(tokens({"babi-1": {"tokens": 7}}, name="babi-2").values()) == {1000}
    assert set(tokens({"babi": {"tokens": 7}}, name="babi-2").values()) == {7}
    both = {"babi-1/cnn-dot": {"tokens": 7}}
    assert tokens(both)["cnn-dot"] == 7
    assert tokens(both)["cnn-additive"] == 1000
    assert tokens(both, name="babi-2")["cnn-dot"] == 1000


def test_the_narrower_exception_wins():
    exceptions = {}
    for name, granted_tokens in (
        ("babi-1/cnn-dot", 4),
        ("cnn-dot", 3),
        ("babi-1", 2),
        ("babi", 1),
    ):
        # added from narrow to wide: the order in the file must not matter
        exceptions[name] = {"tokens": granted_tokens}
        assert tokens(exceptions)["cnn-dot"] == 4
    del exceptions["babi-1/cnn-dot"]
    assert tokens(exceptions)["cnn-dot"] == 3
    del exceptions["cnn-dot"]
    assert tokens(exceptions)["cnn-dot"] == 2
    del exceptions["babi-1"]
    assert tokens(exceptions)["cnn-dot"] == 1


def test_exceptions_change_only_what_they_name():
    exceptions = {"imdb": {"epochs": 2}, "imdb/cnn-dot": {"seeds": 3, "learning_rate": 0.5}}
    found = granted(settings(exceptions=exceptions), STUDY, "imdb", "imdb")
    by_name = {next(iter(only.models)): only for only, _ in found}
    one, other = by_name["cnn-dot"], by_name["cnn-additive"]
    assert (one.training.epochs, other.training.epochs) == (2, 2)
    assert (len(one.seeds), len(other.seeds)) == (3, 2)
    assert (one.training.learning_rate, other.training.learning_rate) == (0.5, 0.001)


@pytest.mark.parametrize(("granted_epochs", "epochs"), [(5, 5), (1000, 100), (None, 100)])
def test_a_budget_never_gives_more_epochs_than_the_study_wants_there(granted_epochs, epochs):
    assert SETTINGS.studies[STUDY].at("babi").training.epochs == 100
    found = granted(settings(epochs=granted_epochs), STUDY, "babi", "babi-1")
    assert {only.training.epochs for only, _ in found} == {epochs}


def test_only_models_with_attention_of_their_own_are_tried():
    models = SETTINGS.studies[STUDY].at("imdb").models
    assert {"bilstm-uniform", "average-frozen"} <= set(models)
    found = subjects(settings(), STUDY, "imdb", ALL)
    assert {subject.cell.model for subject in found} == ATTENTIVE
    assert len(found) == 6 * 2  # models, seeds


def test_every_data_set_of_a_family_is_tried():
    found = subjects(settings(seeds=1), STUDY, "babi", ALL)
    assert len(found) == 3 * 6
    one = next(s for s in found if (s.dataset, s.cell.model) == ("babi-2", "cnn-dot"))
    assert one.folder == Path("models/jain-wallace/babi/babi-2/cnn-dot+1")
    assert one.corpus == Path("data/corpora/babi/babi-2")
    assert (one.add_boundary_tokens, one.all_types, one.seed) == (True, False, SETTINGS.seed)


def test_what_every_table_of_results_starts_with():
    (one,) = (
        subject
        for subject in subjects(settings(seeds=1), STUDY, "imdb", ALL)
        if subject.cell.model == "average-dot"
    )
    about = one.about
    assert list(about) == CELL
    assert math.isnan(about.pop("value"))
    assert list(about.values()) == ["imdb", "average-dot", "average", "dot", 1]


def test_varied_options_are_named_by_their_value():
    varied = subjects(settings("meister", seeds=1), "meister", "imdb", ALL)
    wanted = SETTINGS.studies["meister"].models["bilstm-sparsegen"].each["projection.strength"]
    values = [s.about["value"] for s in varied if s.cell.model == "bilstm-sparsegen"]
    assert values == list(wanted)
    assert len({s.folder for s in varied}) == len(varied)


def drawn(count=None, most=None, seed=1, name="toy"):
    return instances(toy.corpus(name=name), seed, DocumentBudget(instances=count, tokens=most))


def test_documents_are_within_the_budget_sorted_and_the_same_every_time():
    found = drawn(10)
    assert len(found) == len(set(found)) == 10
    assert list(found) == sorted(found)
    np.testing.assert_array_equal(found, drawn(10))
    assert set(found) < set(drawn(20)) < set(range(40))
    assert list(found) != list(range(10))


def test_without_a_budget_all_documents_are_tried():
    assert list(drawn()) == list(drawn(1000, 10**6)) == list(range(40))


def test_tokens_are_a_budget_too_and_the_tighter_one_binds():
    lengths = toy.corpus().parts["test"].text.lengths
    found = drawn(most=50)
    assert 50 - lengths.max() < lengths[found].sum() <= 50
    assert set(found) < set(drawn())
    assert len(drawn(3, 50)) == 3
    np.testing.assert_array_equal(drawn(39, 50), found)


def test_each_data_set_and_seed_has_its_own_documents():
    assert list(drawn(10)) != list(drawn(10, name="other"))
    assert list(drawn(10)) != list(drawn(10, seed=2))
