"""A throw-away copy of the project in which DVC really runs, at smoke scale."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from dvc.utils.serialize import modify_yaml

ROOT = Path(__file__).resolve().parents[2]


class Project:
    """The working tree's tracked files in a repository of their own."""

    def __init__(self, folder):
        self.folder = folder
        self.environment = os.environ | {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "GIT_CONFIG_COUNT": "2",
            "GIT_CONFIG_KEY_0": "user.name",
            "GIT_CONFIG_VALUE_0": "test",
            "GIT_CONFIG_KEY_1": "user.email",
            "GIT_CONFIG_VALUE_1": "test@example.org",
        }

    def run(self, *command, ok=True):
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=self.environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        assert not ok or done.returncode == 0, done.stdout[-3000:]
        return done

    def dvc(self, *arguments, ok=True):
        return self.run(sys.executable, "-m", "dvc", *arguments, ok=ok).stdout

    def edit(self, name, old, new):
        path = self.folder / name
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {name}"
        path.write_text(text.replace(old, new), encoding="utf-8")


# every stage and every kind of model and data, on fewer data sets: the rest is more of the same
CELLS = {
    "cells": (
        "jain-wallace-rotten-tomatoes",
        "jain-wallace-bbc",
        "jain-wallace-snli",
        "serrano-smith-yahoo-answers",
        "sun-lu-rotten-tomatoes",
        "sun-lu-synthetic",
        "meister-rotten-tomatoes",
        "amini-kosseim-mock",
        "amini-kosseim-bbc",
    ),
    "retrains": (
        "amini-kosseim-mock",
        "amini-kosseim-bbc",
        "meister-rotten-tomatoes",
        "jain-wallace-rotten-tomatoes",
    ),
}
TRIED = {
    "trials": {"jain-wallace": ["rotten-tomatoes", "bbc", "snli"]},
    "erasures": {"serrano-smith": ["yahoo-answers"], "jain-wallace": ["rotten-tomatoes"]},
    "polarities": {"sun-lu": ["rotten-tomatoes", "synthetic"]},
    "dispersions": {"meister": ["rotten-tomatoes"]},
}


UNTRAINED = {"imdb", "babi"}  # prepared, and left at that


def _fewer_cells(path):
    with modify_yaml(str(path)) as params:
        for section, kept in CELLS.items():
            params[section] = {name: params[section][name] for name in kept}
        params.update(TRIED)
        used = {cell["dataset"] for cell in params["cells"].values()} | UNTRAINED
        params["corpora"] = {k: v for k, v in params["corpora"].items() if k in used}
        params["vectors"] = {k: v for k, v in params["vectors"].items() if v["dataset"] in used}
        texts = {Path(entry["text"]).name for entry in params["corpora"].values()}
        archives = params["fetch"]["archives"]
        params["fetch"]["archives"] = [a for a in archives if a in texts | {"glove"}]


def clone(folder, change=None):
    """The tracked files of the working tree, with params.yaml changed, as the first commit."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    for name in filter(None, listed.stdout.decode().split("\0")):
        # what an earlier run locked is of another scale, and slows every command
        if (ROOT / name).is_file() and name != "dvc.lock":
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    if change:
        change(folder / "params.yaml")
    made = Project(folder)
    made.run("git", "init", "-q", "-b", "main")
    made.run("git", "add", "-A")
    made.run("git", "commit", "-qm", "start")
    return made


@pytest.fixture(scope="session")
def project(tmp_path_factory):
    """The project after one `dvc exp run -S scale=smoke`."""
    made = clone(tmp_path_factory.mktemp("clone") / "project", _fewer_cells)
    made.first_run = made.dvc("exp", "run", "-S", "scale=smoke")
    return made
