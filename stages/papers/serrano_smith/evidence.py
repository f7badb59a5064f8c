"""Per-document values behind the claims of Serrano & Smith 2019, by data set and model."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stages.papers.serrano_smith.panels import MODELS, shown
from stages.settings.seeds import generator
from stages.statistics.bootstrap import NOTHING, Interval, between, of_mean, replicates

Floats = NDArray[np.float64]
Pair = tuple[str, str]  # data set, model
FEWEST = 10
NEVER = np.inf  # items erased where no erasure flips


@dataclass(frozen=True)
class Results:
    """Tidy tables of all erasures of the study."""

    instances: pd.DataFrame
    single: pd.DataFrame
    multi: pd.DataFrame
    scores: pd.DataFrame
    counts: pd.DataFrame = field(init=False)  # items at the first flip, one column per ranking

    def __post_init__(self) -> None:
        first = self.multi[self.multi["order"] == 0]
        wide = first.assign(erased=first["count"].replace(0, NEVER)).pivot_table(
            index=["dataset", "model", "instance"], columns="ranking", values="erased"
        )
        object.__setattr__(self, "counts", wide.reset_index())

    @cached_property
    def _cut(self) -> dict[str, dict[Pair, pd.DataFrame]]:
        """All tables split by data set and model once, because claims select rows 900 times."""
        return {
            name: dict(iter(getattr(self, name).groupby(["dataset", "model"], sort=False)))
            for name in ("instances", "single", "multi", "counts")
        }

    def of(self, table: str, pair: Pair, **values: str) -> pd.DataFrame:
        """The rows of one model in the table of that name, by ranking, mode or order."""
        chosen = self._cut[table].get(pair)
        if chosen is None:
            chosen = getattr(self, table).iloc[:0]
        for name, value in values.items():
            chosen = chosen[chosen[name] == value]
        return chosen

    @property
    def panels(self) -> dict[str, str]:
        """The paper's data sets that were run, and the data set that stands for each."""
        return shown({dataset for dataset, _ in self._cut["single"]})

    def pairs(self, models: Iterable[str] = tuple(MODELS)) -> list[Pair]:
        """(data set, model) pairs that were run, in the paper's order."""
        present = self._cut["single"]
        return [(d, m) for d in self.panels.values() for m in models if (d, m) in present]


def named(pair: Pair) -> str:
    """Name of a model in a reason."""
    return f"{pair[0]} {MODELS[pair[1]]}"


def each(pairs: Iterable[Pair], values: Callable[[Pair], Floats], name: str) -> dict[str, Interval]:
    """Mean and interval of a value per document, for each model with enough documents."""
    intervals = {}
    for pair in pairs:
        numbers = values(pair)
        if len(numbers) >= FEWEST:
            intervals[named(pair)] = of_mean(numbers, generator(0, name, *pair))
    return intervals


def mean_over(parts: Mapping[str, Floats], name: str) -> Interval:
    """Mean over models of each model's mean; documents are resampled within every model."""
    value, draws, n = _draws(parts, name)
    return between(value, draws, n) if n else NOTHING


def apart(one: Mapping[str, Floats], other: Mapping[str, Floats], name: str) -> Interval:
    """Mean over one group of models minus mean over another."""
    first, second = (_draws(group, name) for group in (one, other))
    if first[2] == 0 or second[2] == 0:
        return NOTHING
    return between(first[0] - second[0], first[1] - second[1], first[2] + second[2])


def _draws(parts: Mapping[str, Floats], name: str) -> tuple[float, Floats, int]:
    """Mean of the models' means, its replicates and the documents behind it."""
    kept = {model: v[~np.isnan(v)] for model, v in parts.items()}
    kept = {model: v for model, v in kept.items() if len(v) >= FEWEST}
    if not kept:
        return np.nan, np.empty(0), 0
    draws = [replicates(v, generator(0, name, model)) for model, v in kept.items()]
    value = float(np.mean([v.mean() for v in kept.values()]))
    return value, np.mean(draws, axis=0), sum(map(len, kept.values()))


def in_both(
    one: dict[str, Floats], other: dict[str, Floats]
) -> tuple[dict[str, Floats], dict[str, Floats]]:
    """Two groups of values of the same models, without those that have too few on either side."""
    kept = [name for name in one if min(len(one[name]), len(other[name])) >= FEWEST]
    return {name: one[name] for name in kept}, {name: other[name] for name in kept}


def wins(results: Results, pair: Pair, one: str, other: str) -> Floats:
    """1 where `one` needs fewer items, -1 where `other` does, 0 for equal; at least one flips."""
    rows = results.of("counts", pair)
    first, second = rows[one].to_numpy(), rows[other].to_numpy()
    flips = np.isfinite(first) | np.isfinite(second)
    return np.sign(np.where(np.isinf(second), 1e9, second) - np.where(np.isinf(first), 1e9, first))[
        flips
    ].astype(float)


def fraction(results: Results, pair: Pair, ranking: str) -> Floats:
    """Share of the items erased at the first flip, of documents that flip."""
    rows = results.of("multi", pair, ranking=ranking)
    rows = rows[(rows["order"] == 0) & (rows["count"] > 0)]
    fractions: Floats = rows["fraction"].to_numpy(np.float64)
    return fractions


def of_median(values: Floats, draw: np.random.Generator) -> Interval:
    """Median and its interval."""
    if len(values) < FEWEST:
        return NOTHING
    again = np.median(values[draw.integers(0, len(values), (500, len(values)))], axis=1)
    return between(float(np.median(values)), again, len(values))


def ratio(signs: Floats, draw: np.random.Generator) -> Interval:
    """Wins over losses with its interval; a loss count of zero is taken as one half."""
    if len(signs) < FEWEST:
        return NOTHING
    drawn = signs[draw.integers(0, len(signs), (1000, len(signs)))]

    def of_signs(table: Floats) -> Floats:
        ratios: Floats = (table > 0).sum(-1) / np.maximum((table < 0).sum(-1), 0.5)
        return ratios

    return between(float(of_signs(signs)), of_signs(drawn), len(signs))
