"""The same bytes from two worker processes of a dask cluster as from this machine's own."""

import shutil
import sys

import pytest

from stages.engine import cluster as engine
from stages.settings.errors import UserError
from tests.fixtures.project import PATIENCE
from tests.slow.clusters import Cluster

TRAIN = ("train_base", "pooled", "--only", "tickets")
PERMUTE = ("permutation", "pooled", "--only", "tickets")


def configure(project, tokens=400, **engine):
    changes = {f"engine/{key}": value for key, value in engine.items()}
    project.write(changes | {"scales/small/train_base/pooled/tokens": tokens})


def forget(project):
    for name in ("models", "data/results", "data/jobs"):
        shutil.rmtree(project.folder / name, ignore_errors=True)


@pytest.fixture(scope="module")
def project(prepared, tmp_path_factory):
    """A prepared project, and what the local engine makes of it."""
    project = prepared.copy(tmp_path_factory.mktemp("project") / "project")
    for command in (TRAIN, PERMUTE):
        project.make(*command)
    return project, project.outputs()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    cluster = Cluster(tmp_path_factory.mktemp("cluster"))
    try:
        cluster.add(2)
        yield cluster
    finally:
        cluster.close()


def test_two_workers_make_the_same_bytes(project, cluster):
    project, expected = project
    assert len([name for name in expected if name.endswith("weights.safetensors")]) == 5
    assert any(name.startswith("pooled/permutation/tickets/") for name in expected)
    forget(project)
    configure(project, kind="dask", scheduler=cluster.address)
    assert project.run(*TRAIN) == (0, "")
    assert project.run(*PERMUTE) == (0, "")
    assert project.outputs() == expected


def test_another_setting_reaches_workers_that_are_already_there(project, cluster):
    project, expected = project
    forget(project)
    configure(project, tokens=100, kind="dask", scheduler=cluster.address)
    assert project.run(*TRAIN) == (0, "")
    fewer = project.outputs()
    forget(project)
    configure(project, tokens=100)
    assert project.run(*TRAIN) == (0, "")
    assert fewer == project.outputs()
    weights = [name for name in fewer if name.endswith(".safetensors")]
    assert not [name for name in weights if fewer[name] == expected[name]]


@pytest.mark.parametrize("kind", ["local", "dask"])
def test_a_job_that_fails_is_named_with_its_settings_and_the_others_are_kept(
    project, cluster, kind
):
    project, expected = project
    forget(project)
    configure(project, kind=kind, scheduler=cluster.address)
    part = "stages/nn/scores/dot.py"
    whole = (project.folder / part).read_text()
    (project.folder / part).write_text(f"{whole}\nraise ValueError('no dot')\n")
    try:
        code, output = project.run(*TRAIN)
    finally:
        (project.folder / part).write_text(whole)
    line = "train_base.py: 1 of 4 jobs failed and the others are done: pooled tickets bilstm-dot+1:"
    last = output.strip().splitlines()[-1]
    assert code == 1
    assert last == f"{line} ValueError: no dot"
    assert '"kind": "bilstm", "hidden": 4' in output
    assert len(project.jobs()) == 3
    assert not (project.folder / "models").exists()
    assert "3 of 4 jobs are in the store" in project.make(*TRAIN)
    models = {name: d for name, d in expected.items() if name.startswith("pooled/tickets")}
    assert project.outputs() == models


def test_a_worker_killed_in_the_middle_loses_nothing(project, cluster):
    project, expected = project
    cluster.add()
    forget(project)
    configure(project, kind="dask", scheduler=cluster.address)
    for command in (TRAIN, PERMUTE):
        with cluster.client() as client:
            running = project.start(*command)
            cluster.kill_a_busy_one(client)
            assert running.poll() is None  # in the middle
            output, _ = running.communicate(timeout=PATIENCE)
        assert running.returncode == 0, output
        cluster.add()
    assert project.outputs() == expected


def test_a_scheduler_that_does_not_answer_is_one_sentence(project):
    project, _ = project
    forget(project)
    configure(project, kind="dask", scheduler="tcp://127.0.0.1:9")
    code, output = project.run(*TRAIN)
    assert code == 1
    assert output.startswith("train_base.py: engine.scheduler: no dask scheduler answers at tcp:")
    assert output.count("\n") == 1


def test_without_the_package_the_message_names_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    fault = "dask needs the package distributed, which is not installed"
    with pytest.raises(UserError, match=fault):
        next(engine.events(print, [1], "tcp://127.0.0.1:9", 1))
