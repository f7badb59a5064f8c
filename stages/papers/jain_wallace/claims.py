"""Measurements for the claims of Jain & Wallace 2019 and of Wiegreffe & Pinter 2019.

claims.yaml states what they decide. A verdict that differs from the paper may be due to stand-in
data or a smaller scale, both named in the report.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from stages.papers.jain_wallace import evidence, tables
from stages.papers.jain_wallace.evidence import GAPS, Results, over_datasets
from stages.papers.jain_wallace.panels import ENCODERS, OWN
from stages.papers.shared.results import of
from stages.papers.shared.rows import (
    FEWEST,
    Measured,
    Row,
    Rows,
    row_of,
    row_of_runs,
    row_of_values,
)
from stages.settings.seeds import generator
from stages.statistics.bootstrap import hierarchical
from stages.statistics.ranks import spearman

BASE, CNN, AVERAGE = evidence.BASE, evidence.CNN, evidence.AVERAGE
DOCUMENT, GRADIENT, LOO = evidence.DOCUMENT, evidence.GRADIENT, evidence.LOO
SCORED = ("label", "predicted", "predicted_base")
MIMIC = "Diabetes is made of MIMIC-III, which may not be passed on; run it from your own copy"


def listed(by_dataset: Mapping[str, pd.DataFrame], column: str) -> str:
    """Means of a column by data set, for a note."""
    means = {name: rows[column].mean() for name, rows in by_dataset.items() if len(rows)}
    return ", ".join(f"{name} {value:.2f}" for name, value in means.items())


def of_base(by_dataset: Mapping[str, pd.DataFrame], column: str) -> Rows:
    """The mean of a column of the BiLSTM on each data set."""
    return [row_of(f"{name} {BASE}", rows, column) for name, rows in by_dataset.items()]


def agreement(results: Results, pair: str) -> Measured:
    """JW1, JW2."""
    return evidence.by_answer(BASE, evidence.taus(results, BASE, pair), "tau"), ""


def average_agrees_more(results: Results) -> Measured:
    """JW3."""
    gaps = evidence.tau_gaps(results, (AVERAGE, GRADIENT), (BASE, GRADIENT))
    return evidence.by_answer(f"{AVERAGE} {BASE}", gaps, "gap"), ""


def length_and_significance(results: Results) -> Measured:
    """JW4: data sets are resampled; undefined correlations count as not significant."""
    correlations = evidence.taus(results, BASE, GRADIENT)
    points = [
        (of(results.instances, name, BASE)["length"].mean(), (rows["p"] <= 0.05).mean(), n, name)
        for name, rows in correlations.items()
        if (n := rows["instance"].nunique()) >= FEWEST
    ]
    if len(points) < 4:
        return [], "needs four data sets"
    lengths, shares, documents, names = zip(*points, strict=True)
    seeds = max(rows["seed"].nunique() for rows in correlations.values())
    columns = [np.array(lengths), np.array(shares)]
    label = " ".join((*names, BASE))
    values = hierarchical(spearman, [columns], generator(0, label))
    order = ", ".join(f"{point[0]:.0f} tokens {point[1]:.2f}" for point in sorted(points))
    row = row_of_values(label, values, sum(documents), len(points), seeds)
    return [row], f"By mean length: {order}"


def better_but_on_snli(results: Results) -> Measured:
    """JW5: SNLI is the exception, so there the sign is reversed."""
    gaps = evidence.tau_gaps(results, *GAPS[3])
    note = "The exception is not tested: no run on SNLI may decide"
    if len(exception := gaps.get("snli", [])):
        gaps["snli"], note = exception.assign(gap=-exception["gap"]), ""
    return of_base(gaps, "gap"), note


def mean_gap(results: Results, figure: int) -> Measured:
    """JW7, and with the other reading of the captions JW5b and JW6."""
    gaps = evidence.tau_gaps(results, *GAPS[figure])
    models = dict.fromkeys(model for model, _ in GAPS[figure])
    return [over_datasets(gaps, "gap", *models)], listed(gaps, "gap")


def agreement_gap(results: Results, figure: int) -> Measured:
    """JW5b, JW6: the two captions are probably exchanged, so the note has the other gap."""
    rows, note = mean_gap(results, figure)
    for other in filter(None, mean_gap(results, 7 - figure)[0]):
        swapped = f"{other.value:.3f} ({other.low:.3f} to {other.high:.3f})"
        note += f". If the captions of Figures 3 and 4 are exchanged: {swapped}"
    return rows, note


def dot_like_additive(results: Results) -> Measured:
    """JW8; the note has the same share in the tables that the authors released."""
    rows: Rows = []
    for encoder in ENCODERS:
        one, other = f"{encoder}-dot", f"{encoder}-additive"
        gaps = evidence.tau_gaps(results, (one, GRADIENT), (other, GRADIENT))
        rows += [row_of(f"{name} {one} {other}", gap, "gap") for name, gap in gaps.items()]
    near = tables.released_gaps() <= 0.1
    return rows, f"In the authors' released tables {near.sum()} of {len(near)} are within .1"


def unmoved_when_shuffled(results: Results) -> Measured:
    """JW9."""
    still = results.peaked(results.shuffled, 0.5, lambda table: table["median"] < 0.1)
    kept = {name: rows for name, rows in still.items() if len(rows) >= FEWEST}
    counts = [
        f"{name} {t['share'].mean():.0%} of {len(t) / t['seed'].nunique():.0f}"
        for name, t in kept.items()
    ]
    return of_base(still, "share"), f"Documents of a seed: {', '.join(counts)}" if counts else ""


def precise_tokens_matter(results: Results) -> Measured:
    """JW10."""
    moved = of(results.shuffled, "diabetes", BASE)
    classes = [evidence.columns_of(moved[moved["predicted"] == k], "median") for k in (1, 0)]
    row = evidence.gap_row(f"diabetes {BASE}", *classes)
    return [row], MIMIC if row is None else ""


def distant_adversaries(results: Results) -> Measured:
    """JW11: decided with the epsilon of the figures; the note adds that of the text."""
    narrow, wide = (evidence.adversaries(results, epsilon, 0.5) for epsilon in (0.01, 0.05))
    best = {name: rows.assign(share=rows["best"] > 0.5) for name, rows in wide.items()}
    kinds = {"epsilon .05": wide, "epsilon .05, best iterate": best, "epsilon .01": narrow}
    notes = [f"{kind}: {text}" for kind, t in kinds.items() if (text := listed(t, "share"))]
    return [over_datasets(wide, "share", BASE)], "; ".join(notes)


def peaked_is_harder(results: Results) -> Measured:
    """JW12."""
    rows: Rows = []
    for name, group in evidence.adversaries(results, 0.05, 0.5).items():
        runs = evidence.columns_of(group, "max_attention", "last")
        rows.append(row_of_runs(f"{name} {BASE}", runs, spearman))
    return rows, ""


def peaked_but_distant(results: Results) -> Measured:
    """JW13."""
    return of_base(evidence.adversaries(results, 0.05, 0.4, least=0.75), "share"), ""


def average_moves_more(results: Results) -> Measured:
    """JW14: the encoders have different peaked documents, which are not paired."""
    rows: Rows = []
    peaked = results.shuffled[results.shuffled["max_attention"] >= 0.5]
    for name in results.panels.values():
        models = (AVERAGE, BASE)
        runs = [evidence.columns_of(of(peaked, name, model), "median") for model in models]
        rows.append(evidence.gap_row(f"{name} {' '.join(models)}", *runs))
    return rows, ""


def example_exists(results: Results) -> Measured:
    """JW15: documents are counted, so the interval is from the fewest to the most of a seed."""
    rows = []
    for name, group in evidence.adversaries(results, 0.01, 0.5).items():
        if len(group):
            shown = group["other_top_token"] & (group["share"] == 1)
            by_seed = shown.groupby(group["seed"]).sum()
            count, low, high = (float(by_seed.agg(kind)) for kind in ("mean", "min", "max"))
            rests_on = (group["instance"].nunique(), len(by_seed), len(by_seed))
            rows.append(Row(f"{name} {BASE}", count, low, high, *rests_on))
    examples, documents = sum(row.value for row in rows), sum(row.documents for row in rows)
    note = f"{examples:.0f} of {documents} documents; one is drawn as Figure 1"
    return list(rows), note if rows else ""


def scores_as_published(results: Results) -> Measured:
    """JW16: the published kind of score, of all test documents."""
    rows: Rows = []
    few = []
    for name in (name for name in results.panels.values() if name in OWN):
        runs = of(results.scores, name, BASE)
        documents, theirs = runs["train_documents"].max(), tables.published_documents(name)
        if documents < theirs / 2:
            few.append(f"{name} {documents:.0f} of {theirs:.0f}")
            rows.append(None)
        elif len(runs):
            score = evidence.f1 if runs["metric"].iloc[0] == "f1" else evidence.accuracy
            answers = evidence.columns_of(of(results.answers, name, BASE), "label", "predicted")
            row = row_of_runs(f"{name} {BASE}", answers, score)
            rows.append(row and minus(row, runs["published"].iloc[0]))
    return rows, f"Trained on too few documents: {', '.join(few)}" if few else ""


def minus(row: Row, number: float) -> Row:
    """The row with a number taken off."""
    return row._replace(value=row.value - number, low=row.low - number, high=row.high - number)


def f1_gains(results: Results, pairs: Sequence[tuple[str, str]], note: str = "") -> Measured:
    """JW17, WP1: F1 of the first model of a pair minus F1 of the second, by classification set."""
    return [
        row_of_runs(f"{name} {one} {other}", evidence.columns_of(both, *SCORED), evidence.f1_gain)
        for name in results.datasets("classification")
        for one, other in pairs
        if len(both := evidence.beside(results, name, one, other))
    ], note


def worse_at_questions(results: Results) -> Measured:
    """JW18; only over data sets and seeds for which both encoders may decide."""
    gaps = {}
    for name in results.datasets("question"):
        cnn, average = (evidence.beside(results, name, model) for model in (CNN, AVERAGE))
        both = cnn.merge(average, on=[*DOCUMENT, "label", "predicted_base"])
        right = [both[column] == both["label"] for column in ("predicted_x", "predicted_y")]
        base = both["predicted_base"] == both["label"]
        gaps[name] = both.assign(gap=(right[0] * 1.0 + right[1]) / 2 - base)
    return [over_datasets(gaps, "gap", CNN, AVERAGE, BASE)], listed(gaps, "gap")


def seeds_or_adversaries(results: Results) -> Measured:
    """WP2."""
    gaps = {}
    for name, rows in evidence.adversaries(results, 0.05, 0.5).items():
        weights = of(results.weights, name, BASE)
        if weights["seed"].nunique() > 1:
            both = rows.merge(evidence.seed_divergence(weights), on=DOCUMENT)
            gaps[name] = both.assign(gap=both["last"] - both["seeds"])
    return of_base(gaps, "gap"), f"Between seeds: {listed(gaps, 'seeds')}" if gaps else ""


def base_guides_better(results: Results) -> Measured:
    """WP4: seeds of the base, then documents."""
    rows: Rows = []
    notes = []
    for name in results.guided["dataset"].unique():
        guided, keys = of(results.guided, name, BASE), [*DOCUMENT, "label"]
        wide = guided.pivot(index=keys, columns="weights_of", values="predicted")
        wide = wide.dropna().reset_index()
        runs = evidence.columns_of(wide, "label", "base", "adversary")
        rows.append(row_of_runs(f"{name} {BASE}", runs, evidence.f1_gain))
        for kind in ("base", "adversary"):
            score = np.mean([evidence.f1(*run) for run in evidence.columns_of(wide, "label", kind)])
            notes.append(f"F1 under the weights of the {kind} {score:.3f}")
    return rows, ", ".join(notes) or "no MLP was trained under the weights of this study's models"
