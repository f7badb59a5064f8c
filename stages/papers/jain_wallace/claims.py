"""Verdicts on the claims of Jain & Wallace 2019, and on two of Wiegreffe & Pinter 2019.

The statements are in statements.csv; here is what is measured for each. Stand-in data and laptop
scale are named in the report; they are the first suspects wherever a verdict disagrees with print.
"""

from pathlib import Path

import numpy as np
from scipy.stats import spearmanr

from stages.papers.claims import Claim, Record, every_row, listed, not_run, record, within
from stages.papers.jain_wallace import evidence as found_in
from stages.papers.jain_wallace.evidence import FEWEST, Results, paired
from stages.settings.seeds import generator
from stages.statistics.bootstrap import between, replicates

STATEMENTS = Path(__file__).with_name("statements.csv")
GRADIENT, LOO, BOTH = "attention-gradient", "attention-leave_one_out", "leave_one_out-gradient"


def rows_of(results: Results, encoder: str, pair: str) -> dict[str, np.ndarray]:
    """Tau of the documents of every data set and predicted class, `set class c` -> values."""
    table = results.taus[results.taus["pair"] == pair]
    rows = {}
    for name in found_in.datasets(table):
        chosen = found_in.cell(table, name, encoder)
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
    intervals = {name: found_in.mean_of(values, name, pair) for name, values in rows.items()}
    return every_row(claim, intervals, lambda value: value, high=0.5)


def average_agrees_more(claim: Claim, results: Results) -> Record:
    """JW3; a set that only one of the two encoders splits by class is compared as a whole."""
    lstm, average = (rows_of(results, encoder, GRADIENT) for encoder in ("bilstm", "average"))
    intervals = {
        name: found_in.difference(average[name], lstm[name], name, "average")
        for name in lstm
        if name in average
    }
    for name in found_in.datasets(results.taus):
        if not any(row.split()[0] == name for row in intervals):
            whole = [
                found_in.tau(results, name, kind, GRADIENT).to_numpy()
                for kind in ("average", "bilstm")
            ]
            found = found_in.difference(*whole, name, "average")
            if found.n >= FEWEST:
                intervals[name] = found
    return every_row(claim, intervals, lambda value: -value, low=0.0)


def length_and_significance(claim: Claim, results: Results) -> Record:
    """JW4: resampling the documents of every set."""
    lengths, significant = [], []
    for name in found_in.datasets(results.taus):
        rows = found_in.cell(results.taus, name, "bilstm")
        p = rows.loc[rows["pair"] == GRADIENT, "p"]
        significant.append((p <= 0.05).to_numpy(float))
        lengths.append(found_in.cell(results.instances, name, "bilstm")["length"].mean())
    if len(lengths) < 4:
        return not_run(claim, "needs four data sets")
    draws = np.array(
        [replicates(s, generator(0, "JW4", str(i))) for i, s in enumerate(significant)]
    )
    again = np.array([spearmanr(lengths, shares).statistic for shares in draws.T])
    shares = [s.mean() for s in significant]
    found = between(float(spearmanr(lengths, shares).statistic), again, len(lengths))
    told = ", ".join(
        f"{n:.0f} tokens {s:.2f}" for n, s in sorted(zip(lengths, shares, strict=True))
    )
    return record(claim, found, within(found, low=0.0), f"significant share by mean length: {told}")


def gap(results: Results, pair: str) -> dict[str, np.ndarray]:
    """tau(LOO, gradient) - tau(pair) of every document, by data set, BiLSTM."""
    return {
        name: paired(
            found_in.tau(results, name, "bilstm", BOTH), found_in.tau(results, name, "bilstm", pair)
        )
        for name in found_in.datasets(results.taus)
    }


def agreement_gap(claim: Claim, results: Results, pair: str, other: str, **bounds: float) -> Record:
    """JW5, JW6, each also under the reading with the two captions exchanged."""
    gaps = gap(results, pair)
    found = found_in.over_sets(gaps, claim.id)
    swapped = found_in.over_sets(gap(results, other), claim.id, "swapped")
    sets = {name: found_in.mean_of(values, name, claim.id) for name, values in gaps.items()}
    reason = (
        f"per data set: {listed({n: i for n, i in sets.items() if i.n})}. If the captions of "
        f"Figures 3 and 4 are exchanged: {swapped.value:.3f} ({swapped.low:.3f} to "
        f"{swapped.high:.3f}), {within(swapped, **bounds)}"
    )
    return record(claim, found, within(found, **bounds), reason)


def encoder_gap(results: Results) -> dict[str, np.ndarray]:
    """tau(attention, LOO) of Average minus that of BiLSTM, document by document."""
    return {
        name: paired(*(found_in.tau(results, name, kind, LOO) for kind in ("average", "bilstm")))
        for name in found_in.datasets(results.taus)
    }


def average_gap(claim: Claim, results: Results) -> Record:
    """JW7: the same documents under two encoders."""
    sets = encoder_gap(results)
    found = found_in.over_sets(sets, claim.id)
    means = {name: found_in.mean_of(values, name, claim.id) for name, values in sets.items()}
    reason = f"per data set: {listed({n: i for n, i in means.items() if i.n})}"
    return record(claim, found, within(found, low=0.275, high=0.475), reason)


def dot_like_additive(claim: Claim, results: Results) -> Record:
    """JW8."""
    intervals = {}
    for name in found_in.datasets(results.taus):
        for encoder in ("bilstm", "cnn", "average"):
            dot, additive = (
                found_in.tau(results, name, encoder, GRADIENT, kind) for kind in ("dot", "additive")
            )
            found = found_in.mean_of(paired(dot, additive), name, encoder, "JW8")
            if found.n >= FEWEST:
                intervals[f"{name} {encoder}"] = found
    return every_row(claim, intervals, abs, low=-0.1, high=0.1)
