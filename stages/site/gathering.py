"""Reads the inputs of the site: reports, timing, pipeline, examples."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from ruamel.yaml import YAML

from stages.papers import reading
from stages.papers.jain_wallace.report import STUDY
from stages.papers.scoreboard import PAPERS
from stages.settings import paths
from stages.settings.files import read_json
from stages.settings.params import Settings
from stages.site import examples
from stages.site.content import Content, read
from stages.site.examples import EXAMPLE, MEASURES, Tables

PIPELINE, REQUIREMENTS = Path("dvc.yaml"), Path("requirements.txt")
PAPER_FOLDERS = Path(__file__).parents[1] / "papers"
PICTURES = (".svg", ".png")
LEADING = ("figure", "table", "supplement", "appendix")


@dataclass(frozen=True)
class Picture:
    """A figure of a report folder; paths are relative to that folder."""

    name: str
    image: str
    numbers: str  # its CSV; empty for a drawing without numbers


@dataclass(frozen=True)
class Paper:
    """A paper's report folder and the text of its page."""

    name: str
    content: Content
    records: list[dict[str, Any]] | None  # None: its claims have not been decided
    tables: dict[str, pd.DataFrame]
    figures: list[Picture]


def paper(reports: Path, name: str) -> Paper:
    """One paper, with the outputs that exist so far."""
    folder = reports / name
    claims = folder / "claims.json"
    return Paper(
        name,
        read(PAPER_FOLDERS / name.replace("-", "_") / "page.yaml"),
        read_json(claims) if claims.is_file() else None,
        tables(folder / "tables"),
        pictures(folder / "figures"),
    )


def papers(reports: Path) -> dict[str, Paper]:
    """All papers, by year of publication."""
    return {name: paper(reports, name) for name in PAPERS}


def tables(folder: Path) -> dict[str, pd.DataFrame]:
    """Every CSV of a folder; the paper's own tables come first."""
    files = sorted(folder.glob("*.csv"), key=lambda path: _order(path.stem))
    return {path.stem: _csv(path) for path in files}


def _csv(path: Path) -> pd.DataFrame:
    try:
        return pd.read_csv(path)
    except pd.errors.EmptyDataError:
        return pd.DataFrame()


def pictures(folder: Path) -> list[Picture]:
    """Every figure of a folder with its CSV; the paper's own come first, by number."""
    files = sorted(path for path in folder.glob("*") if path.suffix in PICTURES)
    kept = {path.stem: path for path in files}  # svg replaces png of the same name
    return [
        Picture(name, f"{folder.name}/{path.name}", _beside(path))
        for name, path in sorted(kept.items(), key=lambda item: _order(item[0]))
    ]


def _beside(path: Path) -> str:
    numbers = path.with_suffix(".csv")
    return f"{path.parent.name}/{numbers.name}" if numbers.is_file() else ""


def _order(name: str) -> tuple[int, list[int], str]:
    head = name.split("-")[0]
    place = LEADING.index(head) if head in LEADING else len(LEADING)
    return place, [int(digits) for digits in re.findall(r"\d+", name)], name


def grid(reports: Path) -> dict[str, list[str]]:
    """Analyses of the full grid -> data set+encoder+attention of every figure."""
    folder = reports / STUDY / "grid"
    return {
        place.name: sorted(path.stem for path in place.glob("*.svg"))
        for place in sorted(folder.glob("*"))
        if place.is_dir()
    }


def timing() -> pd.DataFrame | None:
    """data/timing.csv; None if it does not exist."""
    return pd.read_csv(paths.TIMING, keep_default_na=False) if paths.TIMING.is_file() else None


def pipeline() -> tuple[dict[str, Any], dict[str, Any]]:
    """Stages of dvc.yaml and values of params.yaml, before templating."""
    parser = YAML(typ="safe")
    return (
        parser.load(PIPELINE.read_text(encoding="utf-8"))["stages"],
        parser.load(paths.PARAMS.read_text(encoding="utf-8")),
    )


def versions() -> list[tuple[str, str]]:
    """Pinned requirements."""
    lines = (line.split("#")[0].strip() for line in REQUIREMENTS.read_text("utf-8").splitlines())
    pinned = [line.split("==") for line in lines if "==" in line]
    return [(name, version) for name, version in pinned]


def shown_examples(settings: Settings, most: int) -> tuple[list[dict[str, Any]], list[str]]:
    """Example documents of every dataset group, and the private sets, which have none."""
    epsilon = settings.adversarial.epsilons[0]
    shown: list[dict[str, Any]] = []
    private: list[str] = []
    for group in settings.tried("adversarial", STUDY):
        tables_ = _tables(group)
        corpora = reading.corpora_of(settings, settings.members(group))
        private += [name for name, corpus in corpora.items() if corpus.private]
        rows = examples.chosen(tables_.instances, tables_.examples, epsilon, most)
        kept = rows.groupby("dataset")["instance"].unique()
        words = {
            str(name): reading.words(settings, str(name), [int(row) for row in instances])
            for name, instances in kept.items()
        }
        labels = {name: corpus.labels for name, corpus in corpora.items()}
        shown += examples.gathered(tables_, words, labels, epsilon, most)
    return shown, private


def _tables(group: str) -> Tables:
    """The tables of one data set or dataset group; only linear heads have evidence."""

    def table(analysis: str, name: str) -> pd.DataFrame:
        return reading.joined(analysis, STUDY, [group], name)

    evidence = paths.results("adversarial", STUDY, group) / "evidence.parquet"
    return Tables(
        table("adversarial", "instances"),
        table("adversarial", "examples"),
        table("adversarial", "outputs"),
        table("adversarial", "evidence") if evidence.is_file() else pd.DataFrame(),
        table("correlation", "tokens")[[*EXAMPLE, "position", *MEASURES]],
    )
