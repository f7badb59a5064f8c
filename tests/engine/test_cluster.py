"""The same bytes from two worker processes of a dask cluster as from this machine's own.

bAbI 1 at smoke scale, four models of Jain & Wallace: trained, then searched for adversaries.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from ruamel.yaml import YAML

from tests.engine.clusters import Cluster

ROOT = Path(__file__).resolve().parents[2]
TRAIN = ("train_base", "jain-wallace", "babi", "--vectors", "data/vectors/babi/normal")
SEARCH = ("adversarial", "jain-wallace", "babi")
WITHOUT = ["average-frozen", "bilstm-dot", "average-dot"]
PATIENCE = 1200  # seconds; a loaded machine is no failure


def start(folder, stage, *arguments):
    return subprocess.Popen(
        [sys.executable, "-m", f"stages.{stage}", *arguments],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={k: v for k, v in os.environ.items() if k != "PYTHONPATH"},
    )


def run(folder, *command):
    process = start(folder, *command)
    try:
        printed, _ = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    return process.returncode, printed


def configure(folder, tokens=4000, **engine):
    raw = YAML(typ="safe").load(ROOT / "params.yaml")
    raw["scale"] = "smoke"
    raw["datasets"]["babi"]["variants"] = {"1": raw["datasets"]["babi"]["variants"]["1"]}
    raw["studies"]["jain-wallace"]["for_dataset"]["babi"]["without"] = WITHOUT
    budget = raw["scales"]["smoke"]
    budget["train_base"]["jain-wallace"]["tokens"] = tokens
    budget["processes"] = 2
    raw["engine"] |= engine
    with (folder / "params.yaml").open("w", encoding="utf-8") as file:
        YAML(typ="safe").dump(raw, file)


def digests(folder):
    found = [path for part in ("models", "data/results") for path in (folder / part).rglob("*")]
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in found
        if path.is_file()
    }


def forget(folder):
    shutil.rmtree(folder / "models", ignore_errors=True)
    shutil.rmtree(folder / "data/results", ignore_errors=True)


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A copy of the code with one data set prepared, and what the local engine makes of it."""
    folder = tmp_path_factory.mktemp("project")
    shutil.copytree(ROOT / "stages", folder / "stages", ignore=shutil.ignore_patterns("*.pyc"))
    configure(folder)
    for command in (
        ("preprocess", "babi", "--text", "params.yaml"),
        ("embed", "babi", "normal", "--source", "params.yaml"),
        TRAIN,
        SEARCH,
    ):
        assert run(folder, *command) == (0, "")
    return folder, digests(folder)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    made = Cluster(tmp_path_factory.mktemp("cluster"))
    try:
        made.add(2)
        yield made
    finally:
        made.close()


def test_two_workers_make_the_same_bytes(project, cluster):
    folder, wanted = project
    assert len([name for name in wanted if name.endswith("weights.safetensors")]) == 4
    assert any(name.endswith("adversarial/jain-wallace/babi/instances.parquet") for name in wanted)
    forget(folder)
    configure(folder, kind="dask", scheduler=cluster.address)
    assert run(folder, *TRAIN) == (0, "")
    assert run(folder, *SEARCH) == (0, "")
    assert digests(folder) == wanted


def test_another_setting_reaches_workers_that_are_already_there(project, cluster):
    folder, wanted = project
    forget(folder)
    configure(folder, tokens=2000, kind="dask", scheduler=cluster.address)
    assert run(folder, *TRAIN) == (0, "")
    fewer = digests(folder)
    forget(folder)
    configure(folder, tokens=2000)
    assert run(folder, *TRAIN) == (0, "")
    assert fewer == digests(folder)
    same = [name for name in fewer if name.endswith(".safetensors") and fewer[name] == wanted[name]]
    assert not same


def test_a_cell_that_fails_is_named_with_its_settings_and_the_others_are_kept(project, cluster):
    folder, wanted = project
    forget(folder)
    configure(folder, kind="dask", scheduler=cluster.address)
    blocked = folder / "models/jain-wallace/babi/babi-1/cnn-dot+1"
    blocked.parent.mkdir(parents=True)
    blocked.symlink_to("nowhere")  # no folder can take its place
    for engine in ({}, {"kind": "dask", "scheduler": cluster.address}):
        configure(folder, **engine)
        code, printed = run(folder, *TRAIN)
        last = printed.strip().splitlines()[-1]
        assert code == 1
        assert last.startswith("train_base.py: 1 of 4 cells failed and the others are done: ")
        assert "jain-wallace babi-1 cnn-dot+1: " in last
        assert '"kernels": [1, 3, 5, 7]' in printed
    kept = {name for name in digests(folder) if name.endswith("weights.safetensors")}
    assert len(kept) == 3
    blocked.unlink()
    assert run(folder, *TRAIN) == (0, "")
    models = {name: digest for name, digest in wanted.items() if name.startswith("models")}
    assert digests(folder) == models


def test_a_test_that_fails_goes_on_from_what_was_done(project):
    folder, wanted = project
    configure(folder)
    assert run(folder, *TRAIN) == (0, "")
    weights = folder / "models/jain-wallace/babi/babi-1/cnn-dot+1/weights.safetensors"
    whole = weights.read_bytes()
    weights.write_bytes(whole[:100])
    shutil.rmtree(folder / "data/results", ignore_errors=True)
    code, printed = run(folder, *SEARCH)
    last = printed.strip().splitlines()[-1]
    assert code == 1
    assert last.startswith("adversarial.py: 1 of 4 cells failed and the others are done: jain-w")
    assert not (folder / "data/results").exists()
    kept = folder / "data/partial/adversarial/jain-wallace/babi/babi-1"
    assert {path.name for path in kept.iterdir()} == {
        "bilstm-additive+1",
        "cnn-additive+1",
        "average-additive+1",
    }
    # only by a mark put there can one see that it is read, not made again
    marked = kept / "cnn-additive+1/instances.parquet"
    rows = pd.read_parquet(marked)
    rows.iloc[1:].to_parquet(marked, index=False)
    weights.write_bytes(whole)
    assert run(folder, *SEARCH) == (0, "")
    assert not kept.exists()
    table = "data/results/adversarial/jain-wallace/babi/instances.parquet"
    assert len(pd.read_parquet(folder / table)) == 4 * len(rows) - 1
    assert run(folder, *SEARCH) == (0, "")  # finished with the same models, settings and code
    assert len(pd.read_parquet(folder / table)) == 4 * len(rows) - 1
    shutil.rmtree(folder / "data/results")
    assert run(folder, *SEARCH) == (0, "")
    assert digests(folder) == wanted


def test_a_study_or_data_set_that_is_not_listed_is_one_sentence(project):
    folder, _ = project
    configure(folder)
    listed = "erasures: of params.yaml lists no"
    assert run(folder, "erasure", "meister") == (
        1,
        f"erasure.py: {listed} data set of meister; allowed: jain-wallace, serrano-smith\n",
    )
    assert run(folder, "erasure", "jain-wallace", "babi") == (
        1,
        f"erasure.py: {listed} babi of jain-wallace; allowed: imdb, rotten-tomatoes\n",
    )


def test_a_worker_killed_in_the_middle_loses_nothing(project, cluster):
    folder, wanted = project
    cluster.add()
    for command in (TRAIN, SEARCH):
        if command == TRAIN:
            forget(folder)
        configure(folder, kind="dask", scheduler=cluster.address)
        with cluster.client() as client:
            running = start(folder, *command)
            cluster.kill_a_busy_one(client)
            assert running.poll() is None  # in the middle
            printed, _ = running.communicate(timeout=PATIENCE)
        assert running.returncode == 0, printed
        cluster.add()
    assert digests(folder) == wanted


def test_a_scheduler_that_does_not_answer_is_one_sentence(project):
    folder, _ = project
    configure(folder, kind="dask", scheduler="tcp://127.0.0.1:9")
    code, printed = run(folder, *TRAIN)
    assert code == 1
    assert printed.startswith("train_base.py: engine.scheduler: no dask scheduler answers at tcp:")
    assert printed.count("\n") == 1


def test_without_the_package_the_refusal_names_it(monkeypatch):
    from stages.engine import cluster
    from stages.settings.errors import UserError

    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(
        UserError, match=r"dask needs the package distributed, which is not installed"
    ):
        next(cluster.events(print, [1], "tcp://127.0.0.1:9", 1))
