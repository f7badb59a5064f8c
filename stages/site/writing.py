"""Writes the site into reports/<scale>, from the outputs of earlier stages."""

import shutil
from io import StringIO
from pathlib import Path
from typing import Any

import pandas as pd
from ruamel.yaml import YAML

from stages.engine.jobs import RECORDED, records
from stages.papers.jain_wallace.interactive import STUDY
from stages.settings import paths
from stages.settings.files import read_json, replacing
from stages.settings.params import Settings
from stages.settings.reading import read_yaml
from stages.site import dag, gathering, pages, verdicts
from stages.site.gathering import Paper
from stages.site.pages import HERE
from stages.site.verdicts import Row

FORWARD = """<!doctype html>
<meta charset="utf-8">
<title>Attention on Trial</title>
<meta http-equiv="refresh" content="0; url={scale}/index.html">
<p><a href="{scale}/index.html">Report at {scale} scale</a></p>
"""


def write(settings: Settings) -> None:
    """The whole site of a scale: index.html and pages/."""
    reports = paths.reports(settings.scale)
    papers = gathering.papers(reports)
    board = verdicts.rows(papers)
    with replacing(reports / "pages") as folder:
        shutil.copytree(HERE / "assets", folder / "assets")
        for name, html in _pages(settings, papers, board, reports).items():
            (folder / f"{name}.html").write_text(html, "utf-8")
    scoreboard = pages.scoreboard(papers, board, settings.scale)
    (reports / "index.html").write_text(scoreboard, "utf-8")
    record(settings)
    _forward(settings)


def _pages(
    settings: Settings, papers: dict[str, Paper], board: list[Row], reports: Path
) -> dict[str, str]:
    """The HTML of every page in pages/, by name."""
    sizes = pd.read_csv(reports / "data" / "tables" / "table.csv")
    lengths = gathering.pictures(reports / "data" / "figures", "../data/figures")
    measured = gathering.pictures(paths.BENCHMARKS, "../../benchmarks")
    html = {
        "browse": pages.browse(gathering.grid(reports), papers[STUDY].tables.get("scores")),
        "examples": pages.examples_page(read_json(reports / STUDY / "examples.json")),
        "data": pages.data_page(sizes, lengths),
        "benchmarks": pages.benchmarks_page(gathering.tables(paths.BENCHMARKS), measured),
    }
    raw = read_yaml(paths.PARAMS)
    for name, paper in papers.items():
        groups = settings.studies[name].datasets if name in settings.studies else ()
        used = [dataset for group in groups for dataset in settings.members(group)]
        columns = ["dataset", "title", "stands_for", "train", "test", "mean_length"]
        data = sizes.loc[sizes["dataset"].isin(used), columns]
        run = {"scale": settings.scale, "settings": _settings(raw, settings.scale, name)}
        html[name] = pages.paper_page(paper, board, data, run)
    return html


def record(settings: Settings) -> None:
    """The page of the run, seconds of jobs and sizes of data sets, for plans of other runs.

    They are kept in run/ and are no output of DVC: seconds differ from run to run.
    """
    folder = paths.reports(settings.scale) / "run"
    folder.mkdir(exist_ok=True)
    html = pages.run_page(dag.picture(dag.groups()), gathering.timing(), gathering.versions())
    (folder / "index.html").write_text(html, "utf-8")
    jobs = pd.DataFrame(records(settings.scale), columns=RECORDED)
    jobs.sort_values(["stage", "name"]).to_csv(folder / "jobs.csv", index=False)
    gathering.available(settings).to_csv(folder / "sizes.csv", index=False)


def _forward(settings: Settings) -> None:
    """reports/index.html opens the largest scale that there is a report of."""
    there = [name for name in settings.scales if (paths.reports(name) / "index.html").is_file()]
    (paths.REPORTS / "index.html").write_text(FORWARD.format(scale=there[-1]), "utf-8")


def _settings(raw: dict[str, Any], scale: str, study: str) -> str:
    """The study's section of params.yaml and its budget at this scale, as YAML."""
    text = StringIO()
    shown = {
        f"scales.{scale}.train_base.{study}": raw["scales"][scale]["train_base"].get(study),
        f"studies.{study}": raw["studies"].get(study),
    }
    parser = YAML(typ="safe")
    parser.default_flow_style = False
    parser.dump(shown, text)
    return text.getvalue()
