"""DVC on the small project: no-op, what a change re-runs, scales, identical bytes."""

import shutil

import pytest

from tests.fixtures.project import PARAMS, digests
from tests.slow.repository import Repository

POOLED = {"correlation", "permutation", "adversarial", "erasure", "retrain"}
SCALED = {"polarity", "dispersion"}
RATE = "studies/pooled/training/learning_rate"


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    """The repository after `dvc repro`."""
    repository = Repository(tmp_path_factory.mktemp("dag") / "project")
    repository.first = repository.stages_run("repro")
    return repository


@pytest.fixture
def restored(repository):
    """The first state after the test."""
    yield repository
    repository.write()
    repository.dvc("repro")


def made(repository):
    parts = ("models", "data/corpora", "data/vectors", "data/results")
    return {part: digests(repository.folder / part) for part in parts}


def test_every_stage_runs_once_and_a_second_run_is_a_no_op(repository):
    prepared = {"preprocess", "embed", "train_base@pooled", "train_base@scaled"}
    analysed = {f"{name}@pooled" for name in POOLED} | {f"{name}@scaled" for name in SCALED}
    assert repository.first == prepared | analysed
    assert "Data and pipelines are up to date" in repository.dvc("repro")
    assert "Data and pipelines are up to date" in repository.dvc("status")


def test_status_names_the_key_and_the_stages_of_a_changed_learning_rate(restored):
    jobs = set(restored.jobs())
    restored.write({RATE: 0.02})
    status = restored.dvc("status")
    stages = {line.rstrip(":") for line in status.splitlines() if line[:1].isalpha()}
    reading = {f"{name}@pooled" for name in POOLED}
    assert {"train_base@pooled"} <= stages <= {"train_base@pooled"} | reading
    assert "studies.pooled" in status
    assert "modified" in status
    assert "studies.scaled" not in status
    assert restored.stages_run("repro") == {"train_base@pooled"} | reading
    assert restored.stages_run("repro", "-f", "-s", "train_base@pooled") == {"train_base@pooled"}
    new = {name.split()[0] for key, name in restored.jobs().items() if key not in jobs}
    assert new == {"pooled", *POOLED}


def test_an_override_for_one_data_set_trains_that_one_only(restored):
    jobs = set(restored.jobs())
    change = {"for": {"dataset": "tickets", "model": "bilstm-dot"}, "set": {"training.batch": 4}}
    restored.write(
        {"studies/pooled/overrides": [*PARAMS["studies"]["pooled"]["overrides"], change]}
    )
    restored.stages_run("repro", "train_base@pooled")
    new = [name for key, name in restored.jobs().items() if key not in jobs]
    assert new == ["pooled tickets bilstm-dot+1"]


def test_another_scale_and_back_trains_nothing(restored):
    before, jobs = made(restored), set(restored.jobs())
    restored.write({"scale": "large"})
    assert "train_base@pooled" in restored.stages_run("repro", "train_base")
    assert set(restored.jobs()) > jobs
    jobs = times(restored)
    restored.write()
    assert not {name for name in restored.stages_run("repro") if "train_base" in name}
    assert times(restored) == jobs
    assert made(restored) == before


def times(repository):
    return {path: path.stat().st_mtime_ns for path in repository.records()}


def test_run_again_from_nothing_the_bytes_are_the_same(repository):
    before = made(repository)
    assert all(before.values())
    shutil.rmtree(repository.folder / "data/jobs")
    repository.dvc("repro", "-f", "retrain@pooled", "polarity@scaled")
    assert made(repository) == before


def test_the_engine_is_no_dependency(restored):
    restored.write({"engine": {"kind": "dask", "scheduler": "tcp://127.0.0.1:9", "tries": 5}})
    assert "Data and pipelines are up to date" in restored.dvc("status")


def test_a_mistake_stops_with_one_sentence_and_loses_nothing(restored):
    before = made(restored)
    restored.write(catalogue={"datasets/babi/max_lenght": 9})
    with pytest.raises(AssertionError) as error:
        restored.dvc("repro", "preprocess")
    lines = [line for line in str(error.value).splitlines() if "max_lenght" in line]
    assert "preprocess.py: data/catalogue.yaml: datasets.babi-1: unknown key 'max_" in lines[0]
    restored.write()
    assert not restored.stages_run("repro")  # DVC's run cache still has the outputs
    assert made(restored) == before
