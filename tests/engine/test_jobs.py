"""Jobs from files to files: cells, groups, resuming, frozen attention, refusals."""

from pathlib import Path

import numpy as np
import pytest
from stages.engine.cells import cells_of

from stages.corpora import corpus as corpora
from stages.engine.training import Job, grouped, train
from stages.nn import storage
from stages.settings.errors import UserError
from stages.settings.files import read_json
from stages.settings.studies import Study
from tests.nn import toy

BASE = {
    "seeds": (1, 2),
    "select_on": "dev",
    "add_boundary_tokens": True,
    "vocabulary": "known",
    "vectors": "embed",
    "together": False,
}


def study(models, **changes):
    dumped = {name: model.model_dump() for name, model in models.items()}
    training = toy.training(epochs=2).model_dump()
    return Study.model_validate(BASE | {"models": dumped, "training": training} | changes)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "corpus").mkdir()
    corpora.save(toy.corpus(), tmp_path / "corpus")
    np.savez(tmp_path / "vectors.npz", vectors=toy.vectors())
    return tmp_path


def jobs(folder, settings, fingerprint="f", tokens=None):
    return [
        Job(
            "jain-wallace",
            "toy",
            settings,
            cells,
            7,
            tokens,
            folder / "corpus",
            folder,
            folder / "models",
            fingerprint,
        )
        for cells in grouped(cells_of(settings), settings.together)
    ]


def test_cells_are_models_times_values_times_seeds():
    varied = toy.model(
        projection={"kind": "sparsegen", "strength": 0.0}, each={"projection.strength": (-1.0, 0.5)}
    )
    cells = cells_of(study({"a": toy.model(), "b": varied}))
    assert [cell.name for cell in cells] == ["a+1", "a+2", "b@-1+1", "b@-1+2", "b@0.5+1", "b@0.5+2"]
    assert cells[-1].settings.projection.options == {"strength": 0.5}


def test_only_models_without_recurrence_are_trained_together():
    lstm = toy.model(encoder={"kind": "bilstm", "hidden": 3})
    cells = cells_of(study({"mlp": toy.model(), "lstm": lstm}))
    names = [[cell.name for cell in group] for group in grouped(cells, True)]
    assert names == [["mlp+1", "mlp+2"], ["lstm+1"], ["lstm+2"]]
    assert len(grouped(cells, False)) == 4


@pytest.mark.parametrize("together", [True, False])
def test_a_finished_cell_is_not_trained_again(folder, together):
    settings = study({"mlp": toy.model()}, together=together)
    for job in jobs(folder, settings):
        train(job)
    weights = folder / "models/mlp+1" / storage.WEIGHTS
    about = read_json(folder / "models/mlp+1/model.json")
    assert about["scores"]["test"]["n"] == 40
    assert about["selected_on"] == "dev"
    stamp = weights.stat().st_mtime_ns
    (folder / "models/mlp+2/model.json").unlink()  # as after a kill in the middle of this cell
    for job in jobs(folder, settings):
        train(job)
    assert weights.stat().st_mtime_ns == stamp
    assert (folder / "models/mlp+2/model.json").is_file()
    for job in jobs(folder, settings, fingerprint="other settings"):
        train(job)
    assert weights.stat().st_mtime_ns != stamp


def test_the_budget_of_tokens_holds_and_keeps_the_classes(folder):
    settings = study({"mlp": toy.model()}, seeds=(1,))
    (job,) = jobs(folder, settings, tokens=200)
    train(job)
    about = read_json(folder / "models/mlp+1/model.json")
    assert about["train_tokens"] - 2 * about["train_documents"] <= 200  # ends are not counted
    assert 20 < about["train_documents"] < 60


def test_attention_frozen_to_another_models(folder):
    frozen = toy.model(projection={"kind": "frozen"}, weights_of="base")
    settings = study({"base": toy.model(), "frozen": frozen}, seeds=(1,))
    for job in jobs(folder, settings):
        train(job)
    assert read_json(folder / "models/frozen+1/model.json")["scores"]["dev"]["n"] == 40


def test_vectors_of_another_vocabulary_are_refused(folder):
    np.savez(folder / "vectors.npz", vectors=toy.vectors(size=9))
    with pytest.raises(UserError, match="has 9 rows, the corpus toy knows 12 words"):
        train(jobs(folder, study({"mlp": toy.model()}))[0])
    assert not (folder / "models/mlp+1").exists()


def test_a_class_without_examples_is_refused(folder):
    corpus = toy.corpus()
    corpus.parts["train"].labels[:] = 0
    corpora.save(corpus, folder / "corpus")
    with pytest.raises(UserError, match="data set toy: class yes has no training example"):
        train(jobs(folder, study({"mlp": toy.model()}))[0])


def test_hierarchical_models_need_sentences(folder):
    han = toy.model(encoder={"kind": "bigru", "hidden": 3}, architecture="hierarchical")
    with pytest.raises(UserError, match="data set toy has no sentences"):
        train(jobs(folder, study({"han": han}, add_boundary_tokens=False))[0])


def test_papers_selection_on_test_is_named(folder):
    settings = study({"mlp": toy.model()}, select_on="test", seeds=(1,))
    train(jobs(folder, settings)[0])
    assert read_json(folder / "models/mlp+1/model.json")["selected_on"] == "test"


def test_frozen_attention_follows_the_model_it_is_taken_from():
    from argparse import Namespace

    from stages.settings.params import load
    from stages.train_base import chained, jobs_of

    settings = load(Path(__file__).parents[2] / "params.yaml")
    made = Path("nowhere")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("stages.train_base.files_digest", lambda *files: "x")
        given = Namespace(study="jain-wallace", family="imdb", vectors=made)
        jobs = jobs_of(given, settings, "imdb")
        chains = chained(jobs)
        lambdas = Namespace(study="sun-lu", family="imdb", vectors=made)
        scaled = jobs_of(lambdas, settings, "imdb")
    names = [[job.cells[0].name for job in chain] for chain in chains]
    assert ["bilstm-additive+1", "average-frozen+1"] in names
    assert sorted(name for chain in names for name in chain) == sorted(
        job.cells[0].name for job in jobs
    )
    kinds = [chain[0].cells[0].settings.encoder.kind for chain in chains]
    assert kinds == sorted(kinds, key=lambda kind: kind == "average")
    assert sum(map(len, chained(scaled))) == len(scaled)  # one for every lambda
