"""Verdicts on Jain & Wallace 2019 over the data sets on which there is something to explain.

A model that does no better than always giving the commonest answer has learnt nothing that its
attention could point at. Claims about attention are decided without such data sets; each reason
names them and says what the verdict is with them.
"""

import numpy as np
import pandas as pd

from stages.papers.claims import NOT_RUN, Record
from stages.papers.jain_wallace import counterfactual_claims
from stages.papers.jain_wallace.evidence import Results
from stages.statistics.ranks import WIDTH

ABOUT_ATTENTION = {*(f"JW{n}" for n in (*range(1, 10), *range(11, 16))), "WP2"}
MODEL = "bilstm-additive"


def decided(results: Results, scale: str) -> list[Record]:
    """All records of claims.json, in the order of statements.csv."""
    whole = counterfactual_claims.decided(results, scale)
    empty = nothing_learnt(results.models)
    if not empty:
        return whole
    fewer = counterfactual_claims.decided(results.without(empty), scale)
    return [
        _both(less, all_sets, empty) if less["id"] in ABOUT_ATTENTION else all_sets
        for less, all_sets in zip(fewer, whole, strict=True)
    ]


def nothing_learnt(models: pd.DataFrame) -> list[str]:
    """Data sets whose BiLSTM is not above the share of the commonest answer, by its interval."""
    rows = models[models["model"] == MODEL]
    error = WIDTH * np.sqrt(rows["accuracy"] * (1 - rows["accuracy"]) / rows["n"])
    return sorted(rows.loc[rows["accuracy"] - error <= rows["commonest"], "dataset"])


def _both(less: Record, whole: Record, empty: list[str]) -> Record:
    """The verdict without the data sets that taught nothing, and what it is with them."""
    if whole["verdict"] == NOT_RUN:
        return whole
    with_them = f"{whole['ours']} ({whole['low']} to {whole['high']}), {whole['verdict']}"
    told = (
        f"{less['reason']}. Left out, because the BiLSTM is no better than the commonest answer: "
        f"{', '.join(empty)}; with them: {with_them}"
    )
    return {**less, "reason": told}
