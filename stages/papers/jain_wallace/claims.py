"""Verdicts on the claims of Jain & Wallace 2019, and on two of Wiegreffe & Pinter 2019.

The statements are in statements.csv; the functions here measure each. A verdict that differs from
the paper may be due to stand-in data or a smaller scale, both named in the report.
"""

from pathlib import Path

import numpy as np
from scipy.stats import spearmanr

from stages.papers.jain_wallace import evidence
from stages.papers.jain_wallace.evidence import FEWEST, Results, paired
from stages.papers.shared.claims import Claim, Record, every_row, listed, not_run, record, within
from stages.settings.seeds import generator
from stages.statistics.bootstrap import between, replicates

STATEMENTS = Path(__file__).with_name("statements.csv")
GRADIENT, LOO, BOTH = "attention-gradient", "attention-leave_one_out", "leave_one_out-gradient"


def rows_of(results: Results, encoder: str, pair: str) -> dict[str, np.ndarray]:
    """Tau of the documents of every data set and predicted class, `set class c` -> values."""
    table = results.taus[results.taus["pair"] == pair]
    rows = {}
    for name in evidence.datasets(table):
        chosen = evidence.model_rows(table, name, encoder)
        if chosen["predicted"].nunique() > 3:
            if chosen["tau"].notna().sum() >= FEWEST:
                rows[name] = chosen["tau"].to_numpy()
            continue
        for label, group in chosen.groupby("predicted"):
            if group["tau"].notna().sum() >= FEWEST:
                rows[f"{name} class {label}"] = group["tau"].to_numpy()
    return rows


def low_correlation(claim: Claim, results: Results, pair: str) -> Record:
    """JW1, JW2."""
    rows = rows_of(results, "bilstm", pair)
    intervals = {name: evidence.mean_of(values, name, pair) for name, values in rows.items()}
    return every_row(claim, intervals, lambda value: value, high=0.5)


def average_agrees_more(claim: Claim, results: Results) -> Record:
    """JW3; a set that only one of the two encoders splits by class is compared as a whole."""
    lstm, average = (rows_of(results, encoder, GRADIENT) for encoder in ("bilstm", "average"))
    intervals = {
        name: evidence.difference(average[name], lstm[name], name, "average")
        for name in lstm
        if name in average
    }
    for name in evidence.datasets(results.taus):
        if not any(row.split()[0] == name for row in intervals):
            whole = [
                evidence.tau(results, name, kind, GRADIENT).to_numpy()
                for kind in ("average", "bilstm")
            ]
            interval = evidence.difference(*whole, name, "average")
            if interval.n >= FEWEST:
                intervals[name] = interval
    return every_row(claim, intervals, lambda value: -value, low=0.0)


def length_and_significance(claim: Claim, results: Results) -> Record:
    """JW4: resampling the documents of every set."""
    lengths, significant = [], []
    for name in evidence.datasets(results.taus):
        rows = evidence.model_rows(results.taus, name, "bilstm")
        p = rows.loc[rows["pair"] == GRADIENT, "p"]
        significant.append((p <= 0.05).to_numpy(float))
        lengths.append(evidence.model_rows(results.instances, name, "bilstm")["length"].mean())
    if len(lengths) < 4:
        return not_run(claim, "needs four data sets")
    draws = np.array(
        [replicates(s, generator(0, "JW4", str(i))) for i, s in enumerate(significant)]
    )
    resampled = np.array([spearmanr(lengths, shares).statistic for shares in draws.T])
    shares = [s.mean() for s in significant]
    interval = between(float(spearmanr(lengths, shares).statistic), resampled, len(lengths))
    listing = ", ".join(
        f"{n:.0f} tokens {s:.2f}" for n, s in sorted(zip(lengths, shares, strict=True))
    )
    reason = f"significant share by mean length: {listing}"
    return record(claim, interval, within(interval, low=0.0), reason)


def gap(results: Results, pair: str) -> dict[str, np.ndarray]:
    """tau(LOO, gradient) - tau(pair) of every document, by data set, BiLSTM."""
    return {
        name: paired(
            evidence.tau(results, name, "bilstm", BOTH), evidence.tau(results, name, "bilstm", pair)
        )
        for name in evidence.datasets(results.taus)
    }


def agreement_gap(claim: Claim, results: Results, pair: str, other: str, **bounds: float) -> Record:
    """JW5, JW6, each also with the captions of the two figures exchanged."""
    gaps = gap(results, pair)
    interval = evidence.over_sets(gaps, claim.id)
    swapped = evidence.over_sets(gap(results, other), claim.id, "swapped")
    sets = {name: evidence.mean_of(values, name, claim.id) for name, values in gaps.items()}
    reason = (
        f"per data set: {listed({n: i for n, i in sets.items() if i.n})}. If the captions of "
        f"Figures 3 and 4 are exchanged: {swapped.value:.3f} ({swapped.low:.3f} to "
        f"{swapped.high:.3f}), {within(swapped, **bounds)}"
    )
    return record(claim, interval, within(interval, **bounds), reason)


def encoder_gap(results: Results) -> dict[str, np.ndarray]:
    """tau(attention, LOO) of Average minus that of BiLSTM, document by document."""
    return {
        name: paired(*(evidence.tau(results, name, kind, LOO) for kind in ("average", "bilstm")))
        for name in evidence.datasets(results.taus)
    }


def average_gap(claim: Claim, results: Results) -> Record:
    """JW7: the same documents under two encoders."""
    sets = encoder_gap(results)
    interval = evidence.over_sets(sets, claim.id)
    means = {name: evidence.mean_of(values, name, claim.id) for name, values in sets.items()}
    reason = f"per data set: {listed({n: i for n, i in means.items() if i.n})}"
    return record(claim, interval, within(interval, low=0.275, high=0.475), reason)


def dot_like_additive(claim: Claim, results: Results) -> Record:
    """JW8."""
    intervals = {}
    for name in evidence.datasets(results.taus):
        for encoder in ("bilstm", "cnn", "average"):
            dot, additive = (
                evidence.tau(results, name, encoder, GRADIENT, kind) for kind in ("dot", "additive")
            )
            interval = evidence.mean_of(paired(dot, additive), name, encoder, "JW8")
            if interval.n >= FEWEST:
                intervals[f"{name} {encoder}"] = interval
    return every_row(claim, intervals, abs, low=-0.1, high=0.1)
