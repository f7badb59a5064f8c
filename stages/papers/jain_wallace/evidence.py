"""Documents behind the claims of Jain & Wallace 2019, and the rows measured from them.

Differences between models are paired by seed and document. A mean over data sets weighs every data
set alike; its interval resamples data sets, then seeds, then documents.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
import torch

from stages.papers.jain_wallace.panels import PANELS, TASKS
from stages.papers.shared.results import StudyResults, of
from stages.papers.shared.rows import FEWEST, Row, Rows, row_of, row_of_values
from stages.settings.seeds import generator
from stages.statistics.bootstrap import REPEATS, Floats, Runs, hierarchical, mean
from stages.statistics.divergences import jensen_shannon

Tables = dict[str, pd.DataFrame]  # by data set
Condition = Callable[[pd.DataFrame], pd.Series]
GRADIENT, LOO, BOTH = "attention-gradient", "attention-leave_one_out", "leave_one_out-gradient"
BASE, CNN, AVERAGE = "bilstm-additive", "cnn-additive", "average-additive"
DOCUMENT = ["seed", "instance"]
Measure = tuple[str, str]  # a model and a pair of measures
GAPS: dict[int, tuple[Measure, Measure]] = {  # of Figures 3-5
    3: ((BASE, BOTH), (BASE, LOO)),
    4: ((BASE, BOTH), (BASE, GRADIENT)),
    5: ((AVERAGE, LOO), (BASE, LOO)),
}


@dataclass(frozen=True)
class Results(StudyResults):
    """The tidy tables of all analyses of the study."""

    PANELS = PANELS

    taus: pd.DataFrame
    instances: pd.DataFrame
    weights: pd.DataFrame  # attention of every seed, token by token
    shuffled: pd.DataFrame
    adversaries: pd.DataFrame
    scores: pd.DataFrame  # test scores, one row per run
    answers: pd.DataFrame  # of every run, also with uniform attention, to all test documents
    # predictions of MLPs under the weights of bases and of retrained adversaries
    guided: pd.DataFrame

    def datasets(self, task: str) -> list[str]:
        """The data sets of the panels with a task: classification, question, inference."""
        panels = self.panels.items()
        return [name for panel, name in panels if TASKS.get(panel, "classification") == task]

    def by_dataset(self, table: pd.DataFrame, model: str = BASE) -> Tables:
        """The rows of one model in a table, by data set of the panels."""
        return {name: of(table, name, model) for name in self.panels.values()}

    def peaked(self, table: pd.DataFrame, least: float, share: Condition) -> Tables:
        """BiLSTM documents with a largest weight of at least `least`; `share` is 1 or 0."""
        rows = table[table["max_attention"] >= least]
        return self.by_dataset(rows.assign(share=share(rows).astype(float)))


def adversaries(results: Results, epsilon: float, above: float, least: float = 0.0) -> Tables:
    """Adversaries within epsilon of the output; `share` is 1 for a divergence above `above`."""
    rows = results.adversaries[results.adversaries["epsilon"] == epsilon]
    return results.peaked(rows, least, lambda table: table["last"] > above)


def taus(results: Results, model: str, pair: str) -> Tables:
    """The correlations of a pair of measures of one model, by data set."""
    return results.by_dataset(results.taus[results.taus["pair"] == pair], model)


def tau_gaps(results: Results, one: Measure, other: Measure) -> Tables:
    """Tau of `one` minus tau of `other` in `gap`, with the class that the other model predicts."""
    first, second = taus(results, *one), taus(results, *other)
    gaps = {}
    for name, rows in second.items():
        same = first[name][[*DOCUMENT, "tau"]]
        both = rows.merge(same, on=DOCUMENT, suffixes=("_other", ""))
        gaps[name] = both.assign(gap=both["tau"] - both["tau_other"])
    return gaps


def by_answer(models: str, by_dataset: Tables, column: str) -> Rows:
    """A row for each predicted class; a model that gives four or more answers is not split."""
    rows: Rows = []
    for name, table in by_dataset.items():
        if table["predicted"].nunique() > 3:
            rows.append(row_of(f"{name} {models}", table, column))
        else:
            for label, group in table.groupby("predicted"):
                rows.append(row_of(f"{name} {models} class {label}", group, column))
    return rows


def over_datasets(by_dataset: Tables, column: str, *models: str) -> Row | None:
    """Mean over data sets of the mean over seeds of a column."""
    defined = {name: rows.dropna(subset=[column]) for name, rows in by_dataset.items()}
    kept = {name: runs for name, rows in defined.items() if (runs := columns_of(rows, column))}
    if not kept:
        return None
    label = " ".join((*kept, *models))
    draw = generator(0, label, column)
    means = np.array([hierarchical(mean, runs, draw) for runs in kept.values()])  # (sets, 1 + R)
    chosen = draw.integers(0, len(kept), (REPEATS, len(kept)))  # data sets of every replicate
    again = draw.integers(1, 1 + REPEATS, chosen.shape)  # a replicate of each
    values = np.append(means[:, 0].mean(), means[chosen, again].mean(1))
    n = sum(max(len(columns[0]) for columns in runs) for runs in kept.values())
    counts = [len(runs) for runs in kept.values()]
    return row_of_values(label, values, n, sum(counts), max(counts))


def columns_of(table: pd.DataFrame, *names: str) -> Runs:
    """Columns of every seed that has enough documents."""
    return [
        [rows[name].to_numpy(np.float64) for name in names]
        for _, rows in table.groupby("seed")
        if len(rows) >= FEWEST
    ]


def gap_row(label: str, one: Runs, other: Runs) -> Row | None:
    """The mean over runs of a column minus that of other runs; documents are not paired."""
    if not one or not other:
        return None
    draw = generator(0, label)
    gap = hierarchical(mean, one, draw) - hierarchical(mean, other, draw)
    n = min(max(len(columns[0]) for columns in runs) for runs in (one, other))
    return row_of_values(label, gap, n, len(one) + len(other), min(len(one), len(other)))


def f1(label: Floats, predicted: Floats) -> Floats:
    """F1 of class 1 of predicted classes, along the last axis; 0 if no document has it."""
    true, positive = label == 1, predicted == 1
    either = true.sum(-1) + positive.sum(-1)
    return 2 * (true & positive).sum(-1) / np.maximum(either, 1)


def f1_gain(label: Floats, one: Floats, other: Floats) -> Floats:
    """F1 of one prediction minus F1 of another."""
    return f1(label, one) - f1(label, other)


def accuracy(label: Floats, predicted: Floats) -> Floats:
    """Share of right answers along the last axis."""
    return mean(label == predicted)


def beside(results: Results, dataset: str, model: str, base: str = BASE) -> pd.DataFrame:
    """Answers of a model, and in `predicted_base` those of another, same seeds and documents."""
    others = of(results.answers, dataset, base)[[*DOCUMENT, "predicted"]]
    return of(results.answers, dataset, model).merge(others, on=DOCUMENT, suffixes=("", "_base"))


def seed_divergence(weights: pd.DataFrame) -> pd.DataFrame:
    """Median divergence `seeds` of a seed's attention and the others', by seed and document.

    There are two seeds or more.
    """
    wide = weights.pivot(index="instance", columns=["seed", "position"], values="weight").fillna(0)
    seeds = {seed: torch.tensor(wide[seed].to_numpy()) for seed in weights["seed"].unique()}
    tables = []
    for seed, own in seeds.items():
        apart = [jensen_shannon(own, other).numpy() for k, other in seeds.items() if k != seed]
        columns = {"instance": wide.index, "seeds": np.median(apart, axis=0)}
        tables.append(pd.DataFrame(columns).assign(seed=seed))
    return pd.concat(tables, ignore_index=True)
