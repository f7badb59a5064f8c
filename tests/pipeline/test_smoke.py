"""The real DAG in a fresh clone: it runs, again is a no-op, a change re-runs only its own."""

import hashlib
import json
import re
import shutil
from pathlib import Path

STAGE = re.compile(r"Running stage '([^']+)'")


def digests(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_smoke_run_makes_every_corpus_and_vector(project):
    table = (project.folder / "reports/data/table.csv").read_text(encoding="utf-8")
    assert table.count("\n") == 25  # header and 24 data sets
    metrics = json.loads((project.folder / "reports/data/metrics.json").read_text())
    assert metrics["datasets"] == 24
    assert metrics["documents"] <= 24 * 300
    for name in ("imdb/glove", "babi/normal/babi-3", "yahoo-answers/word2vec"):
        assert (project.folder / "data/vectors" / name / "vectors.npz").is_file()


def test_second_run_is_a_no_op(project):
    assert "Data and pipelines are up to date" in project.dvc("repro")


def test_forced_run_gives_the_same_bytes(project):
    places = [project.folder / "data/corpora", project.folder / "data/vectors"]
    before = [digests(place) for place in places]
    names = ("imdb", "snli", "yahoo-answers", "mock", "babi", "synthetic")
    project.dvc(
        "repro",
        "-f",
        "-s",
        *(f"preprocess@{name}" for name in names),
        "embed@imdb-glove",
        "embed@yahoo-answers-word2vec",
        "embed@babi-normal",
    )
    assert [digests(place) for place in places] == before


BBC = {
    "preprocess@bbc",
    "embed@bbc-glove",
    "train_base@jain-wallace-bbc",
    "train_base@amini-kosseim-bbc",
    "correlation@jain-wallace",
    "permutation@jain-wallace",
    "adversarial@jain-wallace",
    "erasure@jain-wallace",
    "retrain@amini-kosseim-bbc",
}
PAGES = {
    f"figures-{name}"
    for name in ("data", "scores", "jain-wallace", "serrano-smith", "sun-lu", "meister")
} | {"figures-amini-kosseim"}
PAPERS = (
    ("jain-wallace", 21, 8),
    ("serrano-smith", 34, 13),
    ("sun-lu", 33, 5),
    ("meister", 13, 3),
    ("amini-kosseim", 17, 2),
)


def test_one_data_sets_length_re_runs_its_own_stages_only(project):
    tables = project.folder / "data/results/correlation/jain-wallace"
    before = {path: path.stat().st_mtime_ns for path in tables.glob("*/*.parquet")}
    ran = STAGE.findall(project.dvc("exp", "run", "-S", "datasets.bbc.max_length=300"))
    assert set(ran) == {"resolve"} | BBC | PAGES | {"report"}
    # a test is one stage for a study, and tries what has changed
    tried = {path.parent.name for path, then in before.items() if path.stat().st_mtime_ns != then}
    assert tried == {"bbc"}
    assert len({path.parent for path in before}) == 3
    # a bound that leaves the corpus as it is stops there
    ran = STAGE.findall(project.dvc("exp", "run", "-S", "datasets.bbc.min_length=2"))
    assert set(ran) == {"resolve", "preprocess@bbc"}


def test_trained_again_from_nothing_the_weights_are_the_same_bytes(project):
    folder = project.folder / "models/jain-wallace/rotten-tomatoes"
    before = digests(folder)
    assert len(before) == 8 * 3  # weights, model.json and history of eight models
    shutil.rmtree(folder)
    project.dvc("repro", "-f", "-s", "train_base@jain-wallace-rotten-tomatoes")
    assert digests(folder) == before


def test_scores_stand_beside_the_printed_ones(project):
    for study, rows in (("jain-wallace", 21), ("serrano-smith", 6), ("meister", 15)):
        text = (project.folder / f"reports/{study}/tables/scores.csv").read_text(encoding="utf-8")
        assert text.count("\n") == rows + 1, study
        assert "published" in text.splitlines()[0]


def test_every_claim_has_a_verdict_and_every_figure_a_file(project):
    for paper, claims, figures in PAPERS:
        folder = project.folder / "reports" / paper
        records = json.loads((folder / "claims.json").read_text(encoding="utf-8"))
        assert len({entry["id"] for entry in records}) == len(records) == claims
        assert {entry["verdict"] for entry in records} <= {"holds", "fails", "undecided", "not run"}
        for number in range(1, figures + 1):
            assert "<text" in (folder / f"figures/figure-{number}.svg").read_text(encoding="utf-8")
        assert "NaN" not in (folder / "metrics.json").read_text(encoding="utf-8")
    drawn = list((project.folder / "reports/jain-wallace/grid").rglob("*.svg"))
    assert len(drawn) == 6 * 6 * 3  # experiments, models, data sets


def test_the_report_is_a_site_of_small_files(project):
    reports = project.folder / "reports"
    text = (reports / "index.html").read_text(encoding="utf-8")
    assert text.count("<tr id=") == sum(claims for _, claims, _ in PAPERS)
    assert "rotten-tomatoes" in (reports / "examples/index.html").read_text(encoding="utf-8")
    sizes = [path.stat().st_size for path in reports.rglob("*") if path.is_file()]
    assert sum(sizes) < 20e6
    rebuilt = []
    for _ in range(2):  # pages tell what the stages took, and other tests ran some again
        project.dvc("repro", "-f", "-s", "report")
        rebuilt.append(digests(reports))
    seconds = "run/index.html"  # also tells what the report itself took
    assert rebuilt[0].pop(seconds)
    assert rebuilt[1].pop(seconds)
    assert rebuilt[0] == rebuilt[1]


def test_exp_show_and_metrics_show_are_readable(project):
    assert "documents" in project.dvc("metrics", "show")
    shown = project.dvc("exp", "show", "--csv", "--only-changed", "--no-pager")
    assert "datasets.bbc.max_length" in shown or "datasets.bbc" in shown


def test_a_bad_value_stops_with_one_sentence_and_loses_nothing(project):
    before = digests(project.folder / "data/corpora/bbc")
    project.edit(
        "params.yaml",
        "    title: 'BBC News: politics or business'\n",
        "    title: 'BBC News: politics or business'\n    max_lenght: 9\n",
    )
    done = project.run("python", "-m", "dvc", "repro", "preprocess@bbc", ok=False)
    assert done.returncode != 0
    lines = [line for line in done.stdout.splitlines() if "max_lenght" in line]
    assert len(lines) == 1
    assert "datasets.bbc: unknown key 'max_lenght'; allowed: title, owner" in lines[0]
    assert digests(project.folder / "data/corpora/bbc") == before
    project.run("git", "checkout", "-q", "params.yaml")
