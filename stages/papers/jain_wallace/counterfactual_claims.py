"""Verdicts on shuffled and adversarial attention, on scores, and on Wiegreffe & Pinter 2019."""

from typing import Any

import numpy as np

from stages.papers.jain_wallace import evidence
from stages.papers.jain_wallace.claims import (
    GRADIENT,
    LOO,
    STATEMENTS,
    agreement_gap,
    average_agrees_more,
    average_gap,
    dot_like_additive,
    length_and_significance,
    low_correlation,
)
from stages.papers.jain_wallace.evidence import FEWEST, Floats, Results
from stages.papers.jain_wallace.guidance_claims import base_guides_better
from stages.papers.jain_wallace.paper_scale_claims import precise_tokens_matter, scores_as_published
from stages.papers.shared.claims import (
    FAILS,
    HOLDS,
    NOT_RUN,
    Claim,
    Record,
    every_row,
    listed,
    not_run,
    record,
    stated,
    within,
)
from stages.statistics.bootstrap import NOTHING, between


def decided(results: Results, scale: str) -> list[Record]:
    """All records of claims.json, in the order of statements.csv."""
    deciders: dict[str, Any] = {
        "JW1": lambda c: low_correlation(c, results, GRADIENT),
        "JW2": lambda c: low_correlation(c, results, LOO),
        "JW3": lambda c: average_agrees_more(c, results),
        "JW4": lambda c: length_and_significance(c, results),
        "JW5": lambda c: agreement_gap(c, results, LOO, GRADIENT, low=0.2),
        "JW6": lambda c: agreement_gap(c, results, GRADIENT, LOO, low=0.15, high=0.35),
        "JW7": lambda c: average_gap(c, results),
        "JW8": lambda c: dot_like_additive(c, results),
        "JW9": lambda c: unmoved_when_shuffled(c, results),
        "JW10": lambda c: precise_tokens_matter(c, results),
        "JW11": lambda c: distant_adversaries(c, results),
        "JW12": lambda c: peaked_is_harder(c, results),
        "JW13": lambda c: peaked_but_distant(c, results),
        "JW14": lambda c: average_moves_more(c, results),
        "JW15": lambda c: example_exists(c, results),
        "JW16": lambda c: scores_as_published(c, results, scale),
        "JW17": lambda c: scores_alike(c, results),
        "JW18": lambda c: worse_at_questions(c, results),
        "WP1": lambda c: learned_or_uniform(c, results),
        "WP2": lambda c: seeds_or_adversaries(c, results),
        "WP4": lambda c: base_guides_better(c, results),
    }
    return [deciders[name](claim) for name, claim in stated(STATEMENTS).items()]


def peaked(table: Any, least: float) -> Any:
    """Documents whose largest weight is at least `least`."""
    return table[table["max_attention"] >= least]


def unmoved_when_shuffled(claim: Claim, results: Results) -> Record:
    """JW9."""
    shares: dict[str, Floats] = {}
    stricter: dict[str, Floats] = {}
    for name in evidence.datasets(results.shuffled):
        rows = evidence.model_rows(results.shuffled, name, "bilstm")
        for least, kept in ((0.5, shares), (0.75, stricter)):
            some = peaked(rows, least)
            if len(some) >= FEWEST:
                kept[name] = (some["median"] < 0.1).to_numpy(float)
    interval = evidence.over_sets(shares, claim.id)
    sets = {name: evidence.mean_of(values, name, claim.id) for name, values in shares.items()}
    strict = evidence.over_sets(stricter, claim.id, "0.75")
    reason = (
        f"per data set: {listed(sets)}. With a largest weight of at least .75: {strict.value:.2f} "
        f"({strict.low:.2f} to {strict.high:.2f}, n {strict.n})"
    )
    return record(claim, interval, within(interval, low=0.25), reason)


def _within_epsilon(results: Results, epsilon: float) -> dict[str, Any]:
    table = results.adversaries[results.adversaries["epsilon"] == epsilon]
    return {name: evidence.model_rows(table, name, "bilstm") for name in evidence.datasets(table)}


def distant_adversaries(claim: Claim, results: Results) -> Record:
    """JW11: decided with the epsilon of the figures; the reason adds that of the text."""
    lines = []
    interval = NOTHING
    for epsilon in (0.01, 0.05):
        rows = _within_epsilon(results, epsilon)
        if not rows:
            return not_run(claim, "the adversarial stage has no results")
        shares = {name: (group["last"] > 0.5).to_numpy(float) for name, group in rows.items()}
        interval = evidence.over_sets(shares, claim.id, str(epsilon))
        median = np.mean([group["last"].median() for group in rows.values()])
        best = np.mean([(group["best"] > 0.5).mean() for group in rows.values()])
        lines.append(
            f"epsilon {epsilon}: share {interval.value:.2f} ({interval.low:.2f} to "
            f"{interval.high:.2f}), mean of the medians {median:.2f}, "
            f"share by the best iterate {best:.2f}"
        )
    return record(claim, interval, within(interval, low=0.5), "; ".join(lines))


def peaked_is_harder(claim: Claim, results: Results) -> Record:
    """JW12: Spearman's rho per data set; their mean and its interval."""
    sets = {
        name: evidence.rank_correlation(
            group["max_attention"].to_numpy(), group["last"].to_numpy(), name, claim.id
        )
        for name, group in _within_epsilon(results, 0.05).items()
    }
    sets = {name: interval for name, interval in sets.items() if interval.n}
    if not sets:
        return not_run(claim, "no data set has enough documents")
    interval = evidence.mean_of_intervals(sets.values())
    verdict = within(interval, low=-0.5, high=0.0)
    return record(claim, interval, verdict, f"per data set: {listed(sets)}")


def peaked_but_distant(claim: Claim, results: Results) -> Record:
    """JW13."""
    intervals = {}
    for name, group in _within_epsilon(results, 0.05).items():
        some = peaked(group, 0.75)
        if len(some) >= FEWEST:
            values = (some["last"] > 0.4).to_numpy(float)
            intervals[name] = evidence.mean_of(values, name, claim.id)
    return every_row(claim, intervals, lambda value: -value, low=0.25)


def average_moves_more(claim: Claim, results: Results) -> Record:
    """JW14."""
    sets = {}
    for name in evidence.datasets(results.shuffled):
        average, lstm = (
            peaked(evidence.model_rows(results.shuffled, name, encoder), 0.5)["median"].to_numpy()
            for encoder in ("average", "bilstm")
        )
        if min(len(average), len(lstm)) >= FEWEST:
            sets[name] = evidence.difference(average, lstm, name, claim.id)
    if not sets:
        return not_run(claim, "no data set has ten documents with a largest weight of .5 for both")
    interval = evidence.mean_of_intervals(sets.values())
    return record(claim, interval, within(interval, low=0.0), f"per data set: {listed(sets)}")


def example_exists(claim: Claim, results: Results) -> Record:
    """JW15: one document is enough."""
    rows = _within_epsilon(results, 0.01)
    shares = {
        name: (group["other_top_token"] & (group["last"] > 0.5)).to_numpy(float)
        for name, group in rows.items()
    }
    count = int(sum(values.sum() for values in shares.values()))
    interval = evidence.over_sets(shares, claim.id)
    verdict = NOT_RUN if interval.n == 0 else HOLDS if count else FAILS
    reason = f"{count} documents of {interval.n}; one is drawn as Figure 1"
    return record(claim, interval, verdict, reason)


def scores_alike(claim: Claim, results: Results) -> Record:
    """JW17."""
    names = evidence.datasets(results.taus, "classification")
    intervals = {
        f"{name} {encoder}": interval
        for name in names
        for encoder in ("cnn", "average")
        if (
            interval := evidence.score_difference(
                results, name, f"{encoder}-additive", "bilstm-additive", "f1"
            )
        ).n
    }
    return every_row(claim, intervals, abs, low=-0.05, high=0.05)


def _mean_of_scores(
    results: Results, names: list[str], pairs: list[tuple[str, str]], metric: str
) -> tuple[Any, dict[str, Any]]:
    """Mean difference of scores over data sets and pairs with its interval, and the parts."""
    parts, draws = {}, []
    for name in names:
        for one, other in pairs:
            interval = evidence.score_difference(results, name, one, other, metric)
            if interval.n:
                parts[f"{name} {one}"] = interval
                draws.append(
                    evidence.score_draws(results.models, name, one, metric)
                    - evidence.score_draws(results.models, name, other, metric)
                )
    if not parts:
        return NOTHING, {}
    value = float(np.mean([part.value for part in parts.values()]))
    n = sum({name.split()[0]: part.n for name, part in parts.items()}.values())
    return between(value, np.mean(draws, axis=0), n), parts


def worse_at_questions(claim: Claim, results: Results) -> Record:
    """JW18."""
    names = evidence.datasets(results.taus, "question")
    pairs = [("cnn-additive", "bilstm-additive"), ("average-additive", "bilstm-additive")]
    interval, parts = _mean_of_scores(results, names, pairs, "accuracy")
    return record(claim, interval, within(interval, high=-0.05), f"parts: {listed(parts)}")


def learned_or_uniform(claim: Claim, results: Results) -> Record:
    """WP1: F1 with learned minus F1 with uniform attention."""
    names = evidence.datasets(results.taus, "classification")
    pairs = [("bilstm-additive", "bilstm-uniform")]
    interval, parts = _mean_of_scores(results, names, pairs, "f1")
    reason = (
        "holds here means that learned attention scores better on average, so there is something "
        f"to explain; parts: {listed(parts)}"
    )
    return record(claim, interval, within(interval, low=0.0), reason)


def seeds_or_adversaries(claim: Claim, results: Results) -> Record:
    """WP2: divergence of the farthest adversary minus that between seeds, document by document."""
    replicas = evidence.replica_divergence(results)
    sets = {}
    for name, group in _within_epsilon(results, 0.05).items():
        joined = group.merge(replicas[replicas["dataset"] == name], on=["dataset", "instance"])
        if len(joined) >= FEWEST:
            sets[name] = (joined["last"] - joined["jsd"]).to_numpy()
    if not sets:
        return not_run(claim, "no data set was trained with more than one seed")
    interval = evidence.over_sets(sets, claim.id)
    means = {name: evidence.mean_of(values, name, claim.id) for name, values in sets.items()}
    typical = replicas.groupby("dataset")["jsd"].median()
    medians = ", ".join(f"{name} {value:.3f}" for name, value in typical.items())
    reason = f"per data set: {listed(means)}. Median divergence between seeds: {medians}"
    return record(claim, interval, within(interval, low=0.0), reason)
