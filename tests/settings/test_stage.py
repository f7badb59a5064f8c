"""Settings as a stage meets them: one line on stderr, or a corpus where later stages look."""

from stages.settings import paths
from tests.fixtures.project import ROOT, run_python, write_settings


def test_a_group_of_one_variant_is_stored_like_any_other(tmp_path):
    write_settings(tmp_path)
    (tmp_path / "stages").symlink_to(ROOT / "stages")
    done = run_python(tmp_path, "-m", "stages.preprocess", "--only", "babi")
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / paths.corpus("babi-1") / "stats.json").is_file()


def test_a_stage_stops_with_that_line_and_writes_nothing(tmp_path):
    write_settings(tmp_path)
    with (tmp_path / "params.yaml").open("a", encoding="utf-8") as file:
        file.write("sclae: smoke\n")
    done = run_python(tmp_path, "-m", "stages.preprocess")
    assert (done.returncode, done.stdout) == (1, "")
    start = "preprocess.py: params.yaml: unknown key 'sclae'; allowed: scale, seed"
    assert done.stderr.startswith(start)
    assert done.stderr.count("\n") == 1
    assert {path.name for path in tmp_path.rglob("*")} == {"params.yaml", "data", "catalogue.yaml"}
