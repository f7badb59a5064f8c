"""Retraining jobs: which there are, and one from trained bases to tables."""

from dataclasses import replace

import pandas as pd
import pytest

from stages.corpora.budget import training_rows
from stages.engine.adversaries import BaseAttention, Opposition, train_adversaries
from stages.engine.retrain_jobs import bases_of, jobs_of, oppositions
from stages.engine.trained import TrainedRun
from stages.engine.training import train
from stages.settings.analyses import DocumentBudget, Procedure, Retrain
from stages.settings.errors import UserError
from tests.engine.test_training import LSTM, job_of, run_of, write_inputs
from tests.fixtures.project import settings_of
from tests.nn import toy

PUBLISHED = Procedure(loss="bounded", start="fresh", epochs=3, patience=5, learning_rate=0.01)
MODELS = {"mlp": toy.model(), "lstm": toy.model(encoder=LSTM)}


def jobs(group="synthetic", changes=None):
    return list(oppositions(settings_of(changes), "pooled", group))


def model_of(job):
    return job.pairs[0][0].run.model


def test_adversaries_without_context_are_one_job():
    stacks = [job for job in jobs() if model_of(job) == "average-additive"]
    assert {job.name for job in stacks} == {"published", "warm"}
    assert len(stacks) == 2 * 2  # data sets, procedures
    for job in stacks:
        pairs = [(base.run.seed, number) for base, number in job.pairs]
        assert pairs == [(1, 1), (1, 2), (2, 1), (2, 2)]
    apart = [job for job in jobs() if model_of(job) == "bilstm-additive"]
    assert {len(job.pairs) for job in apart} == {1}
    assert {job.name for job in apart} == {"published", "sweep"}


def test_rows_of_tables_have_recurrent_adversaries_first_and_bases_last():
    payloads = [job.payload for job in jobs_of(settings_of(), "pooled", "synthetic")]
    models = [model_of(job) for job in payloads if isinstance(job, Opposition)]
    recurrent = [model.startswith("bilstm") for model in models]
    assert recurrent == sorted(recurrent, reverse=True)
    assert set(recurrent) == {True, False}
    assert all(isinstance(job, BaseAttention) for job in payloads[len(models) :])


def test_a_sweep_has_a_job_for_every_strength():
    swept = [job for job in jobs() if job.name == "sweep"]
    assert [job.strength for job in swept] == [0.1, 1.0] * 2
    assert {model_of(job) for job in swept} == {"bilstm-additive"}
    assert {job.strength for job in jobs() if job.name != "sweep"} == {None}


def test_only_named_models_are_opposed_and_the_first_adversary_guides():
    bases = bases_of(settings_of(), "pooled", "tickets")
    assert [base.run.name for base in bases] == ["bilstm-additive+1"]
    (job,) = jobs("tickets")
    assert job.guided.settings.projection.kind == "frozen"
    assert all(job.guided is None for job in jobs())
    two = jobs("tickets", {"scales/small/retrain/overrides": []})
    assert [job.guided is None for job in two] == [False, True]  # of two adversaries


def test_scale_and_procedure_bound_epochs_rate_and_bases():
    published, sweep = (
        next(job for job in jobs() if (job.name, model_of(job)) == (name, "bilstm-additive"))
        for name in ("published", "sweep")
    )
    assert (published.training.epochs, published.training.learning_rate) == (2, 0.01)
    assert sweep.training.learning_rate == 0.02  # an override for the procedure
    assert published.documents == 16
    assert published.training.batch == 8  # of the study
    few = jobs(changes={"scales/small/retrain/bases": 1, "scales/small/retrain/batch": 3})
    assert {base.run.seed for job in few for base, _ in job.pairs} == {1}
    assert {job.training.batch for job in few} == {3}


@pytest.mark.parametrize(
    ("group", "line"),
    [
        ("tickets", "bilstm-dot is hierarchical; allowed: flat models"),
        ("babi", "babi-1 holds pairs; allowed: texts to classify"),
    ],
)
def test_what_cannot_be_opposed_is_refused(group, line):
    opponents = {"models": ["bilstm-dot"], "procedures": ["published"]}
    changes = {f"analyses/retrain/studies/pooled/{group}": opponents}
    hierarchical = {"for": {"dataset": "tickets"}, "set": {"architecture": "hierarchical"}}
    changes["studies/pooled/overrides"] = [hierarchical]
    with pytest.raises(UserError, match=f"^retrain: {line}$"):
        bases_of(settings_of(changes), "pooled", group)


@pytest.fixture(scope="module")
def bases(tmp_path_factory):
    """Two trained runs of either kind on the toy corpus."""
    folder = write_inputs(tmp_path_factory.mktemp("retraining"))
    (folder / "models").mkdir()
    runs = [run_of(name, model, seed) for name, model in MODELS.items() for seed in (1, 2)]
    for run in runs:
        train(job_of(folder, run), folder / "models")
    budget = DocumentBudget(instances=20)
    return [
        TrainedRun(
            run, True, False, folder / "corpus", folder / "models" / run.name, seed=7, budget=budget
        )
        for run in runs
    ]


def opposition(bases, model, procedure=PUBLISHED, noise=0.0, **changes):
    pairs = tuple((base, k) for base in bases if base.run.model == model for k in (1, 2))
    training = toy.training(epochs=procedure.epochs)
    job = Opposition(
        pairs if model == "mlp" else pairs[:1],
        "published",
        procedure,
        strength=None,
        training=training,
        documents=30,
        options=Retrain(studies={}, procedures={}, start_noise=noise, collapsed=0.01),
    )
    return replace(job, **changes)


def test_adversaries_read_the_documents_of_their_base(bases):
    base = bases[0]
    assert list(base.training_reader().rows) == list(job_rows(base))
    some = base.training_reader(documents=30).rows
    assert len(some) == 30
    assert set(some) < set(base.training_reader().rows)
    bounded = replace(base, run=replace(base.run, tokens=200))
    assert set(bounded.training_reader(documents=10**6).rows) == set(job_rows(bounded))
    assert len(job_rows(bounded)) < len(job_rows(base))


def job_rows(base):
    """The rows that training reads for a run."""
    return training_rows(base.corpus, base.run.tokens, base.seed, base.run.study)


@pytest.mark.parametrize(("model", "runs"), [("mlp", 4), ("lstm", 1)])
def test_from_trained_bases_to_tables_twice_the_same(bases, model, runs):
    job = opposition(bases, model)
    one, two = train_adversaries(job), train_adversaries(job)
    assert set(one) == {"runs", "instances", "course"}
    for name, table in one.items():
        pd.testing.assert_frame_equal(table, two[name])
    assert len(one["runs"]) == 2 * runs
    assert set(one["runs"]["selected_on"]) == {"dev", "test"}
    assert len(one["instances"]) == 20 * runs
    assert len(one["course"]) == 3 * runs
    first = one["runs"].iloc[0]
    same = (one["instances"][["seed", "adversary"]] == first[["seed", "adversary"]]).all(axis=1)
    documents = one["instances"][same]
    assert first["stvd"] == pytest.approx(documents["stvd"].mean())
    assert first["jsd"] == pytest.approx(documents["jsd"].mean())
    assert first["accuracy"] == (documents["predicted"] == documents["label"]).mean()
    assert first["tvd"] == first["stvd"] / 2


@pytest.mark.parametrize("model", ["mlp", "lstm"])
def test_a_warm_start_begins_at_the_base(bases, model):
    warm = PUBLISHED.model_copy(update={"start": "base", "epochs": 1})
    still = toy.training(epochs=1, learning_rate=1e-9)
    near = train_adversaries(opposition(bases, model, warm, training=still))["runs"]
    assert near["jsd"].max() < 1e-9
    assert near["stvd"].max() < 1e-4
    noisy = opposition(bases, model, warm, training=still, noise=0.5)
    assert train_adversaries(noisy)["runs"]["jsd"].min() > 1e-7


def test_a_fresh_start_is_elsewhere(bases):
    assert train_adversaries(opposition(bases, "mlp"))["runs"]["jsd"].min() > 1e-7


def test_a_guided_model_is_trained_under_either_weights(bases):
    guided = run_of("guided", toy.model(projection={"kind": "frozen"}))
    table = train_adversaries(opposition(bases, "lstm", guided=guided))["guided"]
    assert table["weights_of"].value_counts().to_dict() == {"base": 40, "adversary": 40}
    assert set(table["predicted"]) <= {0, 1}
