"""The pages as HTML: what was gathered goes into templates, and nothing else is decided here."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from stages.papers.claims import NOT_RUN, counted
from stages.papers.jain_wallace.panels import ATTENTIONS, ENCODERS
from stages.papers.scoreboard import PAPERS, measured
from stages.site import examples, tables
from stages.site.content import numbered
from stages.site.dag import Picture as Dag
from stages.site.gathering import Paper
from stages.site.gathering import Picture as Figure
from stages.site.verdicts import REJOINDER, Row, answer, counts, rows

HERE = Path(__file__).parent
ROWS = 60  # of a table that a page shows; the CSV has all
NAMES = {name: title.split(" (")[0] for name, title in PAPERS.items()}
WHOSE = {**NAMES, REJOINDER: "Wiegreffe & Pinter 2019"}
GRID_TITLES = {
    "gradients": "Attention and gradients: Kendall's tau",
    "leave-one-out": "Attention and leave-one-out: Kendall's tau",
    "correlations": "Densities of three correlations",
    "permutation": "Shuffled attention: change of the output",
    "adversarial-histogram": "Adversarial attention: divergence",
    "adversarial-scatter": "Adversarial attention: divergence by largest weight",
}
MEASURED = {
    "ratios": "Each fast path beside its literal twin, and a library where one does the same.",
    "growth": "Cost against the length, the number of documents and the size of the vocabulary.",
    "slopes": "How fast cost grows: 1 is linear, 2 quadratic.",
    "roofline": "How near each kernel comes to the fastest matrix product of the machine.",
}
VARIANTS = {
    "original": "attention",
    "gradient": "gradient",
    "leave_one_out": "leave-one-out",
    "permutation": "a permutation",
    "uniform": "uniform",
}


def environment() -> Environment:
    """Templates that escape everything and know every name they use."""
    found = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    found.globals |= {"papers": NAMES, "whose": WHOSE, "measured": measured}
    found.policies["json.dumps_kwargs"] = {
        "sort_keys": True,
        "allow_nan": False,
        "separators": (",", ":"),
    }
    found.filters |= {"numbered": numbered, "shades": examples.shades}
    return found


def rendered(name: str, depth: int, **given: Any) -> str:
    """A page, so many folders below the scoreboard."""
    return environment().get_template(name).render(root="../" * depth, **given)


def board_of(papers: Mapping[str, Paper]) -> list[Row]:
    """All claims that were decided or tried."""
    return rows(
        {name: paper.records or [] for name, paper in papers.items()},
        {name: paper.content for name, paper in papers.items()},
        {name: {*paper.tables, *(f.name for f in paper.figures)} for name, paper in papers.items()},
    )


def scoreboard(papers: Mapping[str, Paper], scale: str) -> str:
    """One row per claim, the counts of each paper, and the answer they add up to."""
    board = board_of(papers)
    keys = [key for paper in papers.values() for key in paper.content.key]
    return rendered(
        "scoreboard.html",
        0,
        rows=board,
        counts=counts(board, WHOSE),
        answer=answer(board, keys),
        there={row.record["id"] for row in board},
        absent=[name for name, paper in papers.items() if paper.records is None],
        experiments=list(dict.fromkeys(row.experiment for row in board)),
        scale=scale,
    )


def paper_page(
    paper: Paper, board: Sequence[Row], data: pd.DataFrame, run: Mapping[str, Any]
) -> str:
    """Scope, claims, tables, figures, deviations, and how to run it."""
    claims = [row for row in board if row.page == paper.name]
    return rendered(
        "paper.html",
        1,
        paper=paper,
        rows=claims,
        counts=counted([row.record for row in claims]),
        not_run=[row for row in claims if row.record["verdict"] == NOT_RUN],
        data=tables.view(_spoken(data), ROWS),
        tables={name: _shown(table) for name, table in paper.tables.items()},
        run=run,
    )


def _shown(table: pd.DataFrame) -> tables.View:
    return tables.view(tables.beside(table), ROWS)


def browse(grid: Mapping[str, Sequence[str]], scores: pd.DataFrame) -> str:
    """Every data set and experiment: encoders by attentions in fixed places, scores below."""
    sets = sorted({cell.split("+")[0] for cells in grid.values() for cell in cells})
    known = {name: GRID_TITLES.get(name, numbered(name)) for name in grid}
    return rendered(
        "browse.html",
        1,
        sets=sets,
        experiments={name: known[name] for name in sorted(known, key=_grid_order)},
        grid={name: set(cells) for name, cells in grid.items()},
        encoders=ENCODERS,
        attentions=ATTENTIONS,
        scores=_scores(scores),
    )


def _grid_order(name: str) -> int:
    return list(GRID_TITLES).index(name) if name in GRID_TITLES else len(GRID_TITLES)


def _scores(table: pd.DataFrame) -> dict[tuple[str, str], str]:
    """Test scores of a data set and model, in words."""
    found = {}
    for row in table.to_dict("records"):
        parts = [f"{row['accuracy']:.2f} accuracy"]
        if row["per_class"].count("/") == 1:  # of two classes one is the positive one
            parts.append(f"{row['f1']:.2f} F1")
        found[row["dataset"], row["model"]] = ", ".join(parts)
    return found


def examples_page(
    shown: Sequence[Mapping[str, Any]], private: Sequence[str], epsilon: float
) -> str:
    """Sentences as heat strips, and the data that lets a reader move the weights."""
    return rendered(
        "examples.html",
        1,
        shown=[{**one, "answer": examples.predicted(one)} for one in shown],
        sets=list(dict.fromkeys(one["dataset"] for one in shown)),
        models=sorted({one["model"] for one in shown}, key=model_order),
        data={"variants": list(VARIANTS.items()), "examples": shown},
        private=private,
        epsilon=epsilon,
    )


def model_order(name: str) -> tuple[list[int], str]:
    """Encoders and attentions as in the grid; other models after them."""
    order = [*ENCODERS, *ATTENTIONS]
    known = [order.index(part) for part in name.split("-") if part in order]
    attention_first = known[::-1] or [len(order)]
    return attention_first, name


def data_page(table: pd.DataFrame, figures: Sequence[Figure]) -> str:
    """Sources, owners, terms, stand-ins and sizes."""
    about = ["dataset", "title", "stands_for", "owner", "origin", "terms", "kind"]
    kept = {"about": table[about], "sizes": table.drop(columns=about[1:])}
    views = {name: tables.view(_spoken(part), len(part)) for name, part in kept.items()}
    return rendered("data.html", 1, views=views, figures=figures, count=len(table))


def _spoken(table: pd.DataFrame) -> pd.DataFrame:
    return table.rename(columns=lambda name: str(name).replace("_", " "))


def run_page(dag: Dag, timing: pd.DataFrame | None, versions: Sequence[tuple[str, str]]) -> str:
    """The DAG, seconds per stage and versions."""
    return rendered(
        "run.html",
        1,
        dag=dag,
        by_stage=None if timing is None else tables.view(_spoken(by_stage(timing)), ROWS),
        every=None if timing is None else tables.view(_spoken(timing), len(timing)),
        cores="" if timing is None else str(timing["cores"].max()),
        versions=versions,
    )


def by_stage(timing: pd.DataFrame) -> pd.DataFrame:
    """Sums of seconds and the largest memory of each stage."""
    how = {"cell": "count", "seconds": "sum", "cpu_seconds": "sum", "peak_mb": "max"}
    found = timing.groupby("stage", sort=False).agg(how).reset_index()
    return found.rename(columns={"cell": "cells"}).round(1)


def benchmarks_page(tables_: Mapping[str, pd.DataFrame], figures: Sequence[Figure]) -> str:
    """Speed and growth, where they were measured."""
    return rendered(
        "benchmarks.html",
        1,
        tables={name: tables.view(_spoken(t), ROWS) for name, t in tables_.items()},
        figures=figures,
        captions=MEASURED,
    )
