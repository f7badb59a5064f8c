"""Measurements for the claims of Jain & Wallace 2019 and of Wiegreffe & Pinter 2019.

claims.yaml states what they decide. A verdict that differs from the paper may be due to stand-in
data or a smaller scale, both named in the report.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from stages.papers.jain_wallace import tables
from stages.papers.jain_wallace.evidence import (
    BASE,
    DOCUMENT,
    GRADIENT,
    LOO,
    Results,
    agreement_gaps,
    answers,
    by_answer,
    by_dataset,
    columns_of,
    correct,
    datasets,
    difference_row,
    encoder_gaps,
    f1,
    f1_gain,
    of,
    over_datasets,
    seed_divergence,
    spearman,
    statistic_row,
    tau_gap,
    taus,
    within,
)
from stages.papers.jain_wallace.panels import ENCODERS, OWN
from stages.papers.shared.rules import FEWEST, Row, row_of

CLAIMS = Path(__file__).with_name("claims.yaml")
MIMIC = "Diabetes is made of MIMIC-III, which may not be passed on; run it from your own copy"
Rows = list[Row | None]
Measured = tuple[Rows, str]


def by_name(values: Mapping[str, float]) -> str:
    """Values by data set, for a note."""
    return ", ".join(f"{name} {value:.2f}" for name, value in values.items() if not np.isnan(value))


def gap_means(gaps: Mapping[str, pd.DataFrame]) -> str:
    """Mean gaps by data set, for a note."""
    return f"By data set: {by_name({k: float(g['gap'].mean()) for k, g in gaps.items()})}"


def agreement(results: Results, pair: str) -> Measured:
    """JW1, JW2."""
    return [
        row_of(label, group, "tau")
        for name in datasets(results.taus)
        for label, group in by_answer(f"{name} {BASE}", taus(results, name, BASE, pair)).items()
    ], ""


def average_agrees_more(results: Results) -> Measured:
    """JW3."""
    model = "average-additive"
    rows: Rows = []
    for name in datasets(results.taus):
        gap = tau_gap(results, name, (model, GRADIENT), (BASE, GRADIENT))
        by_class = by_answer(f"{name} {model} {BASE}", gap)
        rows += [row_of(label, group, "gap") for label, group in by_class.items()]
    return rows, ""


def length_and_significance(results: Results) -> Measured:
    """JW4: data sets are resampled; undefined correlations count as not significant."""
    points = {}
    for name in datasets(results.taus):
        p, lengths = taus(results, name, BASE, GRADIENT)["p"], of(results.instances, name)["length"]
        if len(p) >= FEWEST:
            points[name] = (lengths.mean(), float((p <= 0.05).mean()), len(p))
    if len(points) < 4:
        return [], "needs four data sets"
    length, share, documents = map(np.array, zip(*points.values(), strict=True))
    row = statistic_row(" ".join((*points, BASE)), spearman, [[length, share]])
    if row is not None:
        row = row._replace(documents=int(documents.sum()), runs=len(points))
    order = sorted(zip(length, share, strict=True))
    return [row], "By mean length: " + ", ".join(f"{n:.0f} tokens {s:.2f}" for n, s in order)


def better_but_on_snli(results: Results) -> Measured:
    """JW5: SNLI is the exception, so there the sign is reversed."""
    rows: Rows = []
    for name, gap in agreement_gaps(results, LOO).items():
        reversed_ = gap.assign(gap=-gap["gap"]) if name == "snli" else gap
        rows.append(row_of(f"{name} {BASE}", reversed_, "gap"))
    tested = any(row is not None and row.row.startswith("snli") for row in rows)
    return rows, "" if tested else "The exception is not tested: no run on SNLI may decide"


def agreement_gap(results: Results, pair: str) -> Measured:
    """JW5b, JW6: the two captions are probably exchanged, so the note has the other gap."""
    gaps = agreement_gaps(results, pair)
    other = over_datasets(agreement_gaps(results, GRADIENT if pair == LOO else LOO), BASE)
    swapped = "" if other is None else f"{other.value:.3f} ({other.low:.3f} to {other.high:.3f})"
    note = f"{gap_means(gaps)}. If the captions of Figures 3 and 4 are exchanged: {swapped}"
    return [over_datasets(gaps, BASE)], note


def encoder_gap(results: Results) -> Measured:
    """JW7."""
    gaps = encoder_gaps(results)
    return [over_datasets(gaps, "average-additive", BASE)], gap_means(gaps)


def dot_like_additive(results: Results) -> Measured:
    """JW8; the note has the same share in the tables that the authors released."""
    rows: Rows = []
    for name in datasets(results.taus):
        for encoder in ENCODERS:
            one, other = f"{encoder}-dot", f"{encoder}-additive"
            gap = tau_gap(results, name, (one, GRADIENT), (other, GRADIENT))
            rows.append(row_of(f"{name} {one} {other}", gap, "gap"))
    theirs = tables.released_means(GRADIENT).unstack("attention")
    near = (theirs["dot"] - theirs["additive"]).abs().dropna() <= 0.1
    return rows, f"In the authors' released tables {near.sum()} of {len(near)} are within .1"


def unmoved_when_shuffled(results: Results) -> Measured:
    """JW9."""
    rows: Rows = []
    counts = []
    for name, group in by_dataset(results.shuffled, 0.5).items():
        still = group.assign(still=(group["median"] < 0.1).astype(float))
        row = row_of(f"{name} {BASE}", still, "still")
        rows.append(row)
        if row is not None:
            strict = still[still["max_attention"] >= 0.75]["still"]
            counts.append(
                f"{name} {still['still'].sum():.0f} of {len(still)} (of weight .75 "
                f"{strict.sum():.0f} of {len(strict)})"
            )
    return rows, f"Documents: {', '.join(counts)}" if counts else ""


def precise_tokens_matter(results: Results) -> Measured:
    """JW10."""
    moved = of(results.shuffled, "diabetes")
    positive, negative = (columns_of(moved[moved["predicted"] == k], "median") for k in (1, 0))
    row = difference_row(f"diabetes {BASE}", np.mean, positive, negative)
    return [row], MIMIC if row is None else ""


def distant_adversaries(results: Results) -> Measured:
    """JW11: decided with the epsilon of the figures; the note adds that of the text."""
    rows, notes = {}, []
    for epsilon in (0.01, 0.05):
        groups = within(results, epsilon)
        far = {name: t.assign(gap=(t["last"] > 0.5).astype(float)) for name, t in groups.items()}
        rows[epsilon] = row = over_datasets(far, BASE)
        if row is not None:
            best = np.mean([(t["best"] > 0.5).mean() for t in groups.values() if len(t)])
            notes.append(f"epsilon {epsilon}: {row.value:.2f}, by the best iterate {best:.2f}")
            notes.append(gap_means(far).lower())
    return [rows[0.05]], "; ".join(notes)


def peaked_is_harder(results: Results) -> Measured:
    """JW12."""
    return [
        statistic_row(f"{name} {BASE}", spearman, columns_of(group, "max_attention", "last"))
        for name, group in within(results, 0.05).items()
    ], ""


def peaked_but_distant(results: Results) -> Measured:
    """JW13."""
    return [
        row_of(f"{name} {BASE}", group.assign(far=(group["last"] > 0.4).astype(float)), "far")
        for name, group in within(results, 0.05, 0.75).items()
    ], ""


def average_moves_more(results: Results) -> Measured:
    """JW14: the encoders have different peaked documents, which are not paired."""
    rows: Rows = []
    peaked = results.shuffled[results.shuffled["max_attention"] >= 0.5]
    for name in datasets(results.shuffled):
        models = ("average-additive", BASE)
        runs = [columns_of(of(peaked, name, model), "median") for model in models]
        rows.append(difference_row(f"{name} {' '.join(models)}", np.mean, *runs))
    return rows, ""


def example_exists(results: Results) -> Measured:
    """JW15: the documents are counted, so the interval is the number itself."""
    rows: Rows = []
    for name, group in within(results, 0.01).items():
        if len(group):
            count = int((group["other_top_token"] & (group["last"] > 0.5)).sum())
            seeds = group["seed"].nunique()
            rows.append(Row(f"{name} {BASE}", count, count, count, len(group), seeds, seeds))
    kept = [row for row in rows if row is not None]
    examples, documents = sum(r.value for r in kept), sum(r.documents for r in kept)
    note = f"{examples:.0f} of {documents} documents; one is drawn as Figure 1"
    return rows, note if kept else ""


def scores_as_published(results: Results) -> Measured:
    """JW16."""
    rows: Rows = []
    few = []
    for name in (name for name in datasets(results.scores) if name in OWN):
        runs = of(results.scores, name)
        documents, theirs = runs["train_documents"].max(), tables.published_documents(name)
        if documents < theirs / 2:
            few.append(f"{name} {documents:.0f} of {theirs:.0f}")
        elif len(runs):
            right = runs["metric"].iloc[0] != "f1"
            statistic, columns = (np.mean, correct(runs)) if right else (f1, answers(runs))
            row = statistic_row(f"{name} {BASE}", statistic, columns)
            rows.append(shifted(row, -float(runs["published"].iloc[0])))
    return rows, f"Trained on too few documents: {', '.join(few)}" if few else ""


def shifted(row: Row | None, by: float) -> Row | None:
    """A row with its value and interval moved."""
    if row is None:
        return None
    return row._replace(value=row.value + by, low=row.low + by, high=row.high + by)


def beside_base(results: Results, task: str) -> dict[str, pd.DataFrame]:
    """Answers of CNN and Average beside those of the BiLSTM, same documents, by run."""
    joined = {}
    for name in datasets(results.shuffled, task):
        base = of(results.shuffled, name)[[*DOCUMENT, "predicted"]]
        for model in ("cnn-additive", "average-additive"):
            rows = of(results.shuffled, name, model)
            joined[f"{name} {model}"] = rows.merge(base, on=DOCUMENT, suffixes=("", "_base"))
    return joined


def scores_alike(results: Results) -> Measured:
    """JW17."""
    columns = ("label", "predicted", "predicted_base")
    return [
        statistic_row(f"{run} {BASE}", f1_gain, columns_of(rows, *columns))
        for run, rows in beside_base(results, "classification").items()
    ], ""


def worse_at_questions(results: Results) -> Measured:
    """JW18; only over data sets for which both encoders may decide."""
    gaps: dict[str, list[pd.DataFrame]] = {}
    for run, rows in beside_base(results, "question").items():
        right, base = (rows[name] == rows["label"] for name in ("predicted", "predicted_base"))
        if len(rows):
            gap = rows.assign(gap=right.astype(float) - base.astype(float))
            gaps.setdefault(run.split()[0], []).append(gap)
    both = {name: pd.concat(parts) for name, parts in gaps.items() if len(parts) == 2}
    return [over_datasets(both, "cnn-additive", "average-additive", BASE)], gap_means(both)


def learned_or_uniform(results: Results) -> Measured:
    """WP1: no predictions of uniform models are kept, so documents are not paired."""
    rows: Rows = []
    for name in datasets(results.scores, "classification"):
        models = (BASE, "bilstm-uniform")
        runs = [answers(of(results.scores, name, model)) for model in models]
        rows.append(difference_row(f"{name} {' '.join(models)}", f1, *runs))
    return rows, "A row above 0 speaks for attention on its data set; one at or below 0 against it"


def seeds_or_adversaries(results: Results) -> Measured:
    """WP2."""
    rows: Rows = []
    medians = {}
    for name, group in within(results, 0.05).items():
        weights = of(results.weights, name)
        apart = seed_divergence(weights) if len(weights) else pd.Series(dtype=float)
        if len(apart):
            gap = group.assign(gap=group["last"] - group["instance"].map(apart))
            rows.append(row_of(f"{name} {BASE}", gap, "gap"))
            medians[name] = float(apart.median())
    return rows, f"Median divergence between seeds: {by_name(medians)}" if rows else ""


def base_guides_better(results: Results) -> Measured:
    """WP4: seeds of the base, then documents."""
    rows: Rows = []
    notes = []
    for name in results.guided["dataset"].unique():
        guided = of(results.guided, name)
        keys = [*DOCUMENT, "label"]
        wide = guided.pivot(index=keys, columns="weights_of", values="predicted")
        wide = wide.dropna().reset_index()
        runs = columns_of(wide, "label", "base", "adversary")
        rows.append(statistic_row(f"{name} {BASE}", f1_gain, runs))
        for kind in ("base", "adversary") if runs else ():
            score = np.mean([f1(*both) for both in columns_of(wide, "label", kind)])
            notes.append(f"F1 under the weights of the {kind} {score:.3f}")
    return rows, ", ".join(notes) or "no MLP was trained under the weights of this study's models"


MEASUREMENTS: dict[str, Callable[[Results], Measured]] = {
    "JW1": lambda results: agreement(results, GRADIENT),
    "JW2": lambda results: agreement(results, LOO),
    "JW3": average_agrees_more,
    "JW4": length_and_significance,
    "JW5": better_but_on_snli,
    "JW5b": lambda results: agreement_gap(results, LOO),
    "JW6": lambda results: agreement_gap(results, GRADIENT),
    "JW7": encoder_gap,
    "JW8": dot_like_additive,
    "JW9": unmoved_when_shuffled,
    "JW10": precise_tokens_matter,
    "JW11": distant_adversaries,
    "JW12": peaked_is_harder,
    "JW13": peaked_but_distant,
    "JW14": average_moves_more,
    "JW15": example_exists,
    "JW16": scores_as_published,
    "JW17": scores_alike,
    "JW18": worse_at_questions,
    "WP1": learned_or_uniform,
    "WP2": seeds_or_adversaries,
    "WP4": base_guides_better,
}
