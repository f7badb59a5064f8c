"""Reads the inputs of the site: reports, timing, versions, sizes of data sets."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from stages.papers.jain_wallace.interactive import STUDY
from stages.papers.shared.facts import read_facts
from stages.papers.shared.names import PAPERS
from stages.settings import paths
from stages.settings.files import read_json
from stages.settings.params import Settings
from stages.site.content import Content, read

REQUIREMENTS = Path("requirements.txt")
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
        read(PAPER_FOLDERS / name.replace("-", "_") / "page.yaml").filled(read_facts(folder)),
        read_json(claims) if claims.is_file() else None,
        tables(folder / "tables"),
        pictures(folder / "figures", f"../{name}/figures"),
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


def pictures(folder: Path, link: str) -> list[Picture]:
    """Every figure of a folder with its CSV; the paper's own come first, by number.

    `link` is the path from a page to the folder.
    """
    files = [path for path in folder.glob("*") if path.suffix in PICTURES]
    by_name = {path.stem: path for path in sorted(files)}  # a name in both formats: the last, svg
    ordered = []
    for name in sorted(by_name, key=_order):
        numbers = folder / f"{name}.csv"
        csv_link = f"{link}/{numbers.name}" if numbers.is_file() else ""
        ordered.append(Picture(name, f"{link}/{by_name[name].name}", csv_link))
    return ordered


def _order(name: str) -> tuple[int, list[int], str]:
    head = name.split("-")[0]
    place = LEADING.index(head) if head in LEADING else len(LEADING)
    return place, [int(digits) for digits in re.findall(r"\d+", name)], name


def grid(reports: Path) -> dict[str, list[str]]:
    """Analyses of the full grid -> data set+encoder+attention of every figure."""
    folders = sorted(path for path in (reports / STUDY / "grid").glob("*") if path.is_dir())
    return {folder.name: sorted(path.stem for path in folder.glob("*.svg")) for folder in folders}


def timing() -> pd.DataFrame | None:
    """data/timing.csv; None if it does not exist."""
    return pd.read_csv(paths.TIMING, keep_default_na=False) if paths.TIMING.is_file() else None


def versions() -> list[tuple[str, str]]:
    """Pinned requirements."""
    lines = (line.split("#")[0].strip() for line in REQUIREMENTS.read_text("utf-8").splitlines())
    pinned = [line.split("==") for line in lines if "==" in line]
    return [(name, version) for name, version in pinned]


def available(settings: Settings) -> pd.DataFrame:
    """Documents of every split before budgets, and their mean length: dataset, split, ..."""
    rows = []
    for group in settings.corpora:
        for name in settings.members(group):
            stats = read_json(paths.vectors(name) / "stats.json")
            for split, sizes in stats["splits"].items():
                documents = stats["available"][split]
                rows.append((name, split, documents, sizes["mean_length"]))
    return pd.DataFrame(rows, columns=["dataset", "split", "documents", "mean_length"])
