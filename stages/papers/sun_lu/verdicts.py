"""The function that decides each claim of Sun & Lu 2020."""

from functools import partial
from pathlib import Path
from typing import Any

from stages.papers.shared.claims import Record, stated
from stages.papers.sun_lu import claims as trained
from stages.papers.sun_lu import training_claims as training
from stages.papers.sun_lu.evidence import Results
from stages.papers.sun_lu.panels import BINARY

STATEMENTS = Path(__file__).with_name("statements.csv")


DECIDERS: dict[str, Any] = {
    "SL1": partial(trained.small_scale_costs, models=("dp",)),
    "SL2": trained.large_scale_is_free,
    "SL3": trained.uniform_at_large_scale,
    "SL4": trained.intermediate_is_best,
    "SL5": partial(trained.small_scale_costs, models=("dp-a", "dp-l")),
    "SL6": trained.polarity_has_sign,
    "SL7": trained.neutral_near_zero,
    "SL8": partial(trained.attention_above_neutral, panels=BINARY),
    "SL9": trained.gap_at_large_scale,
    "SL10": partial(trained.score_sizes, column="attention_score", groups="all", high=0.5),
    "SL11": partial(trained.score_sizes, column="polarity_score", groups="polar", low=0.8),
    "SL12": trained.penalty_lifts,
    "SL13": trained.penalty_gains_nothing,
    "SL14": partial(trained.attention_above_neutral, panels=("20News II",)),
    "SL15": trained.additive_alike,
    "SL16": trained.weights_above_neutral,
    "SL17": trained.weights_follow_scores,
    "SL18": trained.outliers_from_short,
    "SL19": training.terms_add_up,
    "SL20": training.pull_has_sign,
    "SL21": training.rho_is_positive,
    "SL22": training.a_is_negligible,
    "SL23": training.d_dominates,
    "SL24": training.f_grows,
    "SL25": training.dots_by_class,
    "SL26": training.same_beats_opposite,
    "SL27": training.small_start_sooner,
    "SL28": training.noise_shrinks,
    "SL29": training.product_follows_ratio,
    "SL30": training.penalty_closes_gap,
    "SL31": trained.local_and_global,
    "SL32": training.other_optimisers,
    "SL33": training.seeds_agree,
}


def decided(results: Results) -> list[Record]:
    """All records of claims.json, in the order of statements.csv."""
    return [DECIDERS[name](claim, results) for name, claim in stated(STATEMENTS).items()]
