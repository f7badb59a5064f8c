"""Tables of all erasures of Serrano & Smith 2019, and rows of claims made of them.

Values are series by (seed, document), so that arithmetic pairs documents.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from stages.papers.serrano_smith.panels import MODELS, PANELS
from stages.papers.shared.results import StudyResults
from stages.papers.shared.rows import FEWEST, Row, Rows, row_of_values
from stages.settings.seeds import generator
from stages.statistics.bootstrap import Floats, hierarchical

Pair = tuple[str, str]  # data set, model
TEXT, CODED, EXACT = "paper", "as_coded", "expected"  # ways of drawing the random item
NEVER = 10**9  # more items than any document has
KEYS = {
    "instances": ["dataset", "model"],
    "single": ["dataset", "model", "ranking", "mode"],
    "multi": ["dataset", "model", "ranking"],
    "answers": ["dataset", "model"],
}


@dataclass(frozen=True)
class Results(StudyResults):
    """Tidy tables of all erasures of the study."""

    PANELS = PANELS

    instances: pd.DataFrame
    single: pd.DataFrame
    multi: pd.DataFrame
    scores: pd.DataFrame  # one row per run: accuracy on test, documents
    answers: pd.DataFrame  # of every run to all test documents

    @cached_property
    def _cut(self) -> dict[str, dict[tuple[str, ...], pd.DataFrame]]:
        """The tables split once, because claims select rows hundreds of times."""
        tables = {name: getattr(self, name) for name in KEYS}
        tables["multi"] = self.multi[self.multi["order"] == 0]  # the first of the random orders
        return {
            name: dict(iter(table.set_index(["seed", "instance"]).groupby(KEYS[name], sort=False)))
            for name, table in tables.items()
        }

    def of(self, table: str, *key: str) -> pd.DataFrame:
        """Rows of one model by (seed, document), with the ranking, and for `single` the mode."""
        empty = getattr(self, table).iloc[:0].set_index(["seed", "instance"])
        return self._cut[table].get(key, empty)

    def pairs(self, models: Iterable[str] = tuple(MODELS)) -> list[Pair]:
        """(data set, model) pairs that were run, in the paper's order."""
        present = set(zip(self.scores["dataset"], self.scores["model"], strict=True))
        return [(d, m) for d in self.panels.values() for m in models if (d, m) in present]

    def top_flips(self, pair: Pair, ranking: str = "attention") -> pd.Series:
        """1 where erasing the top item of a ranking flips the decision."""
        return self.of("single", *pair, ranking, "paper")["top_flips"].astype(float)

    def fraction(self, pair: Pair, ranking: str) -> pd.Series:
        """Share of the items erased at the first flip; NaN where no erasure flips."""
        table = self.of("multi", *pair, ranking)
        return table["fraction"].where(table["count"] > 0)

    def mass(self, pair: Pair, ranking: str) -> pd.Series:
        """Attention mass erased at the first flip."""
        return self.of("multi", *pair, ranking)["mass"]

    def items(self, pair: Pair, ranking: str) -> pd.Series:
        """Items erased at the first flip; NEVER where no erasure flips."""
        return self.of("multi", *pair, ranking)["count"].replace(0, NEVER)

    def wins(self, pair: Pair, one: str, other: str) -> pd.Series:
        """1 where `one` needs fewer items, -1 where `other` does, of documents that flip."""
        first, second = (self.items(pair, name) for name in (one, other))
        return np.sign(second - first)[(first < NEVER) | (second < NEVER)]


def mean(values: Floats) -> Floats:
    """Means along the last axis without NaN."""
    with np.errstate(invalid="ignore"):
        return np.nansum(values, -1) / (~np.isnan(values)).sum(-1)


def median(values: Floats) -> Floats:
    """Medians along the last axis without NaN."""
    ordered, n = np.sort(values, -1), (~np.isnan(values)).sum(-1)
    middle = np.stack([np.maximum(n - 1, 0) // 2, n // 2], -1)
    return np.take_along_axis(ordered, middle, -1).mean(-1)


def ratio(signs: Floats) -> Floats:
    """Wins over losses along the last axis; no loss counts as half a loss."""
    return (signs > 0).sum(-1) / np.maximum((signs < 0).sum(-1), 0.5)


STATISTICS = {"mean": mean, "median": median, "ratio": ratio}


def row(
    label: str,
    first: pd.Series,
    other: pd.Series | None = None,
    of: Callable[[Floats], Floats] = mean,
    paired: bool = True,
    fewest: int = FEWEST,
) -> Row | None:
    """A statistic of a series, or its difference from that of another; None for few documents.

    Seeds are resampled, then documents, the same ones of both series if they are paired.
    """
    table = pd.concat([first] if other is None else [first, other], axis=1).astype(float)
    runs = [group.to_numpy().T for _, group in table.groupby(level="seed")]  # (series, documents)
    counts = [int((~np.isnan(run)).sum(1).min()) for run in runs]  # documents of both series
    runs = [run for run, count in zip(runs, counts, strict=True) if count >= fewest]
    if not runs:
        return None

    def gap(one: Floats, *second: Floats) -> Floats:
        return of(one) - sum(map(of, second))

    values = hierarchical(gap, runs, generator(0, label), paired)
    return row_of_values(label, values, max(counts), len(runs))


def sides_of(
    results: Results,
    models: Sequence[str] = tuple(MODELS),
    pairs: Sequence[Pair] = (),
    exception: Pair = ("", ""),
    panel: str = "",
) -> list[tuple[Pair, ...]]:
    """What the rows of a claim compare: each run of some models, or two runs.

    Two are `pairs` of models on the same data set (but for the data set and first model that the
    paper excepts), or the data set of a panel and each other one under the same model.
    """
    sides: list[tuple[Pair, ...]] = [(pair,) for pair in results.pairs(models)]
    if pairs:
        sides = [
            ((dataset, one), (dataset, other))
            for name, dataset in results.panels.items()
            for one, other in pairs
            if (name, one) != exception
        ]
    elif panel:
        first = results.panels.get(panel, "")
        sides = [((first, pair[1]), pair) for (pair,) in sides if pair[0] != first]
    return [side for side in sides if set(results.pairs()).issuperset(side)]


def rows_of(
    results: Results,
    sides: Mapping[str, Any] | None,
    values: Callable[[Pair], list[pd.Series]],
    statistic: str = "mean",
    **options: Any,
) -> Rows:
    """One row for each side; of two runs, or of two series of a run, the difference."""
    rows: Rows = []
    for side in sides_of(results, **(sides or {})):
        series = [one for pair in side for one in values(pair)]
        how: dict[str, Any] = {"of": STATISTICS[statistic]}
        how["paired"] = side[0][0] == side[-1][0]  # the same data set
        rows.append(row(" minus ".join(map(" ".join, side)), *series, **(how | options)))
    return rows
