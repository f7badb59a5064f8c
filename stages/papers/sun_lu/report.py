"""reports/sun-lu: tables, figures with their numbers, plots, claims, metrics."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

import pandas as pd

from stages.corpora.budget import training_rows
from stages.corpora.corpus import Corpus, Part
from stages.papers.shared import reading
from stages.papers.shared.drawing import schematic
from stages.papers.shared.facts import Facts, add_facts
from stages.papers.shared.results import of
from stages.papers.shared.rules import records
from stages.papers.shared.scores import run_scores
from stages.papers.shared.writing import Draw, write_report
from stages.papers.sun_lu import claims, figures, tables
from stages.papers.sun_lu.evidence import NEUTRAL, Results
from stages.papers.sun_lu.panels import DATA_I, MODERATE, THREE
from stages.settings.params import Settings
from stages.settings.paths import TRACE
from stages.settings.runs import runs_of
from stages.settings.studies import Gate, TokenGroups

STUDY = "sun-lu"
SCHEMATICS = Path(__file__).with_name("schematics.yaml")
HEADLINE = (1.0, 10.0, 10000.0)  # values of lambda in metrics.json


def write(settings: Settings, folder: Path) -> None:
    """From token scores and from the traces of training."""
    names = ("tokens", "runs", "instances", "dots")
    tokens, runs, instances, dots = reading.analysed(settings, "polarity", STUDY, *names)
    scores = run_scores(reading.models(settings, STUDY))
    results = Results(tokens, runs, reading.trained(settings, STUDY, TRACE), instances, scores)
    dots = of(dots, DATA_I, "dp", MODERATE)
    first = dots[dots["seed"] == dots["seed"].min()]
    corpora = {
        name: trained_on(settings, corpus)
        for name, corpus in reading.corpora_of(STUDY, results.panels.values()).items()
    }
    study = settings.studies[STUDY]
    write_results(results, study.gate, corpora, first, folder, settings.budget.processes)
    if study.groups:
        add_facts(group_facts(results, study.groups), folder)


def trained_on(settings: Settings, corpus: Corpus) -> Corpus:
    """The corpus with the training documents of DP only."""
    tokens = next(run.tokens for run in runs_of(settings, STUDY, corpus.name) if run.model == "dp")
    train = corpus.parts["train"]
    rows = training_rows(corpus, tokens, settings.seed, STUDY)
    part = Part(train.labels[rows], train.text.rows(rows))
    return replace(corpus, parts=corpus.parts | {"train": part})


def group_facts(results: Results, rule: TokenGroups) -> Facts:
    """The rule for words of three classes, and how many words it finds beside the paper's."""
    counts = []  # of class words and of neutral ones: ours, the paper's
    for table, group, column in (
        (tables.group_table(results), "group", "ours"),
        (tables.published("Supplement Table 1"), "quantity", "published"),
    ):
        rows = table[table["panel"] == THREE]
        sums = rows.groupby(rows[group] == NEUTRAL)[column].sum()
        counts.append([int(sums.get(neutral, 0)) for neutral in (False, True)])
    pairs = zip(("class_words", "neutral_words"), *counts, strict=True)
    words = {name: f"{ours:,} ({theirs:,})" for name, ours, theirs in pairs}
    return words | {
        "share": f"{rule.share:g}",
        "share_count": str(rule.share_count),
        "neutral_share": f"{rule.neutral_share:g}",
        "neutral_difference": str(rule.neutral_difference),
    }


def write_results(
    results: Results,
    gate: Gate,
    corpora: Mapping[str, Corpus],
    dots: pd.DataFrame,
    folder: Path,
    processes: int | None,
) -> None:
    """Everything in reports/sun-lu but the page itself."""
    write_report(
        folder,
        processes,
        tables={
            "table-1": tables.table_1(results, corpora),
            "table-2": tables.table_2(results),
            "supplement-table-1": tables.group_table(results),
            "noise": tables.noise_table(results),
            "statistics": tables.statistics_table(results),
            "fidelity": tables.fidelity_table(results),
        },
        plots={"accuracy": tables.accuracy_table(results)},
        figures=drawings(results, gate, dots),
        headline=headline(results),
        records=records(claims, results, gate),
        refused=results.refused(gate),
        exact=("value",),  # lambda is not rounded
    )


def drawings(results: Results, gate: Gate, dots: pd.DataFrame) -> dict[str, Draw]:
    """Functions that draw the figures by name, slow ones first."""
    drawn = results.drawn(gate)
    sheets, courses = figures.SHEETS, figures.COURSES
    return {
        **{name: partial(figures.sheet, drawn, panels) for name, panels in sheets.items()},
        **{name: partial(figures.courses, drawn, c) for name, c in courses.items()},
        "figure-1": partial(schematic, SCHEMATICS, "figure-1"),
        "figure-5": partial(figures.figure_5, drawn),
        "supplement-2": partial(figures.supplement_2, dots),
        "supplement-7": partial(figures.supplement_7, results),
        "supplement-25-27": partial(figures.labels_toward, drawn),
        "accuracy": partial(figures.accuracy_by_scale, results),
    }


def headline(results: Results) -> dict[str, float | None]:
    """Accuracy of DP at a small, a moderate and a large lambda, mean over data sets."""
    means = tables.accuracy_table(results).set_index("lambda")["dp"]
    return {f"dp_accuracy_{value:g}": float(means[value]) for value in HEADLINE if value in means}
