"""Measured rows of claims: an estimate with its interval, and what it rests on."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from stages.settings.seeds import generator
from stages.statistics.bootstrap import Floats, Runs, Statistic, hierarchical, interval, mean

FEWEST = 10  # documents of a run that may decide


class Row(NamedTuple):
    """One measured row of a claim, with what it rests on."""

    row: str
    value: float
    low: float
    high: float
    documents: int
    runs: int
    seeds: int


NO_ROW = Row("", math.nan, math.nan, math.nan, 0, 0, 0)
Rows = list[Row | None]
Measured = tuple[Rows, str]  # rows, and a note for the reason


def measured(rows: Sequence[Row | None]) -> list[Row]:
    """The rows that have a value."""
    return [row for row in rows if row is not None and not math.isnan(row.value)]


def row_of(label: str, table: pd.DataFrame, column: str) -> Row | None:
    """The mean of a column over runs, one for each seed; None below FEWEST documents."""
    runs = [[rows[column].dropna().to_numpy(np.float64)] for _, rows in table.groupby("seed")]
    return row_of_runs(label, runs, seed=(label, column))


def row_of_runs(
    label: str,
    runs: Runs,
    statistic: Statistic = mean,
    paired: bool = True,
    seed: tuple[str, ...] = (),
) -> Row | None:
    """A statistic of columns, mean over the runs with FEWEST observations; None without any.

    `seed` names the bootstrap, instead of the label.
    """
    usable = [columns for columns in runs if min(map(len, columns)) >= FEWEST]
    if not usable:
        return None
    values = hierarchical(statistic, usable, generator(0, *(seed or (label,))), paired)
    n = max(len(columns[0]) if paired else sum(map(len, columns)) for columns in usable)
    return row_of_values(label, values, n, len(usable))


def row_of_values(label: str, values: Floats, n: int, runs: int, seeds: int = 0) -> Row:
    """A row from an estimate and its replicates; by default every run has a seed of its own."""
    return Row(label, *interval(values, n), runs, seeds or runs)
