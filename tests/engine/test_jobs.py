"""The job store: keys, reuse, damaged files, failures, links and pruning, on jobs of two lines."""

import json
from dataclasses import dataclass, replace
from pathlib import Path

import numba
import numpy as np
import pytest

from stages.engine import jobs as store
from stages.engine.code import STAGES
from stages.engine.jobs import Job, run_jobs
from stages.settings import paths
from stages.settings.analyses import DocumentBudget
from stages.settings.errors import UserError
from tests.fixtures.project import digests, settings_of

SETTINGS = settings_of({"scales/small/processes": 1, "engine/tries": 1})
CODE = (STAGES / "engine" / "training.py",)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("input.txt").write_text("input")
    return tmp_path


def job(name="a", number=1, **changes):
    values = {"files": (Path("input.txt"),), "code": CODE, "labels": {"stage": "test"}} | changes
    return Job(name, [name, number], **values)


def work(payload, folder):
    """Write a file, and a line into a log of what was run."""
    payload, _ = payload
    with Path("log.txt").open("a") as log:
        log.write(f"{payload}\n")
    (folder / "inner").mkdir()
    (folder / "inner" / "result.txt").write_text(f"result of {payload}")
    if payload == "broken":
        raise ValueError("no result")


def run(*jobs):
    """The payloads that are run for the jobs."""
    Path("log.txt").write_text("")
    run_jobs(work, jobs, "test", SETTINGS)
    return Path("log.txt").read_text().split()


def test_a_finished_job_is_not_run_again(capsys):
    assert run(job("a"), job("b", 2)) == ["a", "b"]
    before = digests(paths.JOBS)
    assert run(job("a"), job("b", 2), job("c", 3)) == ["c"]
    assert capsys.readouterr().err == "test: 2 of 3 jobs are in the store\n"
    assert {
        name: digest for name, digest in digests(paths.JOBS).items() if name in before
    } == before
    assert run(job("a")) == []


def test_the_longest_jobs_are_started_first():
    jobs = [job(name, name, estimate=each) for name, each in (("a", 1.0), ("b", 3.0), ("c", 2.0))]
    assert run(*jobs) == ["b", "c", "a"]


@dataclass(frozen=True)
class Payload:
    """Settings of a job as the stages have them."""

    budget: DocumentBudget
    folder: Path


def test_payload_files_and_code_are_the_key():
    first = job().key
    assert replace(job(), name="other name", labels={}, estimate=9.0).key == first
    payloads = [{"b": 1, "a": 2}, {"a": 2, "b": 1}]
    assert len({replace(job(), payload=payload).key for payload in payloads}) == 1
    others = [
        job(number=2),
        job(files=()),
        job(code=(STAGES / "engine" / "adversaries.py",)),
        replace(job(), payload=Payload(DocumentBudget(tokens=3), Path("a"))),
        replace(job(), payload=Payload(DocumentBudget(tokens=4), Path("a"))),
        replace(job(), payload=Payload(DocumentBudget(tokens=4), Path("b"))),
    ]
    Path("input.txt").write_text("INPUT")
    others.append(job())
    assert len({first, *(other.key for other in others)}) == 8
    Path("input.txt").write_text("input")
    assert job().key == first


def test_a_folder_counts_with_all_its_files():
    folder = Path("inputs")
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "a.txt").write_text("a")
    keys = {job(files=(folder,)).key}
    (folder / "deep" / "a.txt").write_text("b")
    keys.add(job(files=(folder,)).key)
    (folder / "deep" / "a.txt").rename(folder / "a.txt")
    keys.add(job(files=(folder,)).key)
    assert len(keys) == 3


def test_a_missing_input_is_named():
    with pytest.raises(UserError, match=r"^gone.txt is not there; `dvc repro` makes it$"):
        run(job(files=(Path("gone.txt"),)))


def test_the_record_describes_the_job_and_its_files():
    run(job(estimate=5.0))
    record = json.loads((job().folder / "job.json").read_text())
    assert (record["name"], record["stage"], record["estimate"]) == ("a", "test", 5.0)
    assert record["seconds"] >= record["cpu_seconds"] * 0.5 >= 0
    assert list(record["files"]) == ["inner/result.txt"]


def compile_and_work(payload, folder):
    """Compile a function, which takes far longer than the work itself."""
    numba.njit(lambda values: np.sort(values).cumsum())(np.ones(3))
    work(payload, folder)


def test_cpu_seconds_are_without_compilation():
    run_jobs(compile_and_work, [job()], "test", SETTINGS)
    record = json.loads((job().folder / "job.json").read_text())
    assert record["cpu_seconds"] < record["seconds"] / 2


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("inner/result.txt", "result of b"),
        ("inner/result.txt", None),
        ("job.json", "{"),
        ("job.json", "[]"),
        ("job.json", "{}"),
    ],
)
def test_a_damaged_file_is_named_and_made_again(capsys, name, content):
    run(job())
    place = job().folder / name
    whole = place.read_text()
    place.unlink() if content is None else place.write_text(content)
    assert run(job()) == ["a"]
    assert capsys.readouterr().err == f"{place} is damaged; a runs again\n"
    assert name == "job.json" or place.read_text() == whole
    assert run(job()) == []


@pytest.mark.parametrize("processes", [1, 2])
def test_a_failing_job_leaves_nothing_and_the_others_are_kept(processes, capsys):
    scale = SETTINGS.budget.model_copy(update={"processes": processes})
    settings = SETTINGS.model_copy(update={"scales": {"small": scale}})
    jobs = [job("a", 1), job("broken", 2), job("c", 3)]
    with pytest.raises(UserError) as error:
        run_jobs(work, jobs, "test", settings)
    line = "1 of 3 jobs failed and the others are done: broken: ValueError: no result"
    assert str(error.value) == line
    assert 'failed: {"name": "broken", "settings": ["broken", 2]}' in capsys.readouterr().err
    assert {path.name for path in paths.JOBS.iterdir()} == {jobs[0].key, jobs[2].key}
    assert run(jobs[0], jobs[2]) == []


def test_results_are_linked_without_the_record():
    run(job())
    store.link(job(), Path("outputs"))
    linked = Path("outputs/inner/result.txt")
    assert digests(Path("outputs")).keys() == {"inner/result.txt"}
    assert linked.samefile(job().folder / "inner" / "result.txt")
    with pytest.raises(UserError, match="is not in the store; run the stage again"):
        store.link(job(number=9), Path("outputs"))


def test_without_hard_links_results_are_copied(monkeypatch):
    def no_link(path, place):
        raise OSError("no hard links here")

    run(job())
    monkeypatch.setattr("os.link", no_link)
    store.link(job(), Path("outputs"))
    assert Path("outputs/inner/result.txt").read_text() == "result of a"


def command(monkeypatch, capsys, *arguments):
    monkeypatch.setattr("sys.argv", ["jobs.py", *arguments])
    store.main()
    return capsys.readouterr().out


def test_prune_removes_only_what_no_stage_used_last(monkeypatch, capsys):
    small, large, old = job("a", 1), job("b", 2), job("c", 3)
    run(small, large, old)
    capsys.readouterr()
    store.note_use("train_base-x", SETTINGS, [small, old])
    store.note_use("train_base-x", SETTINGS, [small])  # in place of the last run
    other = SETTINGS.model_copy(update={"scale": "large"})
    store.note_use("train_base-x", other, [large])
    line = "3 jobs, 0 MB; 1 jobs, 0 MB of them used by no stage\n"
    assert command(monkeypatch, capsys) == line
    assert old.folder.exists()
    assert command(monkeypatch, capsys, "--prune") == f"{line}removed 1 jobs\n"
    assert [one.folder.exists() for one in (small, large, old)] == [True, True, False]
    assert [record["name"] for record in store.records("small")] == ["a"]
    assert [record["name"] for record in store.records("large")] == ["b"]
    assert run(small, large) == []


def test_an_empty_store_has_size_zero(monkeypatch, capsys):
    assert command(monkeypatch, capsys, "--prune").startswith("0 jobs, 0 MB; 0 jobs, 0 MB of them")
