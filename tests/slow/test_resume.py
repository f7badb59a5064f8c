"""A stage that is killed goes on with the unfinished jobs and ends with the same bytes."""

import os
import re
import signal
import time

import pytest

from tests.fixtures.project import PATIENCE, digests


def outputs(project):
    folder = project.folder
    results = {f"results/{k}": v for k, v in digests(folder / "data/results").items()}
    return results | {f"models/{k}": v for k, v in digests(folder / "models").items()}


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
    records = (project.folder / "data/jobs").glob("*/job.json")
    return {path: path.stat().st_mtime_ns for path in records}


@pytest.mark.parametrize(
    ("stage", "processes", "jobs"),
    [
        ("train_base", 1, 18),
        ("train_base", 2, 18),
        ("permutation", 1, 11),
        ("correlation", 2, 15),
        ("retrain", 1, 17),
    ],
)
def test_a_killed_stage_resumes(prepared, trained, tmp_path, stage, processes, jobs):
    start = prepared if stage == "train_base" else trained
    whole, broken = (start.copy(tmp_path / name) for name in ("whole", "broken"))
    whole.make(stage, "pooled")
    broken.write({"scales/small/processes": processes})
    before = outputs(broken)
    kill_after_first_job(broken, stage, "pooled")
    assert outputs(broken) == before  # nothing half-written
    finished = times(broken)
    done = len(set(broken.jobs()) - set(start.jobs()))
    assert 1 <= done < jobs
    line = re.search(r"(\d+) of (\d+) jobs are in the store", broken.make(stage, "pooled"))
    assert (int(line[1]), int(line[2])) == (done, jobs)
    assert finished.items() <= times(broken).items()  # not run again
    assert outputs(broken) == outputs(whole)
    assert broken.jobs() == whole.jobs()
    broken.make("engine.jobs", "--prune")  # removes what the killed jobs left
    kept = {path.name for path in (broken.folder / "data/jobs").iterdir()} - {"used"}
    assert kept <= set(whole.jobs())
    assert set(broken.make(stage, "pooled").splitlines()) == {
        f"{stage} pooled: {jobs} of {jobs} jobs are in the store",
        *(
            ["train_base pooled, frozen attention: 3 of 3 jobs are in the store"]
            * (stage[0] == "t")
        ),
    }


def test_a_damaged_file_of_the_store_is_made_again(trained, tmp_path):
    project = trained.copy(tmp_path / "project")
    before = outputs(project)
    model = project.folder / "models/pooled/tickets/bilstm-dot+1/weights.safetensors"
    key = next(key for key, name in project.jobs().items() if name == "pooled tickets bilstm-dot+1")
    stored = project.folder / f"data/jobs/{key}/bilstm-dot+1/weights.safetensors"
    stored.unlink()  # may be a link to the model
    stored.write_bytes(model.read_bytes()[:-1] + b"x")
    output = project.make("train_base", "pooled")
    assert f"data/jobs/{key}/bilstm-dot+1/weights.safetensors is damaged; pooled tick" in output
    assert "17 of 18 jobs are in the store" in output
    assert outputs(project) == before


def test_only_some_data_sets_leave_the_others_alone(trained, tmp_path):
    project = trained.copy(tmp_path / "project")
    before = outputs(project)
    assert "tickets" in {name.split("/")[2] for name in before}
    project.write({"studies/pooled/training/learning_rate": 0.02})
    project.make("train_base", "pooled", "--only", "tickets")
    changed = {name for name, digest in outputs(project).items() if before[name] != digest}
    assert {name.split("/")[2] for name in changed} == {"tickets"}
    assert project.run("train_base", "pooled", "--only", "imdb") == (
        1,
        "train_base.py: --only: no imdb of pooled; allowed: synthetic, babi, tickets\n",
    )
    assert project.run("erasure", "scaled") == (
        1,
        "erasure.py: analyses.erasure.studies has no scaled; allowed: pooled\n",
    )
    assert project.run("train_base", "pool")[1] == (
        "train_base.py: no study 'pool'; allowed: pooled, scaled\n"
    )
