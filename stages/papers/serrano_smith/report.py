"""reports/serrano-smith: tables, figures with their numbers, plots, claims, metrics."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path

import pandas as pd

from stages.papers.serrano_smith import claims, figures, tables
from stages.papers.serrano_smith.evidence import CODED, TEXT, Results
from stages.papers.serrano_smith.panels import MODELS, RANKINGS
from stages.papers.shared import reading
from stages.papers.shared.drawing import schematic
from stages.papers.shared.rules import records, significant
from stages.papers.shared.scores import run_scores
from stages.papers.shared.writing import Draw, Drawn, write_report
from stages.settings.params import Settings
from stages.settings.paths import PREDICTIONS
from stages.settings.studies import Gate

STUDY = "serrano-smith"
SCHEMATICS = Path(__file__).with_name("schematics.yaml")
OTHER_STUDY = "jain-wallace"  # its runs go through the same erasures
SINGLE = ["dataset", "model", "instance", "delta_alpha", "delta_js"]
ALPHA, JS = "Difference in Attention Weights", "Difference in JS Divergence"
FRACTION, MASS = "Fractions Removed", "Probability Mass of Original Attention Dist Removed"
ALL, ONE = list(MODELS), ["han-rnn"]


def write(settings: Settings, folder: Path) -> None:
    """From the results of the erasure analysis."""
    results, elsewhere = (_erased(settings, study) for study in (STUDY, OTHER_STUDY))
    trained = results.scores.groupby("dataset")["train_documents"].max()
    corpora = reading.corpora_of(STUDY, trained.index)
    stats = {name: tables.sizes(corpus, trained[name]) for name, corpus in corpora.items()}
    gate = settings.studies[STUDY].gate
    write_results(results, stats, elsewhere, gate, folder, settings.budget.processes)


def _erased(settings: Settings, study: str) -> Results:
    """Tables of the erasure analysis over all data sets of a study that it ran on."""
    names = ("instances", "single", "multi")
    instances, single, multi = reading.analysed(settings, "erasure", study, *names)
    scores = run_scores(reading.models(settings, study))
    return Results(instances, single, multi, scores, reading.trained(settings, study, PREDICTIONS))


def write_results(
    results: Results,
    stats: Mapping[str, Mapping[str, float]],
    elsewhere: Results,
    gate: Gate,
    folder: Path,
    processes: int | None,
) -> None:
    """Everything in reports/serrano-smith but the page itself.

    `elsewhere` holds the same erasures on another study's models.
    """
    grid, flips = tables.contingency(results.single), tables.flip_table(results.multi)
    cells = tables.compared(grid, flips, results.scores)
    write_report(
        folder,
        processes,
        tables={
            "table-1": tables.table_1(stats),
            "table-2": tables.table_2(grid),
            "table-3": tables.table_3(cells),
            "contingency": grid,
            "flips": flips,
            "excluded": tables.excluded(results.instances),
            "fidelity": tables.fidelity_table(cells),
            "other-models": tables.flip_table(elsewhere.multi),
            "other-models-contingency": tables.contingency(elsewhere.single),
        },
        plots={"erasure": flips[["ranking", "dataset", "model", "fraction_median"]].dropna()},
        figures=drawings(results.drawn(gate)),
        headline=headline(grid, flips),
        records=records(claims, results, gate),
        refused=results.refused(gate),
    )


def drawings(results: Results) -> dict[str, Draw]:
    """Figures 1-13; 7 and 8 also with the random item as the authors' code draws it."""
    erased = partial(_erasures, results)
    boxes = partial(_boxes, results, tables.flip_table(results.multi))
    counts = partial(_contingencies, results, tables.contingency(results.single))
    return {
        "figure-1": partial(schematic, SCHEMATICS, "figure-1"),
        "figure-2": partial(schematic, SCHEMATICS, "figure-2"),
        "figure-3": partial(erased, ONE, figures.scatter, JS, TEXT),
        "figure-4": partial(erased, ONE, figures.negatives, "Documents", TEXT),
        "figure-5": partial(boxes, ["han-rnn", "flan-rnn", "flan-conv"], "fraction", FRACTION),
        "figure-6": partial(boxes, ["han-noenc", "flan-noenc"], "fraction", FRACTION),
        "figure-7": partial(erased, ALL, figures.scatter, JS, TEXT),
        "figure-7-as-coded": partial(erased, ALL, figures.scatter, JS, CODED),
        "figure-8": partial(erased, ALL, figures.negatives, "Documents", TEXT),
        "figure-8-as-coded": partial(erased, ALL, figures.negatives, "Documents", CODED),
        "figure-9": partial(counts, "attention", "i*"),
        "figure-10": partial(boxes, ALL, "fraction", FRACTION),
        "figure-11": partial(boxes, ALL, "mass", MASS),
        "figure-12": partial(counts, "gradient", "i_g*"),
        "figure-13": partial(counts, "product", "i_p*"),
    }


def _erasures(
    results: Results, models: list[str], draw: figures.Draw, ylabel: str, mode: str
) -> Drawn:
    single = results.single
    chosen = (single["ranking"] == "attention") & (single["mode"] == mode)
    table = single[chosen & single["model"].isin(models)]
    figure = figures.facets(results, table, models, draw, (ALPHA, ylabel))
    shown = table if draw is figures.scatter else table[table["delta_js"] < 0]
    return figure, shown[SINGLE]


def _boxes(
    results: Results, flips: pd.DataFrame, models: list[str], value: str, label: str
) -> Drawn:
    shown = flips[flips["model"].isin(models) & flips["ranking"].isin(RANKINGS)]
    return figures.boxes(results, models, value, label), shown


def _contingencies(results: Results, grid: pd.DataFrame, ranking: str, symbol: str) -> Drawn:
    rows = grid[(grid["ranking"] == ranking) & (grid["mode"] == CODED)]
    labels = ("Remove random: decision flip?", f"Remove {symbol}: decision flip?")
    return figures.facets(results, rows, ALL, figures.contingency_panel, labels), rows


def headline(grid: pd.DataFrame, flips: pd.DataFrame) -> dict[str, float | None]:
    """Means over models: flips by the top item in percent, median fractions removed at the flip."""
    text = grid[(grid["mode"] == TEXT) & (grid["ranking"] == "attention")]
    fractions = flips.groupby("ranking")["fraction_median"].mean()
    return {
        "top_flips_attention": significant(text["top_flips"].mean()),
        "fraction_attention": significant(fractions["attention"]),
        "fraction_gradient": significant(fractions["gradient"]),
    }
