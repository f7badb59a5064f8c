"""Tables of a study's results, and which of its runs may decide claims.

A run decides nothing if it does no better than the commonest answer, or if it stays below the gate
of its data set (`gate` of the study in params.yaml): attention of a model that has not learnt says
nothing about attention. The same rule serves claims and figures of all papers.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd

from stages.settings.studies import Gate
from stages.statistics.ranks import WIDTH

KEYS = ["dataset", "model", "value", "seed"]  # of a run
# the paper's name -> data sets of params.yaml for it, the preferred one first
Panels = Mapping[str, tuple[str, ...]]


def shown(panels: Panels, present: Collection[str]) -> dict[str, str]:
    """The paper's data sets that were run, each with ours."""
    datasets = {
        panel: next((name for name in names if name in present), "")
        for panel, names in panels.items()
    }
    return {panel: name for panel, name in datasets.items() if name}


@dataclass(frozen=True)
class StudyResults:
    """Base of the dataclasses that hold the tables of a paper.

    A paper adds its tables and `scores`, the `run_scores` of its runs.
    """

    PANELS: ClassVar[Panels] = {}
    LISTED: ClassVar[str] = "scores"  # the table that has every data set of the panels

    below_gate: frozenset[str] = field(default=frozenset(), kw_only=True)  # data sets

    @property
    def panels(self) -> dict[str, str]:
        """The paper's data sets that were run, in its order, each with ours."""
        return shown(self.PANELS, set(getattr(self, self.LISTED)["dataset"]))

    def heading(self, panel: str) -> str:
        """The paper's data set, with ours where another stands in."""
        dataset = self.panels.get(panel, "")
        own = not dataset or dataset == self.PANELS[panel][0]
        return panel if own else f"{panel}: {dataset}"

    def title(self, panel: str) -> str:
        """The heading of a panel, marked if all its runs are below the gate."""
        return self.marked(self.heading(panel), self.panels.get(panel, ""))

    def refused(self, gate: Gate, learnt: bool = True) -> pd.DataFrame:
        """Keys of the runs that may not decide, with the reason.

        `learnt` is false for claims about accuracy itself, for which only the gate counts.
        """
        scores: pd.DataFrame = self.scores  # type: ignore[attr-defined]
        table = gates(scores, gate, learnt)
        return table.loc[table["reason"] != "", [*KEYS, "reason"]]

    def without(self, runs: pd.DataFrame) -> Self:
        """The same tables without some runs.

        From a table without seeds or values go the models of which no run is left.
        """
        if not len(runs):
            return self
        scores: pd.DataFrame = self.scores  # type: ignore[attr-defined]
        kept = scores[~_keys(scores, KEYS).isin(_keys(runs, KEYS))]
        tables: dict[str, Any] = {}
        for part in fields(self):
            table = getattr(self, part.name)
            if isinstance(table, pd.DataFrame) and "dataset" in table:
                names = [key for key in KEYS if key in table]
                gone = _keys(runs, names).difference(_keys(kept, names))
                tables[part.name] = table[~_keys(table, names).isin(gone)]
        return replace(self, **tables)

    def drawn(self, gate: Gate) -> Self:
        """The tables for figures: as for claims, but a data set without any usable run stays.

        The titles of such data sets say so, see `marked`.
        """
        runs = self.refused(gate)
        scores: pd.DataFrame = self.scores  # type: ignore[attr-defined]
        usable = scores[~_keys(scores, KEYS).isin(_keys(runs, KEYS))]["dataset"]
        below = frozenset(set(scores["dataset"]) - set(usable))
        return replace(self.without(runs[~runs["dataset"].isin(below)]), below_gate=below)

    def marked(self, title: str, dataset: str) -> str:
        """The title of a panel, which says so if all its runs are below the gate."""
        return f"{title} (below the gate)" if dataset in self.below_gate else title


def of(table: pd.DataFrame, dataset: str, model: str, value: float | None = None) -> pd.DataFrame:
    """The rows of one model on a data set, all seeds."""
    chosen = table[(table["dataset"] == dataset) & (table["model"] == model)]
    return chosen if value is None else chosen[chosen["value"] == value]


def _keys(table: pd.DataFrame, names: list[str]) -> pd.MultiIndex:
    return pd.MultiIndex.from_frame(table[names].astype(str))


def gates(scores: pd.DataFrame, gate: Gate, learnt: bool = True) -> pd.DataFrame:
    """Every run with its score, its gate and, if it may not decide, the reason."""
    floors = [gate.floor(*run) for run in zip(scores["dataset"], scores["published"], strict=True)]
    table = scores[[*KEYS, "accuracy", "commonest", "metric"]].assign(
        score=scores["accuracy"].where(scores["metric"] != "f1", scores["f1"]), gate=floors
    )
    error = WIDTH * np.sqrt(table["accuracy"] * (1 - table["accuracy"]) / scores["n"])
    guesses = learnt & (table["accuracy"] - error <= table["commonest"])
    runs = zip(table.to_dict("records"), guesses, strict=True)
    return table.assign(reason=[_reason(run, guess) for run, guess in runs])


def _reason(run: Mapping[str, Any], guesses: bool) -> str:
    """Why a run may not decide, or nothing; one that guesses is no better than one answer."""
    value = "" if pd.isna(run["value"]) else f"@{run['value']:g}"
    name = f"{run['dataset']} {run['model']}{value} reaches"
    if guesses:
        return f"{name} {run['accuracy']:.2f}, commonest answer {run['commonest']:.2f}"
    below = run["score"] < run["gate"]
    return f"{name} {run['score']:.2f}, gate {run['gate']:.2f}" if below else ""


def concerning(refused: pd.DataFrame, labels: list[str]) -> list[str]:
    """Reasons of the refused runs that rows with these labels would rest on."""
    named = [{word.split("@")[0] for word in label.split()} for label in labels]
    chosen = [
        any({str(run["dataset"]), str(run["model"])} <= words for words in named)
        for _, run in refused.iterrows()
    ]
    return list(dict.fromkeys(refused["reason"][chosen]))
