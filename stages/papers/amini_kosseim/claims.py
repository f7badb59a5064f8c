"""Measurements for the claims of Amini & Kosseim 2022; claims.yaml states what they decide."""

import numpy as np
import pandas as pd

from stages.papers.amini_kosseim import evidence
from stages.papers.amini_kosseim.evidence import Results, estimates, row, runs_of
from stages.papers.amini_kosseim.panels import MOCK, MODELS, REAL
from stages.papers.amini_kosseim.tables import published_size
from stages.papers.shared.results import of
from stages.papers.shared.rows import Measured, Row, Rows, row_of
from stages.settings.seeds import generator
from stages.statistics.bootstrap import REPEATS, Floats, clustered
from stages.statistics.ranks import WIDTH, slope, spearman

NEAR, FAR = 0.05, 0.4  # largest difference of equal divergences; smallest divergence called far
SURE = 0.95  # smallest mean |2p - 1| of a confident base
WHOLE = 0.8  # smallest share of the published training documents that scores are compared at
BASE = ["n", "train_documents", "published"]
WAYS = (evidence.PUBLISHED, evidence.BEST)  # that AF14 compares


def base_scores(results: Results) -> Measured:
    """AF1: bases trained on about as many documents as the paper's; the others are in the note."""
    rows: Rows = []
    small = []
    table = results.scores[results.scores["model"] == "lstm"]
    for panel, dataset in results.among(REAL).items():
        if not len(bases := table[table["dataset"] == dataset]):
            continue
        f1, (n, size, published) = float(bases["f1"].mean()), bases[BASE].iloc[0]
        gap, error = f1 - published, WIDTH * float(np.sqrt(f1 * (1 - f1) / n))
        if size < WHOLE * published_size(panel):
            small.append(f"{dataset} lstm {gap:.2f} with {size:.0f}")
            rows.append(None)
        else:
            counts = (int(n), len(bases), len(bases))
            rows.append(Row(f"{dataset} lstm", gap, gap - error, gap + error, *counts))
    return rows, f"trained on too few documents: {', '.join(small)}" if small else ""


def lstm_less_faithful(results: Results) -> Measured:
    """AF2."""
    rows: Rows = []
    for dataset in results.panels.values():
        mlp, lstm = (runs_of(results, dataset, model) for model in ("mlp", "lstm"))
        if len(mlp) and len(lstm):
            gap = estimates(results, mlp) - estimates(results, lstm)
            rows.append(row(f"{dataset} mlp - lstm", gap, mlp, lstm))
    return rows, ""


def _trends(results: Results, *models: str) -> tuple[list[pd.DataFrame], Floats, Floats]:
    """Runs, order (1 + repeats, sets) of Mock sets, and AtteFa (models, 1 + repeats, sets).

    Over the sets that all models have; but for the first row, sets are resampled.
    """
    tables = [[runs_of(results, name, m) for m in models] for (name,) in MOCK.values()]
    common = [place for place, some in enumerate(tables) if all(map(len, some))]
    if len(common) < 4:
        return [], np.empty(0), np.empty((len(models), 0))
    n = len(common)
    sample = generator(0, *models).integers(0, n, (1 + REPEATS, n))
    sample[0] = np.arange(n)
    values = np.array([[estimates(results, runs) for runs in tables[place]] for place in common])
    again = np.stack([np.take_along_axis(some.T, sample, 1) for some in values.swapaxes(0, 1)])
    runs = [table for place in common for table in tables[place]]
    return runs, np.array(common, np.float64)[sample], again


def falls_with_frequency(results: Results) -> Measured:
    """AF3."""
    runs, order, values = _trends(results, "mlp")
    if not runs:
        return [], "fewer than four Mock sets"
    return [row("Mock sets mlp", spearman(order, values[0]), *runs)], ""


def far_smaller_fall(results: Results) -> Measured:
    """AF4; the note has the trend of the LSTM alone."""
    runs, order, (lstm, mlp) = _trends(results, "lstm", "mlp")
    if not runs:
        return [], "fewer than four Mock sets with both models"
    note = f"Spearman correlation with the order of the sets {spearman(order, lstm)[0]:.2f}"
    return [row("Mock sets lstm / mlp", slope(order, lstm) / slope(order, mlp), *runs)], note


def faithful_on_one_word(results: Results) -> Measured:
    """AF5."""
    if not len(runs := runs_of(results, "mock-1", "mlp")):
        return [], "Mock-1 was not run"
    note = f"{int(runs['collapsed'].sum())} of {len(runs)} adversaries collapsed"
    return [row("mock-1 mlp", estimates(results, runs), runs)], note


def near_the_bound(results: Results) -> Measured:
    """AF6."""
    groups = evidence.published_runs(results).groupby(["dataset", "model"], sort=False)
    return [row(" ".join(key), estimates(results, runs, "sjsd"), runs) for key, runs in groups], ""


def rarely_capped(results: Results) -> Measured:
    """AF7."""
    if not len(runs := evidence.published_runs(results)):
        return [], ""
    capped = (runs["stvd"] >= runs["sjsd"]).astype(float)
    shares = capped.groupby(runs["dataset"]).mean().to_numpy()
    note = f"{int(capped.sum())} of {len(runs)} runs"
    return [row("all data sets lstm mlp", evidence.over_sets(shares, "AF7"), runs)], note


def against_mock(results: Results, model: str, sets: tuple[str, ...], lowest: bool) -> Measured:
    """AF8, AF9: AtteFa of real sets minus the lowest, or the mean, of Mock sets."""
    runs = evidence.published_runs(results)
    by_set = [t for _, t in runs[runs["model"] == model].groupby("panel", sort=False)]
    mock = [t for t in by_set if t["panel"].iloc[0] in sets]
    if not mock:
        return [], "no Mock set to compare with"
    values = np.array([estimates(results, t) for t in mock])
    of_mock = values.min(0) if lowest else values.mean(0)
    return [
        row(f"{t['dataset'].iloc[0]} {model}", estimates(results, t) - of_mock, t)
        for t in by_set
        if t["panel"].iloc[0] in REAL
    ], ""


def not_length_alone(results: Results) -> Measured:
    """AF10: a mean over documents of products of standardised ranks within each run."""
    keys = ["dataset", "model", "seed", "instance"]
    table = results.instances[results.instances["procedure"] == evidence.PUBLISHED]
    table = table[table["dataset"].isin(results.among(REAL).values())]
    table = table.merge(results.bases[[*keys, "length"]], on=keys)
    table["ratio"] = table["stvd"] / table["jsd"]
    run = [table[key] for key in ("dataset", "model", "seed", "adversary")]
    ranks = table[["length", "ratio"]].groupby(run).rank()
    by_run = ranks.groupby(run)
    standard = (ranks - by_run.transform("mean")) / by_run.transform("std", ddof=0)
    table["product"] = standard["length"] * standard["ratio"]
    means = table[table["model"].isin(MODELS)].groupby(keys, sort=False)["product"].mean()
    models = means.reset_index().groupby(["dataset", "model"], sort=False)
    return [row_of(" ".join(key), some, "product") for key, some in models], ""


def _documents(results: Results, dataset: str, procedure: str) -> pd.DataFrame:
    """Documents of the LSTM's adversaries by one procedure, TVD in the paper's units."""
    rows = of(results.instances, dataset, "lstm")
    rows = rows[rows["procedure"] == procedure]
    return rows.assign(tvd=rows["stvd"] / 2)


def as_on_the_curve(results: Results) -> Measured:
    """AF11: paired by base and document, at the strength whose divergence is nearest."""
    rows: Rows = []
    distances = []
    for dataset in results.among(("SST", "IMDB")).values():
        ours, swept = (_documents(results, dataset, name) for name in (evidence.PUBLISHED, "sweep"))
        if not len(ours) or not len(swept):
            continue
        apart = (swept.groupby("strength")["jsd"].mean() - ours["jsd"].mean()).abs()
        distances.append(f"{dataset} {apart.min():.2f}")
        if apart.min() <= NEAR:
            pair = (ours, swept[swept["strength"] == apart.idxmin()])
            of_ours, of_curve = (t.groupby(["seed", "instance"])["tvd"].mean() for t in pair)
            gap = (of_ours - of_curve).dropna().rename("gap").reset_index()
            rows.append(row_of(f"{dataset} lstm", gap, "gap"))
    return rows, f"distance in JSD to the curve: {', '.join(distances)}" if distances else ""


def follows_the_base(results: Results) -> Measured:
    """AF12: one point per base, centred within its data set; data sets are resampled."""
    tables = [runs_of(results, dataset, "mlp") for dataset in results.panels.values()]
    tables = [runs for runs in tables if runs["seed"].nunique() > 1]
    if len(tables) < 4:
        return [], "fewer than four data sets with several bases"
    points = [runs.groupby("seed")[["attefa", "base_f1"]].mean() for runs in tables]
    centred = [(some - some.mean()).to_numpy(np.float64) for some in points]
    values = clustered(spearman, centred, generator(0, "AF12"))
    return [row("all data sets mlp", values, *tables)], ""


def collapse_is_a_constant(results: Results) -> Measured:
    """AF13."""
    keys = ["dataset", "model", "seed"]
    runs = results.runs[results.runs["collapsed"] & (results.runs["selected_on"] == "dev")]
    bases = results.bases.assign(sureness=(2 * results.bases["probability"] - 1).abs())
    runs = runs.merge(bases.groupby(keys)["sureness"].mean().reset_index(), on=keys)
    sure = runs[runs["sureness"] >= SURE]
    rows: Rows = []
    for (dataset, model), some in sure.groupby(["dataset", "model"], sort=False):
        off = (some["stvd"] - 0.5).abs().to_numpy(np.float64)
        rows.append(row(f"{dataset} {model}", evidence.over_bases(off, some["seed"], "AF13"), some))
    return rows, f"{len(sure)} of {len(runs)} collapsed runs are against a sure base"


def restarts_remove_it(results: Results) -> Measured:
    """AF14: paired by base and document."""
    rows: Rows = []
    every = evidence.optimised(results)
    for dataset in results.among(MOCK).values():
        tables = [every[(every["dataset"] == dataset) & (every["way"] == w)] for w in WAYS]
        if len(tables[0]):
            before, after = (estimates(results, runs) for runs in tables)
            if before[0] > 0.1:
                rows.append(row(f"{dataset} mlp", after / before, tables[0]))
    return rows, "" if rows else "no Mock set with AtteFa above .1"


def selection_matters_little(results: Results) -> Measured:
    """AF15: base and adversary selected on dev minus both on test, same seeds and draws."""
    rows: Rows = []
    for dataset in results.panels.values():
        on_test = runs_of(results, dataset, evidence.ON_TEST, selected_on="test")
        pairs = on_test.merge(
            runs_of(results, dataset, "mlp"), on=["seed", "adversary"], suffixes=("", "_dev")
        )
        if len(pairs):
            gaps = (pairs["attefa_dev"] - pairs["attefa"]).to_numpy(np.float64)
            again = evidence.over_bases(gaps, pairs["seed"], "AF15", dataset)
            rows.append(row(f"{dataset} {evidence.ON_TEST}", again, pairs))
    return rows, "" if rows else "no base was selected on test"


def bases_vary_more(results: Results) -> Measured:
    """AF16."""
    table = evidence.variances(results)
    table = table[table["model"] == "mlp"]
    if len(table) < 2:
        return [], "fewer than two data sets with several bases and adversaries"
    gap = (table["between_bases"] - table["between_adversaries"]).to_numpy(np.float64)
    runs = [runs_of(results, dataset, "mlp") for dataset in table["dataset"]]
    return [row("all data sets mlp", evidence.over_sets(gap, "AF16"), *runs)], ""


def far_with_the_same_answers(results: Results) -> Measured:
    """WP3."""
    dataset = results.among(("SST",)).get("SST", "")
    swept = _documents(results, dataset, "sweep")
    means = swept.groupby("strength")[["jsd", "tvd"]].mean()
    far = means[means["jsd"] > FAR]
    if not len(far):
        return [], f"no strength moves attention beyond {FAR} (largest {means['jsd'].max():.2f})"
    best = far["tvd"].idxmin()
    rows: Rows = [row_of(f"{dataset} lstm", swept[swept["strength"] == best], "tvd")]
    return rows, f"Strength {best:g}, JSD {far.loc[best, 'jsd']:.2f}"
