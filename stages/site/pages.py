"""Renders the pages from templates."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from stages.papers.jain_wallace.panels import ATTENTIONS, ENCODERS
from stages.papers.shared.claims import NOT_RUN, counted
from stages.papers.shared.names import PAPERS
from stages.site import examples, tables
from stages.site.content import numbered
from stages.site.dag import Picture as Dag
from stages.site.gathering import Paper
from stages.site.gathering import Picture as Figure
from stages.site.verdicts import (
    REJOINDER,
    Row,
    answer,
    counts_by_paper,
    measured,
    rows,
    summary,
)

HERE = Path(__file__).parent
ROWS = 60  # most rows of a table on a page; the CSV has all
INSTANCE = "item"  # column of timing.csv: the study or data set of a stage
HEADINGS = {INSTANCE: "study or data set", "cpu_seconds": "CPU seconds", "peak_mb": "peak MB"}
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
CAPTIONS = {
    "ratios": "Each optimised function against its direct implementation, and against a library.",
    "growth": "Time against document length, number of documents and size of the vocabulary.",
    "slopes": "Exponents of growth: 1 is linear, 2 quadratic.",
    "roofline": "Throughput of each kernel relative to the fastest matrix product of the machine.",
}
VARIANTS = {
    "original": "attention",
    "gradient": "gradient",
    "leave_one_out": "leave-one-out",
    "permutation": "a permutation",
    "uniform": "uniform",
}


def environment() -> Environment:
    """Templates with autoescaping; an undefined name is an error."""
    env = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    env.globals |= {"papers": NAMES, "whose": WHOSE, "measured": measured}
    env.policies["json.dumps_kwargs"] = {
        "sort_keys": True,
        "allow_nan": False,
        "separators": (",", ":"),
    }
    env.filters |= {"numbered": numbered, "shades": examples.shades}
    return env


def rendered(name: str, depth: int, **values: Any) -> str:
    """A page that lies `depth` folders below the scoreboard."""
    return environment().get_template(name).render(root="../" * depth, **values)


def board_of(papers: Mapping[str, Paper]) -> list[Row]:
    """All claims with a record."""
    return rows(
        {name: paper.records or [] for name, paper in papers.items()},
        {name: paper.content for name, paper in papers.items()},
        {name: {*paper.tables, *(f.name for f in paper.figures)} for name, paper in papers.items()},
    )


def scoreboard(papers: Mapping[str, Paper], scale: str) -> str:
    """One row per claim, the counts of each paper, and the overall answer."""
    board = board_of(papers)
    keys = [key for paper in papers.values() for key in paper.content.key]
    return rendered(
        "scoreboard.html",
        0,
        rows=board,
        counts=counts_by_paper(board, WHOSE),
        answer=answer(board, keys),
        there={row.record["id"] for row in board},
        absent=[name for name, paper in papers.items() if paper.records is None],
        analyses=list(dict.fromkeys(row.analysis for row in board)),
        scale=scale,
    )


def paper_page(
    paper: Paper, board: Sequence[Row], data: pd.DataFrame, run: Mapping[str, Any]
) -> str:
    """Claims, scope, tables, figures, deviations, and how to run it."""
    claims = [row for row in board if row.page == paper.name]
    counts = counted([row.record for row in claims])
    return rendered(
        "paper.html",
        1,
        paper=paper,
        rows=claims,
        counts=counts,
        summary=summary(counts),
        not_run=[row for row in claims if row.record["verdict"] == NOT_RUN],
        data=tables.view(_titled(data), ROWS),
        tables={name: _shown(table) for name, table in paper.tables.items()},
        run=run,
    )


def _shown(table: pd.DataFrame) -> tables.View:
    return tables.view(tables.beside(table), ROWS)


def browse(grid: Mapping[str, Sequence[str]], scores: pd.DataFrame) -> str:
    """Every data set and analysis: encoders by attentions in fixed places, scores below."""
    sets = sorted({panel.split("+")[0] for panels in grid.values() for panel in panels})
    titles = {name: GRID_TITLES.get(name, numbered(name)) for name in grid}
    return rendered(
        "browse.html",
        1,
        sets=sets,
        analyses={name: titles[name] for name in sorted(titles, key=_grid_order)},
        grid={name: set(panels) for name, panels in grid.items()},
        encoders=ENCODERS,
        attentions=ATTENTIONS,
        scores=_scores(scores),
    )


def _grid_order(name: str) -> int:
    return list(GRID_TITLES).index(name) if name in GRID_TITLES else len(GRID_TITLES)


def _scores(table: pd.DataFrame) -> dict[tuple[str, str], str]:
    """Test scores of each data set and model, as text."""
    texts = {}
    for row in table.to_dict("records"):
        parts = [f"{row['accuracy']:.2f} accuracy"]
        if row["per_class"].count("/") == 1:  # F1 of the positive class: two classes only
            parts.append(f"{row['f1']:.2f} F1")
        texts[row["dataset"], row["model"]] = ", ".join(parts)
    return texts


def examples_page(
    shown: Sequence[Mapping[str, Any]], private: Sequence[str], epsilon: float
) -> str:
    """Documents as heat strips, with the data for editing the weights."""
    return rendered(
        "examples.html",
        1,
        shown=[{**one, "prediction": examples.predicted(one)} for one in shown],
        sets=list(dict.fromkeys(one["dataset"] for one in shown)),
        models=sorted({one["model"] for one in shown}, key=model_order),
        data={"variants": list(VARIANTS.items()), "examples": shown},
        private=private,
        epsilon=epsilon,
    )


def model_order(name: str) -> tuple[list[int], str]:
    """Encoders and attentions as in the grid; other models after them."""
    order = [*ENCODERS, *ATTENTIONS]
    places = [order.index(part) for part in name.split("-") if part in order]
    attention_first = places[::-1] or [len(order)]
    return attention_first, name


def data_page(table: pd.DataFrame, figures: Sequence[Figure]) -> str:
    """Sources, owners, terms and sizes of the data sets."""
    about = ["dataset", "title", "stands_for", "owner", "origin", "terms", "kind"]
    kept = {"about": table[about], "sizes": table.drop(columns=about[1:])}
    views = {name: tables.view(_titled(part), len(part)) for name, part in kept.items()}
    return rendered("data.html", 1, views=views, figures=figures, count=len(table))


def _titled(table: pd.DataFrame) -> pd.DataFrame:
    return table.rename(columns=lambda name: str(name).replace("_", " "))


def run_page(dag: Dag, timing: pd.DataFrame | None, versions: Sequence[tuple[str, str]]) -> str:
    """The DAG, seconds and memory of the stages, and versions."""
    return rendered(
        "run.html",
        1,
        dag=dag,
        by_stage=None if timing is None else by_stage(timing),
        every=None if timing is None else tables.view(timing.rename(columns=HEADINGS), len(timing)),
        cores="" if timing is None else str(timing["cores"].max()),
        versions=versions,
    )


def by_stage(timing: pd.DataFrame) -> tables.View:
    """Sums of seconds and the largest memory of each stage."""
    how = {INSTANCE: "count", "seconds": "sum", "cpu_seconds": "sum", "peak_mb": "max"}
    sums = timing.groupby("stage", sort=False).agg(how).reset_index()
    return tables.view(sums.rename(columns=HEADINGS | {INSTANCE: "instances"}).round(1), ROWS)


def benchmarks_page(tables_: Mapping[str, pd.DataFrame], figures: Sequence[Figure]) -> str:
    """Tables and figures of the benchmarks that were run."""
    return rendered(
        "benchmarks.html",
        1,
        tables={name: tables.view(_titled(t), ROWS) for name, t in tables_.items()},
        figures=figures,
        captions=CAPTIONS,
    )
