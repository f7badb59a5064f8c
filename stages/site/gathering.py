"""What the report is made of, read from where the stages before it left it."""

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
WORDS = Path(__file__).parents[1] / "papers"
PICTURES = (".svg", ".png")
LEADING = ("figure", "table", "supplement", "appendix")


@dataclass(frozen=True)
class Picture:
    """A figure of a report folder, by paths from that folder."""

    name: str
    image: str
    numbers: str  # its CSV; empty for a drawing without numbers


@dataclass(frozen=True)
class Paper:
    """A paper's folder of the report and the words about it."""

    name: str
    content: Content
    records: list[dict[str, Any]] | None  # None: its claims have not been decided
    tables: dict[str, pd.DataFrame]
    figures: list[Picture]


def paper(reports: Path, name: str) -> Paper:
    """One paper, with whatever has been made of it so far."""
    folder = reports / name
    claims = folder / "claims.json"
    return Paper(
        name,
        read(WORDS / name.replace("-", "_") / "page.yaml"),
        read_json(claims) if claims.is_file() else None,
        tables(folder / "tables"),
        pictures(folder / "figures"),
    )


def papers(reports: Path) -> dict[str, Paper]:
    """All papers, in the order of the debate."""
    return {name: paper(reports, name) for name in PAPERS}


def tables(folder: Path) -> dict[str, pd.DataFrame]:
    """Every CSV of a folder; the paper's own tables come first."""
    found = sorted(folder.glob("*.csv"), key=lambda path: _order(path.stem))
    return {path.stem: _csv(path) for path in found}


def _csv(path: Path) -> pd.DataFrame:
    try:
        return pd.read_csv(path)
    except pd.errors.EmptyDataError:
        return pd.DataFrame()


def pictures(folder: Path) -> list[Picture]:
    """Every figure of a folder with its CSV; the paper's own come first, by number."""
    found = [path for path in folder.glob("*") if path.suffix in PICTURES]
    kept = {path.stem: path for path in sorted(found)}  # a name in both formats: the last, svg
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
    """Experiments of the exhaustive grid -> data set+encoder+attention of every picture."""
    folder = reports / STUDY / "grid"
    return {
        place.name: sorted(path.stem for path in place.glob("*.svg"))
        for place in sorted(folder.glob("*"))
        if place.is_dir()
    }


def timing() -> pd.DataFrame | None:
    """Seconds of every stage, if they were kept."""
    return pd.read_csv(paths.TIMING, keep_default_na=False) if paths.TIMING.is_file() else None


def pipeline() -> tuple[dict[str, Any], dict[str, Any]]:
    """Stages of dvc.yaml and values of params.yaml, as they are written."""
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
    """Documents to look at, family by family, and the private sets that show none."""
    epsilon = settings.adversarial.epsilons[0]
    found: list[dict[str, Any]] = []
    private: list[str] = []
    for family in settings.tried("adversarial", STUDY):
        tables_ = _tables(family)
        corpora = reading.corpora_of(settings, settings.members(family))
        private += [name for name, corpus in corpora.items() if corpus.private]
        rows = examples.chosen(tables_.instances, tables_.examples, epsilon, most)
        kept = rows.groupby("dataset")["instance"].unique()
        words = {
            str(name): reading.words(settings, str(name), [int(row) for row in instances])
            for name, instances in kept.items()
        }
        labels = {name: corpus.labels for name, corpus in corpora.items()}
        found += examples.gathered(tables_, words, labels, epsilon, most)
    return found, private


def _tables(family: str) -> Tables:
    """The tables of one data set or family; evidence is only there where heads are linear."""

    def table(experiment: str, name: str) -> pd.DataFrame:
        return reading.joined(experiment, STUDY, [family], name)

    evidence = paths.results("adversarial", STUDY, family) / "evidence.parquet"
    return Tables(
        table("adversarial", "instances"),
        table("adversarial", "examples"),
        table("adversarial", "outputs"),
        table("adversarial", "evidence") if evidence.is_file() else pd.DataFrame(),
        table("correlation", "tokens")[[*EXAMPLE, "position", *MEASURES]],
    )
