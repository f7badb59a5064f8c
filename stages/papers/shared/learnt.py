"""Verdicts without the models that are no better than the majority class.

The attention of a model that always gives the commonest answer explains nothing. Claims about
attention are decided without such models; the reason of each record names them and gives the
verdict with them.
"""

from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd

from stages.papers.shared.claims import NOT_RUN, Record
from stages.statistics.ranks import WIDTH


def learnt_nothing(models: pd.DataFrame) -> pd.Series:
    """Whether each accuracy minus its 95 % error is at most the share of the commonest answer."""
    error = WIDTH * np.sqrt(models["accuracy"] * (1 - models["accuracy"]) / models["n"])
    return models["accuracy"] - error <= models["commonest"]


def both_ways(
    fewer: Sequence[Record], whole: Sequence[Record], concerned: Collection[str], left_out: str
) -> list[Record]:
    """Records without the models that learnt nothing; each reason adds the verdict with them."""
    return [
        _joined(less, everything, left_out) if everything["id"] in concerned else everything
        for less, everything in zip(fewer, whole, strict=True)
    ]


def _joined(less: Record, whole: Record, left_out: str) -> Record:
    if whole["verdict"] == NOT_RUN:
        return whole
    with_them = f"{whole['ours']} ({whole['low']} to {whole['high']}), {whole['verdict']}"
    reason = (
        f"{less['reason']}. Left out, because they do no better than the commonest answer: "
        f"{left_out}; with them: {with_them}"
    )
    return {**less, "reason": reason}
