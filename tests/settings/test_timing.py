"""Seconds and memory of stages: one row each, replaced by the next run, none of a failed one."""

import os

from stages.settings import timing
from tests.fixtures.project import ROOT, run_python, write_settings

STAGE = """
from stages.settings.errors import UserError, stage
def main():
    import sys, time
    kept = bytearray(80_000_000)
    if "fail" in sys.argv:
        raise UserError("no")
    until = time.process_time() + 0.2
    while time.process_time() < until:
        pass
stage(main)
"""


def run(folder, *arguments):
    (folder / "stage.py").write_text(STAGE)
    write_settings(folder)
    return run_python(folder, "stage.py", *arguments)


def test_a_run_is_one_row(tmp_path):
    done = run(tmp_path, "sun-lu", "imdb", "--vectors", "somewhere/private")
    assert done.returncode == 0, done.stderr
    (values,) = timing.read(tmp_path / "data/timing.csv")
    row = dict(zip(timing.COLUMNS, values, strict=True))
    assert (row["stage"], row["item"], row["scale"]) == ("stage", "sun-lu-imdb", "small")
    assert 0.2 <= float(row["cpu_seconds"]) < 60
    assert 0.2 <= float(row["seconds"]) < 60
    assert 80 < float(row["peak_mb"]) < 1000
    assert int(row["cores"]) == os.cpu_count()
    names = {path.name for path in (tmp_path / "data").iterdir()}
    assert names == {"timing.csv", "catalogue.yaml"}


def test_a_later_run_takes_the_place_of_its_own_row_only(tmp_path):
    file = tmp_path / "data/timing.csv"
    file.parent.mkdir()
    old = ("stage", "imdb", "99.00", "99.00", "9", "paper", "64")
    other = ("other", "imdb", "1.00", "1.00", "1", "smoke", "1")
    lines = [timing.COLUMNS, old, other]
    file.write_text("".join(",".join(line) + "\n" for line in lines))
    assert run(tmp_path, "imdb").returncode == 0
    first, second = timing.read(file)
    assert first == other
    assert second[:2] == old[:2]
    assert second[2:] != old[2:]


def test_a_run_that_fails_leaves_the_file_alone(tmp_path):
    done = run(tmp_path, "fail")
    assert (done.returncode, done.stderr) == (1, "stage.py: no\n")
    assert not (tmp_path / "data/timing.csv").exists()


def test_a_file_of_other_columns_is_begun_anew(tmp_path):
    file = tmp_path / "data/timing.csv"
    file.parent.mkdir()
    file.write_text("stage,seconds\ntrain_base,3\n")
    assert run(tmp_path, "imdb").returncode == 0
    assert len(timing.read(file)) == 1
    file.write_text("")
    assert run(tmp_path, "imdb").returncode == 0
    assert len(timing.read(file)) == 1


def test_the_file_is_no_dependency_of_any_stage():
    assert "timing" not in (ROOT / "dvc.yaml").read_text(encoding="utf-8")
