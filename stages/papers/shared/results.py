"""Tables of a study's results, and which of its runs may decide claims.

A run decides nothing if it does no better than the commonest answer, or if it stays below the gate
of its data set (`gate` of the study in params.yaml): attention of a model that has not learnt says
nothing about attention. The same rule serves claims and figures of all papers.
"""

from dataclasses import fields, replace
from typing import Any, Self

import numpy as np
import pandas as pd

from stages.settings.studies import Gate
from stages.statistics.ranks import WIDTH

KEYS = ["dataset", "model", "value", "seed"]  # of a run


class StudyResults:
    """Base of the dataclasses that hold the tables of a paper; `scores` has a row for each run."""

    scores: pd.DataFrame

    def usable(self, gate: Gate) -> tuple[Self, str]:
        """The same tables without the runs that may not decide, and what these runs reach."""
        reasons = self.scores.apply(refusal, axis=1, gate=gate)
        refused = self.scores[reasons != ""]
        named = "; ".join(dict.fromkeys(reasons[reasons != ""]))
        return (self.without(refused) if len(refused) else self), named

    def without(self, runs: pd.DataFrame) -> Self:
        """The same tables without some runs; a table without a seed has one row per model."""
        tables: dict[str, Any] = {}
        for part in fields(self):  # type: ignore[arg-type]
            table = getattr(self, part.name)
            keys = [key for key in KEYS if key in table]
            dropped = pd.MultiIndex.from_frame(runs[keys].astype(str))
            present = pd.MultiIndex.from_frame(table[keys].astype(str))
            tables[part.name] = table[~present.isin(dropped)]
        return replace(self, **tables)  # type: ignore[type-var]


def refusal(run: "pd.Series[Any]", gate: Gate) -> str:
    """Why a run may not decide, or nothing."""
    value = "" if pd.isna(run["value"]) else f"@{run['value']:g}"
    name = f"{run['dataset']} {run['model']}{value} reaches {run['accuracy']:.2f}"
    error = WIDTH * np.sqrt(run["accuracy"] * (1 - run["accuracy"]) / run["n"])
    if run["accuracy"] - error <= run["commonest"]:
        return f"{name}, commonest answer {run['commonest']:.2f}"
    floor = gate.floor(run["dataset"])
    return f"{name}, gate {floor:.2f}" if run["accuracy"] < floor else ""
