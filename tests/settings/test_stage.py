"""Settings as a stage meets them: one line on stderr, or a corpus where later stages look."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from ruamel.yaml import YAML

from stages.settings import paths

ROOT = Path(__file__).resolve().parents[2]


def preprocess(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "stages.preprocess", *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_family_of_one_variant_is_stored_like_any_other(tmp_path):
    raw = YAML(typ="safe").load(ROOT / "params.yaml")
    raw["datasets"]["synthetic"]["variants"] = {"1": {"source": {"noise": 0.0}}}
    raw["scale"] = "smoke"
    with (tmp_path / "params.yaml").open("w", encoding="utf-8") as file:
        YAML(typ="safe").dump(raw, file)
    done = preprocess(tmp_path, "synthetic", "--text", "params.yaml")
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / paths.corpus("synthetic", "synthetic-1") / "stats.json").is_file()


def test_a_stage_stops_with_that_line_and_writes_nothing(tmp_path):
    shutil.copy(ROOT / "params.yaml", tmp_path)
    with (tmp_path / "params.yaml").open("a", encoding="utf-8") as file:
        file.write("sclae: smoke\n")
    done = preprocess(tmp_path, "imdb", "--text", "data/raw/imdb")
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("preprocess.py: params.yaml: unknown key 'sclae'; allowed: seed")
    assert done.stderr.count("\n") == 1
    assert done.stderr.endswith("\n")
    assert [path.name for path in tmp_path.rglob("*")] == ["params.yaml"]
