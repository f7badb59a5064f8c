"""Verdicts on Jain & Wallace 2019 without the data sets on which the BiLSTM learnt nothing."""

import pandas as pd

from stages.papers.jain_wallace import counterfactual_claims
from stages.papers.jain_wallace.evidence import Results
from stages.papers.shared.claims import Record
from stages.papers.shared.learnt import both_ways, learnt_nothing

ABOUT_ATTENTION = {*(f"JW{n}" for n in (*range(1, 10), *range(11, 16))), "WP2"}
MODEL = "bilstm-additive"


def decided(results: Results, scale: str) -> list[Record]:
    """All records of claims.json, in the order of statements.csv."""
    whole = counterfactual_claims.decided(results, scale)
    empty = nothing_learnt(results.models)
    if not empty:
        return whole
    fewer = counterfactual_claims.decided(results.without(empty), scale)
    return both_ways(fewer, whole, ABOUT_ATTENTION, f"BiLSTM on {', '.join(empty)}")


def nothing_learnt(models: pd.DataFrame) -> list[str]:
    """Data sets whose BiLSTM has learnt nothing."""
    rows = models[models["model"] == MODEL]
    return sorted(rows.loc[learnt_nothing(rows), "dataset"])
