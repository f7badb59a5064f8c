"""Which edits give a training job a new key: code it runs, and no more than that."""

import json
import re

import pytest

from tests.fixtures.project import run_python

KEYS = """
import json
from stages.engine.training_jobs import jobs_of
from stages.settings.params import load
settings = load()
jobs = [job for name, study in settings.studies.items()
        for job in jobs_of(settings, name, study.datasets)]
print(json.dumps({job.name: job.key for job in jobs}))
"""
DATASETS = ("synthetic-1", "synthetic-three", "babi-1", "tickets")


@pytest.fixture(scope="module")
def project(prepared, tmp_path_factory):
    return prepared.copy(tmp_path_factory.mktemp("code") / "project")


@pytest.fixture(scope="module")
def before(project):
    return keys(project)


@pytest.fixture
def restored(project):
    """Undo what a test does to code and settings."""
    files = {path: path.read_bytes() for path in (project.folder / "stages").rglob("*.py")}
    yield project
    for path in (project.folder / "stages").rglob("*.py"):
        if path not in files:
            path.unlink()
        elif path.read_bytes() != files[path]:
            path.write_bytes(files[path])
    project.write()


def keys(project):
    return json.loads(run_python(project.folder, "-c", KEYS).stdout)


def new(project, before):
    """The names of the jobs with a new key."""
    return {name for name, key in keys(project).items() if before.get(name) != key}


def append(project, name, text):
    with (project.folder / "stages" / name).open("a", encoding="utf-8") as file:
        file.write(text)


def test_edits_that_change_no_result_change_no_key(restored, before):
    append(restored, "corpora/batching.py", "\n# a comment\n")
    append(restored, "nn/encoders/cnn.py", "\nUNUSED = 1\n")  # a part of no model of these
    append(restored, "settings/errors.py", "\nUNUSED = 1\n")
    append(restored, "engine/local.py", "\nUNUSED = 1\n")
    append(restored, "importance/integrated.py", "\nUNUSED = 1\n")  # of an analysis
    file = restored.folder / "stages/engine/training.py"
    docstring = '"""A docstring of several\n\nlines."""'
    text = re.sub(r'^""".*?"""', docstring, file.read_text(), count=1, flags=re.S)
    assert text != file.read_text()
    file.write_text(text.replace("import numpy as np\n", "import  numpy  as  np  # layout\n"))
    assert new(restored, before) == set()


def test_code_that_is_imported_at_any_distance_changes_all_keys(restored, before):
    append(restored, "corpora/ragged.py", "\nADDED = 1\n")  # imported by what training imports
    assert new(restored, before) == set(before)


def test_a_part_changes_the_keys_of_the_models_that_use_it(restored, before):
    append(restored, "nn/encoders/bilstm.py", "\nADDED = 1\n")
    frozen = {name for name in before if "average-frozen" in name}  # depend on a bilstm
    recurrent = {name for name in before if "bilstm" in name or "dp-l" in name}
    assert new(restored, before) == recurrent | frozen


def test_a_new_encoder_trains_only_its_own_runs(restored, before):
    file = restored.folder / "stages/nn/encoders/renewed.py"
    file.write_text((file.with_name("none.py")).read_text() + "\nADDED = 1\n")
    restored.write({"studies/pooled/models/renewed-additive": {"encoder": "renewed"}})
    added = {f"pooled {name} renewed-additive+1" for name in DATASETS}
    after = keys(restored)
    assert after.keys() - before.keys() == added
    assert {name: after[name] for name in before} == before
