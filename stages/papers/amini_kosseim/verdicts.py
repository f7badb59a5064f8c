"""The function that decides each claim of Amini & Kosseim 2022."""

from functools import partial
from pathlib import Path
from typing import Any

from stages.papers.amini_kosseim import claims
from stages.papers.amini_kosseim import optimisation_claims as deeper
from stages.papers.amini_kosseim.evidence import Results, base_scores
from stages.papers.shared.claims import Record, stated
from stages.papers.shared.learnt import both_ways, learnt_nothing

STATEMENTS = Path(__file__).with_name("statements.csv")
ABOUT_ATTENTION = {f"AF{n}" for n in range(2, 17)} | {"WP3"}


def decided(results: Results, scale: str) -> list[Record]:
    """All records of claims.json; claims about attention leave out bases that learnt nothing."""
    whole, scores = of_all(results, scale), base_scores(results)
    poor = scores[learnt_nothing(scores)]
    if poor.empty or len(poor) == len(scores):
        return whole
    names = [f"{row.dataset} {row.model} {row.seed}" for row in poor.itertuples()]
    return both_ways(of_all(results.without(poor), scale), whole, ABOUT_ATTENTION, ", ".join(names))


def of_all(results: Results, scale: str) -> list[Record]:
    """A record of every claim, in the order of statements.csv."""
    deciders: dict[str, Any] = {
        "AF1": partial(claims.base_scores, scale=scale),
        "AF2": claims.lstm_less_faithful,
        "AF3": partial(claims.falls_with_frequency, model="mlp"),
        "AF4": partial(claims.falls_with_frequency, model="lstm"),
        "AF5": claims.faithful_on_one_word,
        "AF6": claims.near_the_bound,
        "AF7": claims.rarely_capped,
        "AF8": claims.real_below_mock,
        "AF9": claims.real_like_mock,
        "AF10": claims.not_length_alone,
        "AF11": deeper.as_on_the_curve,
        "AF12": deeper.follows_the_base,
        "AF13": deeper.collapse_is_a_constant,
        "AF14": deeper.restarts_remove_it,
        "AF15": deeper.selection_matters_little,
        "AF16": deeper.bases_vary_more,
        "WP3": deeper.far_with_the_same_answers,
    }
    return [deciders[name](claim, results) for name, claim in stated(STATEMENTS).items()]
