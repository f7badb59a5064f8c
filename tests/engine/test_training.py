"""One training job from files to files, on a toy corpus."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from stages.corpora import corpus as corpora
from stages.corpora.batching import Reader
from stages.engine.training import TrainingJob, train
from stages.nn import storage
from stages.nn.inputs import Inputs
from stages.settings.errors import UserError
from stages.settings.files import read_json
from stages.settings.runs import Run
from tests.fixtures.project import digests
from tests.nn import toy

LSTM = {"kind": "bilstm", "hidden": 3}


def run_of(name, model, seed=1, **changes):
    """A run on the toy corpus."""
    training = toy.training(epochs=2)
    values = {"value": None, "tokens": None} | changes
    return Run("s", "toy", "toy", name, seed=seed, settings=model, training=training, **values)


def job_of(folder, *runs, **changes):
    values = {"select_on": "dev", "add_boundary_tokens": True, "all_types": False} | changes
    return TrainingJob(runs, 7, folder / "corpus", folder, **values)


def trained(job, place):
    place.mkdir()
    train(job, place)
    return read_json(place / job.first.name / "model.json")


def write_inputs(folder):
    """The toy corpus, and its vectors as train_base reads them and as it links them."""
    (folder / "corpus").mkdir()
    corpora.save(toy.corpus(), folder / "corpus")
    for place in (folder, folder / "corpus"):
        np.savez(place / "vectors.npz", vectors=toy.vectors())
    return folder


@pytest.fixture
def folder(tmp_path):
    return write_inputs(tmp_path)


def test_two_trainings_write_the_same_bytes(folder):
    stack = [run_of("mlp", toy.model(), seed) for seed in (1, 2)]
    for name, runs in (("stacked", stack), ("lstm", [run_of("lstm", toy.model(encoder=LSTM))])):
        job = job_of(folder, *runs)
        about = trained(job, folder / f"{name}-1")
        trained(job, folder / f"{name}-2")
        written = digests(folder / f"{name}-1")
        assert written == digests(folder / f"{name}-2")
        assert {Path(file).parent.name for file in written} == {run.name for run in runs}
        assert (about["scores"]["test"]["n"], about["selected_on"]) == (40, "dev")
        assert (folder / f"{name}-1" / runs[0].name / storage.WEIGHTS).is_file()


def test_dropout_of_a_run_does_not_depend_on_the_runs_before_it(folder):
    runs = [run_of("mlp", toy.model(dropout={"embedded": 0.5}), seed) for seed in (1, 2, 3)]
    for first in (0, 1):
        trained(job_of(folder, *runs[first:]), folder / str(first))
    assert digests(folder / "0" / "mlp+3") == digests(folder / "1" / "mlp+3")


@pytest.mark.parametrize("two_classes", ["sigmoid", "softmax"])
@pytest.mark.parametrize("select_on", ["dev", "test"])
def test_predictions_of_the_test_documents_are_those_of_the_stored_model(
    folder, two_classes, select_on
):
    stack = [run_of("mlp", toy.model(two_classes=two_classes), seed) for seed in (1, 2)]
    job = job_of(folder, *stack, select_on=select_on)
    trained(job, folder / "out")
    corpus = toy.corpus()
    reader = Reader(corpus, "test")
    for run in stack:
        table = pd.read_parquet(folder / "out" / run.name / "predictions.parquet")
        model = storage.load(folder / "out" / run.name, corpus)
        for number, row in enumerate(table.itertuples(index=False)):  # document by document
            logits = model(Inputs.of(reader.batch([number]))).logits
            (output,) = model.probabilities(logits).detach()
            by_class = output.tolist() if len(output) > 1 else [1 - float(output), float(output)]
            assert (row.row, row.label) == (number, corpus.parts["test"].labels[number])
            assert by_class[row.predicted] == max(by_class)
            assert row.probability == pytest.approx(max(by_class), abs=1e-6)
        scores = read_json(folder / "out" / run.name / "model.json")["scores"]["test"]
        assert len(table) == scores["n"]
        assert (table["label"] == table["predicted"]).mean() == scores["accuracy"]
        assert table["probability"].dtype == np.float32


def test_the_budget_of_tokens_holds_and_keeps_the_classes(folder):
    about = trained(job_of(folder, run_of("mlp", toy.model(), tokens=200)), folder / "out")
    assert about["train_tokens"] - 2 * about["train_documents"] <= 200  # boundary tokens
    assert 20 < about["train_documents"] < 60


def test_attention_frozen_to_that_of_another_run(folder):
    trained(job_of(folder, run_of("base", toy.model())), folder / "base")
    frozen = run_of("frozen", toy.model(projection={"kind": "frozen"}, weights_of="base"))
    job = job_of(folder, frozen, base=folder / "base" / "base+1")
    assert trained(job, folder / "frozen")["scores"]["dev"]["n"] == 40


def test_vectors_of_another_vocabulary_are_refused(folder):
    np.savez(folder / "vectors.npz", vectors=toy.vectors(size=9))
    with pytest.raises(UserError, match="has 9 rows, the corpus toy has 12 words; run embed again"):
        trained(job_of(folder, run_of("mlp", toy.model())), folder / "out")


def test_a_class_without_examples_is_refused(folder):
    corpus = toy.corpus()
    corpus.parts["train"].labels[:] = 0
    corpora.save(corpus, folder / "corpus")
    with pytest.raises(UserError, match="data set toy: class yes has no training example"):
        trained(job_of(folder, run_of("mlp", toy.model())), folder / "out")


def test_hierarchical_models_need_sentences(folder):
    han = toy.model(encoder={"kind": "bigru", "hidden": 3}, architecture="hierarchical")
    with pytest.raises(UserError, match="data set toy has no sentences"):
        trained(job_of(folder, run_of("han", han), add_boundary_tokens=False), folder / "out")


def test_a_run_with_the_draws_of_another_differs_in_the_selected_epoch_only(folder):
    shared = toy.training(epochs=2, select_on="test", draws_of="mlp")
    histories = []
    for name, training in (("mlp", toy.training(epochs=2)), ("mlp-test", shared)):
        run = replace(run_of(name, toy.model()), training=training)
        job = job_of(folder, run, select_on=training.select_on or "dev")
        about = trained(job, folder / name)
        histories.append(pd.read_csv(folder / name / run.name / "history.csv")["loss"].tolist())
    assert about["selected_on"] == "test"
    assert histories[0] == histories[1]
