"""reports/jain-wallace: tables, figures with their numbers, plots, claims, metrics."""

from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path

import pandas as pd

from stages.papers.jain_wallace import claims, evidence, figures, tables
from stages.papers.jain_wallace.evidence import GRADIENT, LOO, Results
from stages.papers.jain_wallace.examples import draw_examples
from stages.papers.jain_wallace.interactive import EXAMPLE, STUDY, example_data
from stages.papers.jain_wallace.panels import PANELS
from stages.papers.shared import reading
from stages.papers.shared.rows import row_of
from stages.papers.shared.rules import records
from stages.papers.shared.scores import run_scores
from stages.papers.shared.writing import Draw, Drawn, write_figures, write_report
from stages.settings.files import replacing, write_json
from stages.settings.params import Settings
from stages.settings.paths import PREDICTIONS

EPSILON = 0.05  # of the published figures
DIGITS = 5
COLUMNS = [*tables.KEYS, "model", "seed", "epsilon", "pair", "instance", "predicted"]
COLUMNS += ["max_attention", "tau", "median", "last"]
SHEETS = {2: "gradients", 6: "permutation", 7: "adversarial-histogram", 8: "adversarial-scatter"}


def write(settings: Settings, folder: Path) -> None:
    """Everything in reports/jain-wallace but the page itself, from the results of the analyses."""
    names = ("correlation", "integrated", "instances", "weights", "faithfulness")
    read = partial(reading.analysed, settings)
    taus, integrated, instances, weights, faithfulness = read("correlation", STUDY, *names)
    adversaries, examples = read("adversarial", STUDY, "instances", "examples")
    models = reading.models(settings, STUDY)
    results = Results(
        pd.concat([taus, integrated]).merge(instances[[*EXAMPLE, "predicted"]], on=EXAMPLE),
        instances,
        weights,
        read("permutation", STUDY, "instances")[0],
        adversaries,
        tables.with_gates(run_scores(models)),
        reading.trained(settings, STUDY, PREDICTIONS),
        reading.retrained(settings, STUDY, "guided"),
    )
    gate, processes = settings.studies[STUDY].gate, settings.budget.processes
    stats = reading.stats_of(STUDY, dict.fromkeys(about["dataset"] for about in models))
    by_name = all_tables(results, faithfulness, tables.table_1(models, stats))
    drawn, words = results.drawn(gate), partial(reading.words, STUDY)
    write_report(
        folder,
        processes,
        tables=by_name,
        plots={"tau": tables.tau_table(by_name["correlation"])},
        figures=drawings(drawn) | example_drawings(drawn, examples, words),
        headline=headline(results.without(results.refused(gate))),
        records=records(claims, results, gate),
        refused=results.refused(gate),
        digits=DIGITS,
    )
    write_json(folder / "examples.json", example_data(settings), indent=None)
    with replacing(folder / "grid") as fresh:
        write_figures(grid(results), fresh, DIGITS, processes, cropped=False)


def all_tables(
    results: Results, faithfulness: pd.DataFrame, table_1: pd.DataFrame
) -> dict[str, pd.DataFrame]:
    """The tables of the report by name."""
    correlation = tables.correlation_table(results.taus)
    permutation = tables.permutation_grid(results.shuffled)
    adversarial = tables.adversarial_grid(results.adversaries)
    return {
        "table-1": table_1,
        "table-2": tables.table_2(correlation),
        "correlation": correlation,
        "permutation": permutation,
        "adversarial": adversarial,
        "faithfulness": tables.faithfulness_table(faithfulness),
        "fidelity": tables.fidelity_table(correlation, permutation, adversarial, results.scores),
    }


def experiments(results: Results) -> dict[str, tuple[pd.DataFrame, figures.Draw, str, str]]:
    """Table, shape and axis labels of the panels of each experiment, by name in the grid."""
    adversaries = results.adversaries[results.adversaries["epsilon"] == EPSILON]
    gradient, loo = (results.taus[results.taus["pair"] == pair] for pair in (GRADIENT, LOO))
    tau, jsd = "Kendall τ of attention", f"Max JS Divergence within ε = {EPSILON}"
    median, weight = "Median Output Difference", "Max attention"
    return {
        "gradients": (gradient, figures.tau_histogram, f"{tau} and gradient", "Fraction"),
        "leave-one-out": (loo, figures.tau_histogram, f"{tau} and leave-one-out", "Fraction"),
        "correlations": (results.taus, figures.densities, "Kendall τ", "Density"),
        "permutation": (results.shuffled, figures.shuffled_violins, median, weight),
        "adversarial-histogram": (adversaries, figures.divergence_histogram, jsd, "Fraction"),
        "adversarial-scatter": (adversaries, figures.divergence_violins, jsd, weight),
    }


def drawings(results: Results) -> dict[str, Draw]:
    """Functions that draw Figures 2-8."""
    shapes = experiments(results)
    sheets = {number: partial(_sheet, results, *shapes[name]) for number, name in SHEETS.items()}
    bars = {number: partial(_bars, results, number) for number in evidence.GAPS}
    return {f"figure-{number}": draw for number, draw in (sheets | bars).items()}


def _sheet(
    results: Results, table: pd.DataFrame, panel: figures.Draw, xlabel: str, ylabel: str
) -> Drawn:
    shown = tables.first_seed(table)
    shown = shown[(shown["attention"] == "additive") & shown["encoder"].isin(figures.SHEET)]
    shown = shown[[name for name in shown if name in COLUMNS]]
    return figures.sheet(results, shown, panel, xlabel, ylabel), shown


def bar_table(results: Results, figure: int) -> pd.DataFrame:
    """Figures 3-5: value and interval of each data set, as in the claims."""
    gaps = evidence.tau_gaps(results, *evidence.GAPS[figure])
    rows = [row[:5] for name, gap in gaps.items() if (row := row_of(name, gap, "gap"))]
    table = pd.DataFrame(rows, columns=["dataset", "value", "low", "high", "n"])
    return table.assign(below_gate=table["dataset"].isin(list(results.below_gate)))


def _bars(results: Results, figure: int) -> Drawn:
    return figures.bars(results, bar_table(results, figure))


def example_drawings(
    results: Results,
    weights: pd.DataFrame,
    words: Callable[[str, Collection[int]], dict[int, reading.Text]],
) -> dict[str, Draw]:
    """Functions that draw Figure 1 (IMDB, or SST where it was not run) and Appendix D."""
    kept = weights.groupby("dataset")["instance"].unique()
    texts = {name: words(name, [int(row) for row in rows]) for name, rows in kept.items()}
    first = "IMDB" if texts.get("imdb") else "SST"
    sheets = {"figure-1": [first], "appendix-d": list(PANELS)}

    return {
        name: partial(draw_examples, results, weights, texts, panels)
        for name, panels in sheets.items()
    }


def grid(results: Results) -> dict[str, Draw]:
    """Functions that draw every experiment for every model, by experiment/model."""
    return {
        f"{name}/{'+'.join(model)}": partial(figures.picture, rows, *how[1:])
        for name, how in experiments(results).items()
        for model, rows in tables.first_seed(how[0]).groupby(tables.KEYS, sort=False)
    }


def headline(results: Results) -> dict[str, float | None]:
    """Mean tau of the BiLSTM, and the share of distant adversaries, means over data sets."""
    rows = {"distant_adversaries": claims.distant_adversaries(results)[0][0]}
    for pair, name in ((GRADIENT, "gradient"), (LOO, "leave_one_out")):
        taus = evidence.taus(results, evidence.BASE, pair)
        rows[f"tau_{name}_bilstm"] = evidence.over_datasets(taus, "tau")
    return {name: None if row is None else round(row.value, 4) for name, row in rows.items()}
