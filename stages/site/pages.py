"""Renders the pages from templates."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from stages.papers.jain_wallace.panels import ATTENTIONS, ENCODERS
from stages.papers.shared.names import PAPERS
from stages.papers.shared.rules import NOT_RUN, counted
from stages.site import tables
from stages.site.content import numbered
from stages.site.dag import Picture as Dag
from stages.site.gathering import Paper
from stages.site.gathering import Picture as Figure
from stages.site.verdicts import REJOINDER, Row, answer, measured, summary

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
    "ratios": "Speed of each optimised function as a multiple of what the column `against` names.",
    "growth": "Time against document length, number of documents and size of the vocabulary.",
    "slopes": "Exponents of growth: 1 is linear, 2 quadratic.",
    "roofline": "Throughput of each kernel relative to the fastest matrix product of the machine.",
    "core_use": "Share of the time of 2 and 8 workers that the jobs of the laptop run would fill.",
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
    compact = {"sort_keys": True, "allow_nan": False, "separators": (",", ":")}
    env.policies["json.dumps_kwargs"] = compact
    env.filters |= {"numbered": numbered, "shades": shades}
    return env


def rendered(name: str, depth: int, **values: Any) -> str:
    """A page that lies `depth` folders below the scoreboard."""
    return environment().get_template(name).render(root="../" * depth, **values)


def scoreboard(papers: Mapping[str, Paper], board: Sequence[Row], scale: str) -> str:
    """One row per claim, the counts of each paper, and the overall answer."""
    keys = [key for paper in papers.values() for key in paper.content.key]
    return rendered(
        "scoreboard.html",
        0,
        rows=board,
        counts={n: counted([row.record for row in board if row.paper == n]) for n in WHOSE},
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
        data=tables.view(data, ROWS),
        tables={n: tables.view(tables.beside(table), ROWS) for n, table in paper.tables.items()},
        run=run,
    )


def browse(grid: Mapping[str, Sequence[str]], scores: pd.DataFrame | None) -> str:
    """Every data set and analysis: encoders by attentions in fixed places, scores below."""
    sets = sorted({panel.split("+")[0] for panels in grid.values() for panel in panels})
    titles = GRID_TITLES | {name: numbered(name) for name in grid if name not in GRID_TITLES}
    return rendered(
        "browse.html",
        1,
        sets=sets,
        analyses={name: title for name, title in titles.items() if name in grid},
        grid={name: set(panels) for name, panels in grid.items()},
        encoders=ENCODERS,
        attentions=ATTENTIONS,
        scores=_scores(scores),
    )


def _scores(table: pd.DataFrame | None) -> dict[tuple[str, str], str]:
    """Test scores of each data set and model, as text."""
    texts = {}
    for row in () if table is None else table.to_dict("records"):
        parts = [f"{row['accuracy']:.2f} accuracy"]
        if row["per_class"].count("/") == 1:  # F1 of the positive class: two classes only
            parts.append(f"{row['f1']:.2f} F1")
        texts[row["dataset"], row["model"]] = ", ".join(parts)
    return texts


def examples_page(examples: Mapping[str, Any]) -> str:
    """Documents as heat strips, with the data for editing the weights."""
    shown = examples["shown"]
    return rendered(
        "examples.html",
        1,
        shown=[{**one, "prediction": predicted(one)} for one in shown],
        sets=list(dict.fromkeys(one["dataset"] for one in shown)),
        models=sorted({one["model"] for one in shown}, key=model_order),
        data={"variants": list(VARIANTS.items()), "examples": shown},
        private=examples["private"],
        epsilon=examples["epsilon"],
    )


def predicted(example: Mapping[str, Any]) -> tuple[str, float]:
    """The model's prediction: a label and its probability."""
    output = example["outputs"]["original"]
    if len(output) == 1:
        output = [1 - output[0], output[0]]
    best = int(np.argmax(output))
    return example["labels"][best], output[best]


def shades(weights: Sequence[float]) -> list[float]:
    """Each weight as a share of the largest; zeros where all weights are zero."""
    largest = max(weights, default=0)
    return [round(weight / largest, 2) if largest > 0 else 0.0 for weight in weights]


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
    views = {name: tables.view(part, len(part)) for name, part in kept.items()}
    return rendered("data.html", 1, views=views, figures=figures, count=len(table))


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
        tables={name: tables.view(table, ROWS) for name, table in tables_.items()},
        figures=figures,
        captions=CAPTIONS,
    )
