"""Retraining jobs: which there are, and one from trained bases to tables."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from stages.engine.cells import cells_of
from stages.engine.grid import Subject
from stages.engine.retraining import Job, bases_of, jobs_of, opposed
from stages.engine.teaching import Lesson
from stages.settings.retraining import Procedure, RetrainBudget

from stages.corpora import corpus as corpora
from stages.engine.training import train
from stages.settings.analyses import DocumentBudget
from stages.settings.errors import UserError
from stages.settings.params import load
from tests.engine.test_jobs import jobs as training_jobs
from tests.engine.test_jobs import study
from tests.nn import toy

SETTINGS = load(Path(__file__).parents[2] / "params.yaml")
LSTM = {"kind": "bilstm", "hidden": 3}
PUBLISHED = Procedure(loss="bounded", start="fresh", epochs=3, patience=5, learning_rate=0.01)
BUDGET = RetrainBudget(
    documents=30,
    epochs=None,
    learning_rate=None,
    batch=None,
    bases=None,
    adversaries=2,
    instances=20,
    tokens=None,
)


def jobs(name):
    return jobs_of(SETTINGS, SETTINGS.retrains[name])


def test_runs_without_context_are_one_job_and_slow_ones_come_first():
    found = jobs("amini-kosseim-mock")
    models = [job.pairs[0][0].cell.model for job in found]
    assert models == sorted(models)  # lstm, then mlp
    assert all(len(job.pairs) == 1 for job in found if job.pairs[0][0].cell.model == "lstm")
    together = [job for job in found if job.pairs[0][0].cell.model == "mlp"]
    assert len(together) == 8 * 3  # sets, procedures
    assert {len(job.pairs) for job in together} == {9}
    assert {job.name for job in found if job.pairs[0][0].cell.model == "lstm"} == {"published"}


def test_the_sweep_has_a_job_for_every_strength_against_few_bases():
    found = [job for job in jobs("amini-kosseim-imdb") if job.name == "sweep"]
    strengths = SETTINGS.retrain.procedures["sweep"].strengths
    assert [job.strength for job in found] == list(strengths)
    assert {job.pairs[0][0].cell.name for job in found} == {"lstm+1"}


def test_only_named_models_are_opposed():
    bases = bases_of(SETTINGS, SETTINGS.retrains["meister-rotten-tomatoes"])
    assert {base.cell.model for base in bases} == {"bilstm-softmax", "bilstm-sparsemax"}
    lessons = [job.lesson for job in jobs("jain-wallace-rotten-tomatoes")]
    assert lessons[0].model.projection.kind == "frozen"
    assert all(lesson is not None for lesson in lessons)
    assert all(job.lesson is None for job in jobs("meister-rotten-tomatoes"))


def test_the_scale_bounds_epochs_and_the_procedure_names_the_rate():
    (job,) = (
        job
        for job in jobs("amini-kosseim-mock")
        if job.name == "published" and job.pairs[0][0].dataset == "mock-1" and len(job.pairs) > 1
    )
    names = ("mock", "mock-1", "mlp", "mock/mlp", "mock-1/mlp", "published")
    granted, procedure = (
        SETTINGS.budget.retrain.of(*names),
        SETTINGS.retrain.procedures["published"],
    )
    expected = granted.learning_rate or procedure.learning_rate
    assert job.training.learning_rate == expected
    assert job.training.epochs == min(granted.epochs or procedure.epochs, procedure.epochs)
    assert job.vectors == Path("data/vectors/mock/glove/mock-1/vectors.npz")


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """Two bases of either kind on the toy corpus."""
    folder = tmp_path_factory.mktemp("retraining")
    (folder / "corpus").mkdir()
    corpora.save(toy.corpus(), folder / "corpus")
    np.savez(folder / "vectors.npz", vectors=toy.vectors())
    settings = study({"mlp": toy.model(), "lstm": toy.model(encoder=LSTM)})
    for job in training_jobs(folder, settings):
        train(job)
    return folder, settings


def job_on(trained, model, procedure=PUBLISHED, numbers=(1, 2), **changes):
    folder, settings = trained
    budget = DocumentBudget(instances=20, tokens=None)
    bases = [
        Subject(
            "amini-kosseim",
            "toy",
            cell,
            True,
            False,
            folder / "corpus",
            folder / "models" / cell.name,
            False,
            7,
            budget,
            None,
        )
        for cell in cells_of(settings)
        if cell.model == model
    ]
    pairs = tuple((base, k) for base in bases for k in numbers)
    pairs = pairs if model == "mlp" else pairs[:1]
    training = settings.training.model_copy(update={"epochs": procedure.epochs})
    job = Job(
        pairs, "published", procedure, None, training, BUDGET, folder / "vectors.npz", 0.0, 0.01
    )
    return replace(job, **changes)


def test_from_trained_bases_to_tables_twice_the_same(trained):
    for model, runs in (("mlp", 4), ("lstm", 1)):
        job = job_on(trained, model)
        one, two = opposed(job), opposed(job)
        assert set(one) == {"runs", "instances", "course"}
        for name, table in one.items():
            pd.testing.assert_frame_equal(table, two[name])
        assert len(one["runs"]) == 2 * runs
        assert set(one["runs"]["selected_on"]) == {"dev", "test"}
        assert len(one["instances"]) == 20 * runs
        assert len(one["course"]) == 3 * runs
        first = one["runs"].iloc[0]
        documents = one["instances"][
            (one["instances"]["seed"] == first["seed"])
            & (one["instances"]["adversary"] == first["adversary"])
        ]
        assert first["stvd"] == pytest.approx(documents["stvd"].mean())
        assert first["jsd"] == pytest.approx(documents["jsd"].mean())
        assert first["accuracy"] == (documents["predicted"] == documents["label"]).mean()
        assert first["tvd"] == first["stvd"] / 2


def test_a_warm_start_begins_at_the_base(trained):
    warm = PUBLISHED.model_copy(update={"start": "base", "epochs": 1})
    for model in ("mlp", "lstm"):
        job = job_on(trained, model, warm)
        still = job.training.model_copy(update={"learning_rate": 1e-9})
        near = opposed(replace(job, training=still))["runs"]
        assert near["jsd"].max() < 1e-9
        assert near["stvd"].max() < 1e-4
        shaken = opposed(replace(job, training=still, shake=0.5))["runs"]
        assert shaken["jsd"].min() > 1e-7
    fresh = opposed(job_on(trained, "mlp"))["runs"]
    assert fresh["jsd"].min() > 1e-7


def test_a_lesson_gives_predictions_under_either_weights(trained):
    frozen = toy.model(projection={"kind": "frozen"})
    lesson = Lesson(frozen, toy.training(epochs=2), None)
    found = opposed(job_on(trained, "lstm", lesson=lesson))["taught"]
    assert found["weights_of"].value_counts().to_dict() == {"base": 40, "adversary": 40}
    assert set(found["predicted"]) <= {0, 1}


def test_vectors_of_another_vocabulary_are_refused(trained, tmp_path):
    np.savez(tmp_path / "vectors.npz", vectors=toy.vectors(size=5))
    with pytest.raises(UserError, match="has 5 rows, the corpus toy knows 12 words"):
        opposed(job_on(trained, "lstm", vectors=tmp_path / "vectors.npz"))


@pytest.mark.parametrize(
    ("study_name", "dataset", "line"),
    [
        ("serrano-smith", "clothing", "han-rnn is hierarchical; allowed: flat models"),
        ("jain-wallace", "snli", "snli holds pairs; allowed: texts to classify"),
    ],
)
def test_what_cannot_be_opposed_is_refused(study_name, dataset, line):
    cell = SETTINGS.retrains["amini-kosseim-imdb"].model_copy(
        update={"study": study_name, "dataset": dataset}
    )
    with pytest.raises(UserError, match=line):
        bases_of(SETTINGS, cell)
