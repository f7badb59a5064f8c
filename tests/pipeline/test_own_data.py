"""A user's own private file through the nodes: it works, and not a word of it gets out of data/."""

import csv
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
SECRET = [f"secretword{i}" for i in range(40)]
ENTRY = """
title: Support tickets
owner: us
origin: our help desk
terms: internal
stands_for: own data
private: true
task: classification
source: {kind: local, reader: table, file: own/tickets.csv, text: body, label: urgent}
labels: {calm: 'no', urgent: 'yes'}
recipe: clean
duplicates: remove
split: {dev: 0.1, test: 0.2, stratified: true}
vocabulary: {minimum: 1, of: documents, counted_on: train}
long: cut
"""


@pytest.fixture
def run(tmp_path):
    params = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))
    params["datasets"]["mine"] = yaml.safe_load(ENTRY)
    params["corpora"] = {"mine": {"text": "own"}}
    params["vectors"] = {"mine-normal": {"dataset": "mine", "kind": "normal", "source": "own"}}
    tests = ("trials", "erasures", "polarities", "dispersions", "retrains")
    params |= {name: {} for name in ("studies", "cells", *tests)}
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(params), encoding="utf-8")
    (tmp_path / "own").mkdir()
    with (tmp_path / "own/tickets.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["body", "urgent"])
        writer.writerows(
            [
                f"{SECRET[i % 40]} letters go astray {SECRET[-i % 40]} again {SECRET[0]}",
                "yes" if i % 2 else "no",
            ]
            for i in range(40)
        )

    def stage(*arguments):
        return subprocess.run(
            [sys.executable, "-m", *arguments],
            cwd=tmp_path,
            text=True,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            check=False,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )

    return tmp_path, stage


def test_private_text_stays_in_data(run):
    folder, stage = run
    printed = ""
    for command in (
        ["stages.preprocess", "mine", "--text", "own"],
        ["stages.embed", "mine", "normal", "--source", "own"],
        ["stages.figures", "data"],
    ):
        done = stage(*command)
        assert done.returncode == 0, done.stdout
        printed += done.stdout
    assert "Support tickets" in (folder / "reports/data/table.csv").read_text()
    outside = [
        path
        for path in folder.rglob("*")
        if path.is_file() and path.relative_to(folder).parts[0] not in ("own", "data")
    ]
    outside += [*folder.rglob("stats.json"), *folder.rglob("lengths.csv")]
    assert len(outside) >= 6
    for path in outside:
        assert "secretword" not in path.read_text(encoding="utf-8"), path
    assert "secretword" not in printed


def test_a_broken_private_file_is_refused_without_quoting_it(run):
    folder, stage = run
    with (folder / "own/tickets.csv").open("a", encoding="utf-8") as file:
        file.write("secretword0,yes,one cell too many\n")
    done = stage("stages.preprocess", "mine", "--text", "own")
    assert done.returncode == 1
    assert done.stdout == "preprocess.py: own/tickets.csv line 42: expected 2 columns\n"
    assert not (folder / "data/corpora/mine").exists()


def test_an_unknown_data_set_lists_the_known_ones(run):
    _, stage = run
    done = stage("stages.preprocess", "mien", "--text", "own")
    assert done.returncode == 1
    assert "no data set 'mien'; allowed: adr-tweets, ag-news" in done.stdout
    assert done.stdout.count("\n") == 1
