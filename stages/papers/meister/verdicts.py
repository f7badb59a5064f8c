"""The function that decides each claim of Meister et al. 2021."""

from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from stages.papers.meister import claims
from stages.papers.meister.evidence import Results
from stages.papers.shared.claims import Record, stated
from stages.papers.shared.learnt import both_ways, learnt_nothing

STATEMENTS = Path(__file__).with_name("statements.csv")
ABOUT_ATTENTION = {f"M{n}" for n in (*range(1, 6), *range(7, 12), 13)}


def decided(results: Results) -> list[Record]:
    """All records of claims.json; claims about attention leave out models that learnt nothing."""
    whole, poor = of_all(results), results.scores[learnt_nothing(results.scores)]
    if poor.empty:
        return whole
    names = [
        f"{row.dataset} {row.model}" + ("" if pd.isna(row.value) else f" {row.value:g}")
        for row in poor.itertuples()
    ]
    return both_ways(of_all(results.without(poor)), whole, ABOUT_ATTENTION, ", ".join(names))


def of_all(results: Results) -> list[Record]:
    """A record of every claim, in the order of statements.csv."""
    deciders: dict[str, Any] = {
        "M1": claims.contextual_states,
        "M2": claims.as_contextual_when_sparse,
        "M3": claims.states_over_inputs,
        "M4": claims.spread_whatever_the_projection,
        "M5": claims.entropy_rises,
        "M6": claims.scale_controls_sparsity,
        "M7": claims.agreement_falls,
        "M8": claims.weak_agreement,
        "M9": partial(claims.moved_attention_costs, kinds=("softmax", "sparsemax")),
        "M10": partial(claims.retrained_keeps_accuracy, kind="softmax"),
        "M11": claims.both_when_sparse,
        "M12": claims.closed_form,
        "M13": claims.support_is_no_better,
    }
    return [deciders[name](claim, results) for name, claim in stated(STATEMENTS).items()]
