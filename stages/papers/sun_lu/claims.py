"""Measurements for the claims of Sun & Lu 2020 on trained models; claims.yaml states the claims."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import product

import numpy as np
from scipy.stats import chi2

from stages.papers.shared.results import of
from stages.papers.shared.rows import Measured, Row, Rows, row_of, row_of_runs
from stages.papers.sun_lu import (
    evidence,
    training_claims,  # noqa: F401  claims.yaml names its functions
)
from stages.papers.sun_lu.evidence import (
    NEUTRAL,
    POLAR,
    Model,
    Results,
    named,
    polar_groups,
    values_of,
)
from stages.papers.sun_lu.panels import BINARY, MODERATE
from stages.papers.sun_lu.tables import statistics
from stages.statistics import ranks
from stages.statistics.ranks import Floats, cliff, mean_ratio

LARGE = (50.0, 100.0)
Pair = tuple[str, float, str, float]  # model and lambda, twice


def gains(results: Results, pairs: Iterable[Pair]) -> Rows:
    """SL1, SL5, SL13: accuracy of one model minus that of another on every data set."""
    return [
        evidence.gained(results, (name, *pair[:2]), (name, *pair[2:]))
        for name, pair in product(results.panels.values(), pairs)
    ]


def best_of(results: Results, one: Sequence[float], other: Sequence[float]) -> Rows:
    """SL2, SL4: DP at the most accurate lambda among some minus that among others."""
    rows: Rows = []
    for name in results.panels.values():
        means = of(results.instances, name, "dp").groupby("value")["correct"].mean()
        best = [means[means.index.isin(scales)] for scales in (one, other)]
        if all(map(len, best)):
            models = [(name, "dp", float(some.idxmax())) for some in best]
            rows.append(evidence.gained(results, models[0], models[1]))
    return rows


def uniform_at_large_scale(results: Results) -> Rows:
    """SL3."""
    return [
        row_of(named(*model), of(results.instances, *model), "entropy")
        for model in ((name, "dp", 10000.0) for name in results.panels.values())
    ]


def polarity_has_sign(results: Results) -> Rows:
    """SL6."""
    rows: Rows = []
    for model, (group, sign) in product(
        results.moderate(*BINARY), zip(POLAR, (1, -1), strict=True)
    ):
        chosen = of(results.tokens, *model)
        chosen = chosen[chosen["group"] == group]
        right = (sign * chosen["polarity_score"] > 0).astype(float)
        rows.append(row_of(f"{named(*model)} {group}", chosen.assign(right=right), "right"))
    return rows


def compared(
    results: Results,
    models: Iterable[Model],
    columns: Sequence[str] = ("attention_score",),
    groups: Sequence[str] = (),
    over: Sequence[str] = (NEUTRAL,),
    statistic: str = "auc",
) -> Rows:
    """SL7, SL8 and others: a statistic of tokens of some groups (by default each class) and others.

    `models` are those of the paper's data sets.
    """
    rows: Rows = []
    for panel, name, value in models:
        run = (results.dataset(panel), name, value)
        tokens = of(results.tokens, *run)
        for column, *pair in product(columns, groups or polar_groups(tokens), over):
            seeds = [
                [values_of(t, group, column) for group in pair] for _, t in tokens.groupby("seed")
            ]
            label = f"{named(*run)} {column} {' over '.join(pair)}"
            rows.append(row_of_runs(label, seeds, getattr(ranks, statistic), paired=False))
    return rows


def gap_at_large_scale(results: Results) -> Measured:
    """SL9: V.W raises the positive class where it is positive, else the negative one."""
    model = (results.dataset("SST"), "dp", 100.0)
    products = of(results.runs, *model).set_index("seed")["product"]
    pairs: list[list[list[Floats]]] = [[], []]
    lowered = []
    for seed, table in of(results.tokens, *model).groupby("seed"):
        order = POLAR if products[seed] > 0 else POLAR[::-1]
        high, low, neutral = (
            values_of(table, group, "attention_score") for group in (*order, NEUTRAL)
        )
        pairs[0].append([high, low])
        pairs[1].append([neutral, low])
        lowered.append(order[1])
    names = ("raised over lowered class", "neutral over lowered class")
    note = f"V.W lowers the positive class in {lowered.count('positive')} of {len(lowered)} seeds"
    return [
        row_of_runs(f"{named(*model)} {name}", some, cliff, paired=False)
        for name, some in zip(names, pairs, strict=True)
    ], note


def score_sizes(results: Results, column: str, groups: Sequence[str]) -> Rows:
    """SL10, SL11: the same tokens at lambda 100 and at 10."""
    name = results.dataset("SST")
    large, small = (of(results.tokens, name, "dp", value) for value in (100.0, MODERATE))
    both = large[large["group"].isin(groups)].merge(small, on=["seed", "token"])
    seeds = [
        [some[f"{column}_{side}"].to_numpy(np.float64) for side in "xy"]
        for _, some in both.groupby("seed")
    ]
    return [row_of_runs(f"{name} dp@100 over dp@10", seeds, mean_ratio)]


def penalty_lifts(results: Results) -> Measured:
    """SL12: decided by AUCs with the penalty; the note has those without."""
    with_it, without = (
        compared(results, [(panel, model, value) for panel, value in product(BINARY, LARGE)])
        for model in ("dp-penalty", "dp")
    )
    return with_it, f"Without the penalty: {evidence.listed(without)}"


def additive_alike(results: Results) -> Rows:
    """SL15: SL6, SL7 and SL8 as AUCs of AD."""
    models = [("SST", "ad", MODERATE)]
    sizes = results.tokens.assign(polarity_size=results.tokens["polarity_score"].abs())
    alike = replace(results, tokens=sizes)
    return [
        *compared(results, models, ["polarity_score"], POLAR[:1], POLAR[1:]),
        *compared(alike, models, ["polarity_size", "attention_score"]),
    ]


def weights_follow_scores(results: Results) -> Measured:
    """SL17: the class of higher mean score is the first group of each seed."""
    (model,) = results.moderate("SST")
    seeds, first = [], []
    for _, table in of(results.tokens, *model).groupby("seed"):
        means = table.groupby("group")["attention_score"].mean()
        order = sorted(POLAR, key=means.get, reverse=True)
        seeds.append([values_of(table, group, "test_weight") for group in order])
        first.append(order[0])
    note = f"Negative tokens score higher in {first.count('negative')} of {len(first)} seeds"
    return [
        row_of_runs(f"{named(*model)} higher over lower class", seeds, cliff, paired=False)
    ], note


def outliers_from_short(results: Results) -> Measured:
    """SL18: the ten heaviest neutral tokens of each seed against all neutral tokens."""
    (model,) = results.moderate("SST")
    rows = of(results.tokens, *model)
    rows = rows[(rows["group"] == NEUTRAL) & (rows["test_count"] > 0)]
    mean = rows.groupby("seed")["test_length"].transform("mean")
    rows = rows.assign(longer=rows["test_length"] - mean)
    top = rows.sort_values("test_weight", ascending=False).groupby("seed").head(10)
    negative, overall = (100 * some["test_below"].mean() for some in (top, rows))
    note = f"Every score is negative in {negative:.0f} % of their documents, {overall:.0f} % of all"
    return [row_of(f"{named(*model)} neutral", top, "longer")], note if len(top) else ""


def seeds_agree(results: Results) -> Rows:
    """SL33: the chi-square interval of a deviation over three seeds or more."""
    rows: Rows = []
    for model in results.moderate(*BINARY):
        tables = [statistics(table) for _, table in of(results.tokens, *model).groupby("seed")]
        for group in POLAR:
            aucs = [table[f"auc_{group}"] for table in tables if f"auc_{group}" in table]
            if (n := len(aucs)) >= 3:
                sd = float(np.std(aucs, ddof=1))
                high, low = sd * np.sqrt((n - 1) / chi2.ppf([0.025, 0.975], n - 1))
                rows.append(Row(f"{named(*model)} {group}", sd, low, high, n, n, n))
    return rows
