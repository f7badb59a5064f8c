"""The whole DAG on real text at smoke scale, with fewer data sets: every stage to the last page."""

import json
import shutil
import subprocess

import pandas as pd
import pytest
from ruamel.yaml import YAML

from stages.corpora import corpus as corpora
from stages.settings.catalogue import load_catalogue
from tests.fixtures.project import ROOT, digests
from tests.slow.repository import Repository

DATASETS = {
    "jain-wallace": ["rotten-tomatoes", "snli"],
    "serrano-smith": ["yahoo-answers"],
    "sun-lu": ["rotten-tomatoes", "synthetic"],
    "meister": ["rotten-tomatoes"],
    "amini-kosseim": ["mock"],
}
CATALOGUE = load_catalogue(ROOT / "data/catalogue.yaml")
UNTRAINED = ("babi", "complaints")  # prepared only
CLAIMS = {"jain-wallace": 22, "serrano-smith": 36, "sun-lu": 40, "meister": 16, "amini-kosseim": 17}
FIGURES = {"jain-wallace": 8, "serrano-smith": 13, "sun-lu": 5, "meister": 3, "amini-kosseim": 2}
VERDICTS = {"holds", "fails", "undecided", "not run"}


class Clone(Repository):
    """The tracked files of the work tree, with fewer data sets, in git and DVC."""

    def __init__(self, folder):
        self.folder = folder
        command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
        for name in filter(None, listed.stdout.decode().split("\0")):
            if (ROOT / name).is_file() and name != "dvc.lock":  # of another scale
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, folder / name)
        self.reduce(folder / "params.yaml")
        for arguments in ("init -q -b main", "add -A", "commit -qm start"):
            self.command("git", *arguments.split())

    def reduce(self, path):
        params = YAML(typ="safe").load(path)
        for study, names in DATASETS.items():
            params["studies"][study]["datasets"] = names
        used = {*UNTRAINED, *(name for names in DATASETS.values() for name in names)}
        params["corpora"] = {k: v for k, v in params["corpora"].items() if k in used}
        texts = {dataset.archive for name in used for dataset in CATALOGUE.members(name).values()}
        params["archives"] = [name for name in params["archives"] if name in texts | {"glove"}]
        with path.open("w", encoding="utf-8") as file:
            YAML(typ="safe").dump(params, file)


@pytest.fixture(scope="module")
def smoke(tmp_path_factory):
    """The clone after one `dvc exp run -S scale=smoke`."""
    clone = Clone(tmp_path_factory.mktemp("smoke") / "project")
    clone.dvc("exp", "run", "-S", "scale=smoke")
    return clone


@pytest.fixture(scope="module")
def reports(smoke):
    return smoke.folder / "reports/smoke"


def test_every_data_set_is_tabulated(reports):
    table = pd.read_csv(reports / "data/tables/table.csv")
    assert len(table) == 25
    assert table["train"].max() <= 200
    assert json.loads((reports / "metrics/data.json").read_text())["datasets"] == 25


def test_every_class_has_training_documents(smoke):
    for folder in (smoke.folder / "data/corpora").iterdir():
        corpus = corpora.load(folder)
        if corpus.task == "classification":
            assert len(set(corpus.parts["train"].labels)) == len(corpus.labels), folder.name


def test_a_second_run_is_a_no_op(smoke):
    assert "Data and pipelines are up to date" in smoke.dvc("repro")


@pytest.mark.parametrize("paper", CLAIMS)
def test_every_claim_has_a_verdict_and_every_figure_a_file(reports, paper):
    records = json.loads((reports / paper / "claims.json").read_text(encoding="utf-8"))
    assert len({entry["id"] for entry in records}) == len(records) == CLAIMS[paper]
    assert {entry["verdict"] for entry in records} <= VERDICTS
    for number in range(1, FIGURES[paper] + 1):
        figure = reports / paper / f"figures/figure-{number}.svg"
        assert "<text" in figure.read_text(encoding="utf-8")
    metrics = json.loads((reports / f"metrics/{paper}.json").read_text())
    assert len(metrics) <= 8
    assert "published" in pd.read_csv(reports / paper / "tables/scores.csv")
    assert len(pd.read_csv(reports / paper / "plots/learning.csv")) >= 1


def test_the_grid_has_every_model_and_data_set(reports):
    panels = list((reports / "jain-wallace/grid").rglob("*.svg"))
    assert len(panels) == 6 * 6 * 2  # analyses, models, data sets


def test_the_report_is_a_site_of_small_files(smoke, reports):
    text = (reports / "index.html").read_text(encoding="utf-8")
    assert text.count("<tr id=") == sum(CLAIMS.values())
    assert "rotten-tomatoes" in (reports / "pages/examples.html").read_text(encoding="utf-8")
    files = [path for path in reports.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 25e6
    jobs = pd.read_csv(reports / "run/jobs.csv")
    assert {"train_base", "correlation", "retrain"} <= set(jobs["stage"])
    before = digests(reports / "pages")
    smoke.dvc("repro", "-f", "-s", "report")
    assert digests(reports / "pages") == before  # no page shows seconds


def test_forced_stages_give_the_same_bytes(smoke):
    places = [smoke.folder / "data/corpora", smoke.folder / "data/vectors"]
    before = [digests(place) for place in places]
    for file in (smoke.folder / "data/jobs").glob("*/job.json"):
        if json.loads(file.read_text())["stage"] in ("preprocess", "embed"):
            shutil.rmtree(file.parent)
    smoke.dvc("repro", "-f", "-s", "preprocess", "embed")
    assert [digests(place) for place in places] == before


def test_commands_of_dvc_show_metrics_parameters_and_plots(smoke):
    assert "claims_hold" in smoke.dvc("metrics", "show")
    assert "scale" in smoke.dvc("params", "diff")
    assert "index.html" in smoke.dvc("plots", "show")
    shown = smoke.dvc("exp", "show", "--csv", "--only-changed", "--no-pager")
    assert "scale" in shown.splitlines()[0]
    width = max(map(len, smoke.dvc("dag", "--collapse-foreach-matrix").splitlines()))
    assert width <= 200
