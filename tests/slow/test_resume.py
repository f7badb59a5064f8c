"""A stage that is killed goes on with the unfinished jobs and ends with the same bytes."""

import os
import signal
import time

import pytest

from tests.fixtures.project import PATIENCE


def kill_after_first_job(project, *command):
    """SIGKILL to a stage and its processes as soon as one more job is in the store."""
    before = set(project.jobs())
    process = project.start(*command)
    until = time.monotonic() + PATIENCE
    while set(project.jobs()) == before:
        assert process.poll() is None, process.communicate()[0]
        assert time.monotonic() < until
        time.sleep(0.005)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL


def times(project):
    return {path: path.stat().st_mtime_ns for path in project.records()}


@pytest.mark.parametrize(
    ("stage", "processes"),
    [("train_base", 2), ("permutation", 1), ("retrain", 1)],
)
def test_a_killed_stage_resumes(prepared, trained, tmp_path, stage, processes):
    start = prepared if stage == "train_base" else trained
    whole, broken = (start.copy(tmp_path / name) for name in ("whole", "broken"))
    whole.make(stage, "pooled")
    broken.write({"scales/small/processes": processes})
    before = broken.outputs()
    kill_after_first_job(broken, stage, "pooled")
    assert broken.outputs() == before  # nothing half-written
    finished = times(broken)
    done = len(finished) - len(start.jobs())
    after = [name for name in whole.jobs().values() if "average-frozen" in name]
    jobs = len(whole.jobs()) - len(start.jobs()) - (len(after) if stage == "train_base" else 0)
    assert 1 <= done < jobs
    assert f"{stage} pooled: {done} of {jobs} jobs are in the store\n" in broken.make(
        stage, "pooled"
    )
    assert finished.items() <= times(broken).items()  # not run again
    assert broken.outputs() == whole.outputs()
    assert broken.jobs() == whole.jobs()
    broken.make("engine.jobs", "--prune")  # removes what the killed jobs left
    folders = {path.name for path in (broken.folder / "data/jobs").iterdir()}
    assert folders == {*whole.jobs(), "used"}
    assert f"{stage} pooled: {jobs} of {jobs} jobs are" in broken.make(stage, "pooled")


def test_a_damaged_file_of_the_store_is_made_again(trained, tmp_path):
    project = trained.copy(tmp_path / "project")
    before = project.outputs()
    model = project.folder / "models/pooled/tickets/bilstm-dot+1/weights.safetensors"
    key = next(key for key, name in project.jobs().items() if name == "pooled tickets bilstm-dot+1")
    stored = project.folder / f"data/jobs/{key}/bilstm-dot+1/weights.safetensors"
    stored.unlink()  # may be a link to the model
    stored.write_bytes(model.read_bytes()[:-1] + b"x")
    output = project.make("train_base", "pooled")
    assert f"data/jobs/{key}/bilstm-dot+1/weights.safetensors is damaged; pooled tick" in output
    assert "17 of 18 jobs are in the store" in output
    assert project.outputs() == before


def test_only_some_data_sets_leave_the_others_alone(trained, tmp_path):
    project = trained.copy(tmp_path / "project")
    before = project.outputs()
    assert "tickets" in {name.split("/")[1] for name in before}
    project.write({"studies/pooled/training/learning_rate": 0.02})
    project.make("train_base", "pooled", "--only", "tickets")
    changed = {name for name, digest in project.outputs().items() if before[name] != digest}
    assert {name.split("/")[1] for name in changed} == {"tickets"}
    assert project.run("train_base", "pooled", "--only", "imdb") == (
        1,
        "train_base.py: --only: no imdb of pooled; allowed: synthetic, babi, tickets\n",
    )
