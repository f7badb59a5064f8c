"""Settings as a stage meets them: one line on stderr, or a corpus where later stages look."""

import os
import shutil
import subprocess
import sys

from stages.settings import paths
from tests.fixtures.project import HERE, ROOT


def preprocess(folder, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "stages.preprocess", *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )


def settings_in(folder):
    (folder / "data").mkdir()
    shutil.copy(HERE / "params.yaml", folder)
    shutil.copy(HERE / "catalogue.yaml", folder / "data")


def test_a_group_of_one_variant_is_stored_like_any_other(tmp_path):
    settings_in(tmp_path)
    (tmp_path / "stages").symlink_to(ROOT / "stages")
    done = preprocess(tmp_path, "--only", "babi")
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / paths.corpus("babi-1") / "stats.json").is_file()


def test_a_stage_stops_with_that_line_and_writes_nothing(tmp_path):
    settings_in(tmp_path)
    with (tmp_path / "params.yaml").open("a", encoding="utf-8") as file:
        file.write("sclae: smoke\n")
    done = preprocess(tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    start = "preprocess.py: params.yaml: unknown key 'sclae'; allowed: scale, seed"
    assert done.stderr.startswith(start)
    assert done.stderr.count("\n") == 1
    assert {path.name for path in tmp_path.rglob("*")} == {"params.yaml", "data", "catalogue.yaml"}
