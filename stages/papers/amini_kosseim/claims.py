"""Verdicts on the claims of Amini & Kosseim 2022. The statements are in statements.csv."""

import numpy as np
import pandas as pd
from scipy.stats import mannwhitneyu

from stages.papers.amini_kosseim.evidence import (
    PUBLISHED,
    Results,
    best_runs,
    informative_mass,
    mean_of,
    order_of,
    redrawn,
    rows_of,
    runs_of,
    spearman,
)
from stages.papers.amini_kosseim.panels import FEW, MOCK, REAL
from stages.papers.shared.claims import Claim, Record, every_row, listed, not_run, record, within
from stages.statistics.bootstrap import NOTHING, Interval, between
from stages.statistics.ranks import WIDTH


def base_scores(claim: Claim, results: Results, scale: str) -> Record:
    """AF1: decided at paper scale only; otherwise the reason lists the differences."""
    table = results.scores
    table = table[(table["model"] == "lstm") & table["dataset"].isin(results.among(REAL).values())]
    rows = {}
    for entry in table[table["published"].notna()].to_dict("records"):
        error = WIDTH * float(np.sqrt(max(entry["f1"] * (1 - entry["f1"]), 0.0) / entry["n"]))
        gap = float(entry["difference"])
        rows[entry["dataset"]] = Interval(gap, gap - error, gap + error, int(entry["n"]))
    if scale != "paper":
        reason = f"scale is {scale}: the published scores are of the papers' own data, all of it"
        return not_run(claim, f"{reason}. Ours minus published: {listed(rows)}")
    return every_row(claim, rows, abs, low=-0.02, high=0.02)


def lstm_less_faithful(claim: Claim, results: Results) -> Record:
    """AF2."""
    rows, tests = {}, []
    for panel, dataset in results.panels.items():
        mlp, lstm = (runs_of(results, dataset, model) for model in ("mlp", "lstm"))
        if min(len(mlp), len(lstm)) < 2:
            continue
        again = redrawn(mlp, "attefa", dataset, "mlp") - redrawn(lstm, "attefa", dataset, "lstm")
        gap = float(mlp["attefa"].mean() - lstm["attefa"].mean())
        rows[panel] = between(gap, again, len(mlp) + len(lstm))
        chance = mannwhitneyu(mlp["attefa"], lstm["attefa"], alternative="greater").pvalue
        tests.append(f"{panel} {chance:.3f}")
    entry = every_row(claim, rows, lambda value: -value, low=0.0)
    note = "Mann-Whitney over runs, which share their bases, p: "
    return entry | {"reason": f"{entry['reason']}. {note}{', '.join(tests)}"} if rows else entry


def _trend(results: Results, model: str, column: str) -> Interval:
    """Spearman correlation of the Mock sets' order with the mean of a column, runs resampled."""
    sets = {
        panel: runs_of(results, dataset, model) for panel, dataset in results.among(MOCK).items()
    }
    sets = {panel: runs for panel, runs in sets.items() if len(runs) >= 2}
    if len(sets) < 4:
        return NOTHING
    order = order_of(sets)
    value = float(spearman(order, [runs[column].mean() for runs in sets.values()]))
    draws = np.array([redrawn(runs, column, panel, model) for panel, runs in sets.items()])
    return between(value, spearman(order, draws), sum(map(len, sets.values())))


def falls_with_frequency(claim: Claim, results: Results, model: str) -> Record:
    """AF3, AF4; the reason also has the trends of TVD and JSD."""
    interval = _trend(results, model, "attefa")
    if not interval.n:
        return not_run(claim, "fewer than four Mock sets were run")
    parts = {name: _trend(results, model, name) for name in ("tvd", "jsd")}
    means = {
        panel: mean_of(runs_of(results, dataset, model), "attefa", dataset, model)
        for panel, dataset in results.among(MOCK).items()
    }
    reason = f"AtteFa: {listed(means)}. Correlation of its parts: {listed(parts)}"
    return record(claim, interval, within(interval, high=0.0), reason)


def faithful_on_one_word(claim: Claim, results: Results) -> Record:
    """AF5; the reason has TVD, JSD, collapsed runs and the base's mass on the word."""
    runs = runs_of(results, "mock-1", "mlp")
    interval = mean_of(runs, "attefa", "mock-1", "mlp", claim.id)
    if not interval.n:
        return not_run(claim, "Mock-1 was not run")
    mass = informative_mass(results, "mock-1", "mlp").mean()
    best = best_runs(results, "mock-1", "mlp")["attefa"].mean()
    reason = (
        f"TVD {runs['tvd'].mean():.3f}, JSD {runs['jsd'].mean():.3f}, "
        f"{int(runs['collapsed'].sum())} of {len(runs)} adversaries collapsed; the base puts "
        f"{mass:.2f} of its mass on the informative word; with the lowest loss over restarts "
        f"AtteFa is {best:.3f}"
    )
    return record(claim, interval, within(interval, low=0.7), reason)


def near_the_bound(claim: Claim, results: Results) -> Record:
    """AF6."""
    return every_row(claim, rows_of(results, "sjsd", claim.id), lambda v: -v, low=0.95)


def rarely_capped(claim: Claim, results: Results) -> Record:
    """AF7."""
    runs = results.runs[
        (results.runs["procedure"] == PUBLISHED) & (results.runs["selected_on"] == "dev")
    ]
    capped = (runs["stvd"] >= runs["sjsd"]).astype(float)
    interval = mean_of(runs.assign(capped=capped), "capped", claim.id)
    reason = f"{int(capped.sum())} of {len(runs)} runs"
    return record(claim, interval, within(interval, high=0.05), reason)


def _means(
    results: Results, panels: tuple[str, ...], model: str
) -> tuple[dict[str, Interval], np.ndarray]:
    """Mean AtteFa by data set, and its replicates (sets, repeats)."""
    rows, draws = {}, []
    for panel, dataset in results.among(panels).items():
        runs = runs_of(results, dataset, model)
        if len(runs) >= 2:
            rows[panel] = mean_of(runs, "attefa", dataset, model)
            draws.append(redrawn(runs, "attefa", dataset, model))
    return rows, np.array(draws)


def real_below_mock(claim: Claim, results: Results) -> Record:
    """AF8."""
    (real, of_real), (mock, of_mock) = (_means(results, tuple(p), "mlp") for p in (REAL, FEW))
    if not real or not mock:
        return not_run(claim, "needs real data and Mock-1 to Mock-10")
    gap = max(v.value for v in real.values()) - min(v.value for v in mock.values())
    n = sum(v.n for v in (*real.values(), *mock.values()))
    interval = between(gap, of_real.max(0) - of_mock.min(0), n)
    return record(claim, interval, within(interval, high=0.0), f"{listed(real)}; {listed(mock)}")


def real_like_mock(claim: Claim, results: Results) -> Record:
    """AF9."""
    (real, of_real), (mock, of_mock) = (_means(results, tuple(p), "lstm") for p in (REAL, MOCK))
    if not real or not mock:
        return not_run(claim, "needs real data and Mock data")
    gap = np.mean([v.value for v in real.values()]) - np.mean([v.value for v in mock.values()])
    n = sum(v.n for v in (*real.values(), *mock.values()))
    interval = between(float(gap), of_real.mean(0) - of_mock.mean(0), n)
    return record(claim, interval, within(interval, low=-0.02), f"{listed(real)}; {listed(mock)}")


def not_length_alone(claim: Claim, results: Results) -> Record:
    """AF10."""
    real, draws = _means(results, tuple(REAL), "mlp")
    if len(real) < 4:
        return not_run(claim, "fewer than four real data sets were run")
    lengths = [_length(results, results.panels[panel]) for panel in real]
    value = float(spearman(lengths, [v.value for v in real.values()]))
    interval = between(value, spearman(lengths, draws), sum(v.n for v in real.values()))
    tokens = ", ".join(f"{panel} {n:.0f} tokens" for panel, n in zip(real, lengths, strict=True))
    return record(
        claim, interval, within(interval, low=-0.9, high=0.9), f"{listed(real)}; {tokens}"
    )


def _length(results: Results, dataset: str) -> float:
    rows = results.bases[results.bases["dataset"] == dataset]
    return float(pd.Series(rows["length"]).mean())
