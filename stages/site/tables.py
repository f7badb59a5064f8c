"""Tables of a page: published, ours and their difference side by side, values as text."""

import math
import re
from dataclasses import dataclass
from typing import Any

import pandas as pd

PUBLISHED = re.compile(r"[ _]published(?= |_|$)")
NUMBER = re.compile(r"^\s*([-+]?\d*\.?\d+)(?:\s*±.*)?\s*$")
RELEASED = ("mean", "median")  # our columns that a number of the authors' released files is beside


@dataclass(frozen=True)
class View:
    """A table as a page shows it; rows beyond the first are in the CSV."""

    columns: list[str]
    numeric: list[bool]
    rows: list[list[str]]
    total: int


def beside(table: pd.DataFrame) -> pd.DataFrame:
    """Every published column directly before ours, and the difference after them."""
    partners = _partners(list(table.columns))
    shown: dict[str, pd.Series] = {}
    for name in table.columns:
        if name in partners.values() and name not in partners:
            continue  # shown beside its published number
        if name not in partners:
            shown[name] = table[name]
            continue
        ours = partners[name]
        label = "" if (name, ours) == ("published", "ours") else f"{ours}, "
        shown[f"{label}published"] = table[name]
        shown[f"{label}ours"] = table[ours]
        if "difference" not in table.columns:
            difference = _numbers(table[ours]) - _numbers(table[name])
            if difference.notna().any():
                shown[f"{label}difference"] = difference.round(4)
    return pd.DataFrame(shown)


def _partners(columns: list[str]) -> dict[str, str]:
    """Published column -> ours."""
    partners = {name: PUBLISHED.sub("", name) for name in columns if PUBLISHED.search(name)}
    if "released" in columns:
        partners["released"] = next((name for name in RELEASED if name in columns), "")
    if "published" in columns and "ours" in columns:
        partners["published"] = "ours"
    return {name: ours for name, ours in partners.items() if ours in columns}


def _numbers(values: pd.Series) -> pd.Series:
    """Numbers, also those followed by a deviation; NaN for anything else."""
    return values.astype(str).str.extract(NUMBER, expand=False).astype(float)


def view(table: pd.DataFrame, most: int) -> View:
    """The first `most` rows, every value as text."""
    numeric = [bool(pd.api.types.is_numeric_dtype(table[name])) for name in table.columns]
    rows = [[text(value) for value in row] for row in table.head(most).itertuples(index=False)]
    titles = [str(name).replace("_", " ") for name in table.columns]
    return View(titles, numeric, rows, len(table))


def text(value: Any) -> str:
    """A value as text: empty where missing, floats with four significant digits."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, float):
        return f"{value:.0f}" if value == round(value) else f"{value:.4g}"
    return str(value)
