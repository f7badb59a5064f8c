"""Results shared through a folder, and a sweep from the queue: what the README shows, done.

Only data that the project itself generates, so that nothing is fetched.
"""

import shutil

import pytest
from dvc.utils.serialize import modify_yaml

from tests.pipeline.conftest import clone
from tests.pipeline.test_smoke import digests

STAGE = "preprocess@synthetic"
NOT_AGAIN = f"Stage '{STAGE}' didn't change, skipping"


def _smaller(path):
    with modify_yaml(str(path)) as params:
        params["scale"] = "smoke"


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    made = clone(tmp_path_factory.mktemp("sharing") / "project", _smaller)
    made.store = made.folder.parent / "store"
    made.dvc("repro", STAGE)
    made.dvc("remote", "add", "--default", "store", str(made.store))
    return made


def test_what_one_pushes_another_pulls(shared):
    corpora = shared.folder / "data/corpora/synthetic"
    wanted = digests(corpora)
    assert wanted
    print(pushed := shared.dvc("push", STAGE))
    assert "files pushed" in pushed
    shared.run("git", "add", "dvc.lock", ".dvc/config")
    shared.run("git", "commit", "-qm", "results")
    other = type(shared)(shared.folder.parent / "other")
    shared.run("git", "clone", "-q", str(shared.folder), str(other.folder))
    assert not (other.folder / "data/corpora").exists()
    print(pulled := other.dvc("pull", STAGE))
    assert "added" in pulled
    assert digests(other.folder / "data/corpora/synthetic") == wanted
    assert NOT_AGAIN in other.dvc("repro", STAGE)  # settings are made, which takes no second
    shutil.rmtree(other.folder)


def test_an_engine_of_another_kind_makes_nothing_stale(shared):
    with modify_yaml(str(shared.folder / "params.yaml")) as params:
        params["engine"] |= {"kind": "dask", "scheduler": "tcp://127.0.0.1:9", "tries": 5}
    assert NOT_AGAIN in shared.dvc("repro", STAGE)
    shared.run("git", "checkout", "-q", "params.yaml")


def test_a_sweep_from_the_queue(shared):
    for length in ("20", "30"):
        change = f"preprocess.max_length={length}"
        print(
            queued := shared.dvc("exp", "run", "--queue", "-n", f"at-{length}", "-S", change, STAGE)
        )
        assert f"Queued experiment 'at-{length}'" in queued
    print(shared.dvc("queue", "status"))
    print(shared.dvc("exp", "run", "--run-all", "--jobs", "2"))
    print(listed := shared.dvc("exp", "list", "--all-commits"))
    assert "at-20" in listed
    assert "at-30" in listed
    print(
        shown := shared.dvc(
            "exp", "show", "--no-pager", "--only-changed", "--drop", "^(data|models|reports|stages)"
        )
    )
    assert "preprocess.max_length" in shown
