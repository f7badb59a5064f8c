"""Results shared through a folder, and experiments from the queue."""

import shutil

import pytest

from tests.fixtures.project import digests
from tests.slow.repository import Repository

STAGE = "preprocess"
NOT_AGAIN = f"Stage '{STAGE}' didn't change, skipping"


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    repository = Repository(tmp_path_factory.mktemp("sharing") / "project")
    repository.dvc("repro", STAGE)
    store = repository.folder.parent / "store"
    repository.dvc("remote", "add", "--default", "store", str(store))
    return repository


def test_what_one_pushes_another_pulls(shared):
    corpora = digests(shared.folder / "data/corpora")
    assert corpora
    assert "files pushed" in shared.dvc("push", STAGE)
    shared.command("git", "add", "dvc.lock", ".dvc/config")
    shared.command("git", "commit", "-qm", "results")
    other = object.__new__(Repository)
    other.folder = shared.folder.parent / "other"
    shared.command("git", "clone", "-q", str(shared.folder), str(other.folder))
    assert not (other.folder / "data/corpora").exists()
    assert "added" in other.dvc("pull", STAGE)
    assert digests(other.folder / "data/corpora") == corpora
    assert NOT_AGAIN in other.dvc("repro", STAGE)
    shutil.rmtree(other.folder)


def test_experiments_from_the_queue(shared):
    for length in ("20", "30"):
        change = f"preprocess.max_length={length}"
        options = ("--queue", "-n", f"at-{length}", "-S", change, STAGE)
        assert f"Queued experiment 'at-{length}'" in shared.dvc("exp", "run", *options)
    shared.dvc("exp", "run", "--run-all", "--jobs", "2")
    experiments = shared.dvc("exp", "list", "--all-commits")
    assert "at-20" in experiments
    assert "at-30" in experiments
    shown = shared.dvc("exp", "show", "--no-pager", "--only-changed", "--drop", "^(data|stages)")
    assert "preprocess.max_length" in shown
