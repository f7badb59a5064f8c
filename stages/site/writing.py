"""Writes the site into reports/, from the outputs of earlier stages."""

import shutil
from io import StringIO
from pathlib import Path
from typing import Any

import pandas as pd
from ruamel.yaml import YAML

from stages.papers.jain_wallace.report import STUDY
from stages.settings import paths
from stages.settings.files import replacing
from stages.settings.params import Settings
from stages.site import dag, gathering, pages
from stages.site.gathering import Paper
from stages.site.pages import HERE
from stages.site.tables import View

EXAMPLES = 2  # documents of each model


def write(settings: Settings) -> None:
    """The whole site."""
    reports = paths.REPORTS
    papers = gathering.papers(reports)
    (reports / "index.html").write_text(pages.scoreboard(papers, settings.scale), "utf-8")
    _papers(settings, papers, reports)
    scores = papers[STUDY].tables.get("scores", pd.DataFrame())
    shown, private = gathering.shown_examples(settings, EXAMPLES)
    epsilon = settings.adversarial.epsilons[0]
    folders = {
        "browse": pages.browse(gathering.grid(reports), scores),
        "examples": pages.examples_page(shown, private, epsilon),
    }
    for name, page in folders.items():
        with replacing(reports / name) as fresh:
            (fresh / "index.html").write_text(page, "utf-8")
    with replacing(reports / "assets") as fresh:
        shutil.copytree(HERE / "assets", fresh, dirs_exist_ok=True)
    _about(reports)


def _papers(settings: Settings, papers: dict[str, Paper], reports: Path) -> None:
    board = pages.board_of(papers)
    sizes = pd.read_csv(reports / "data" / "table.csv")
    timing = gathering.timing()
    _, raw = gathering.pipeline()
    for name, paper in papers.items():
        used = [
            member
            for entry in settings.cells.values()
            if entry.study == name
            for member in settings.members(entry.dataset)
        ]
        columns = ["dataset", "title", "stands_for", "train", "test", "mean_length"]
        data = sizes.loc[sizes["dataset"].isin(used), columns]
        run = {
            "scale": settings.scale,
            "settings": _settings(raw, settings.scale, name),
            "seconds": None if timing is None else _seconds(timing, name),
            "cores": "" if timing is None else str(timing["cores"].max()),
        }
        _page(reports / name, pages.paper_page(paper, board, data, run))


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


def _seconds(timing: pd.DataFrame, study: str) -> View:
    """Seconds and memory of the study's stages."""
    rows = timing[timing[pages.INSTANCE].astype(str).str.startswith(study)]
    return pages.by_stage(rows)


def _about(reports: Path) -> None:
    """Data, run and benchmarks."""
    data = reports / "data"
    table = pd.read_csv(data / "table.csv")
    _page(data, pages.data_page(table, _here(gathering.pictures(data))))
    stages = dag.groups(*gathering.pipeline())
    picture = dag.picture(stages, dag.edges(stages))
    _page(reports / "run", pages.run_page(picture, gathering.timing(), gathering.versions()))
    benchmarks = reports / "benchmarks"
    figures = _here(gathering.pictures(benchmarks))
    _page(benchmarks, pages.benchmarks_page(gathering.tables(benchmarks), figures))


def _here(figures: list[gathering.Picture]) -> list[gathering.Picture]:
    """Figures that lie in the folder of their page."""
    return [
        gathering.Picture(f.name, Path(f.image).name, f.numbers and Path(f.numbers).name)
        for f in figures
    ]


def _page(folder: Path, html: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "index.html").write_text(html, "utf-8")
