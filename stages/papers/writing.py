"""Writing a page: tables as CSV, figures as SVG beside a CSV with the numbers in them.

Figures are drawn side by side by forked processes. A job is no more than a figure's name: what
draws it, and the results it draws from, are what the process inherits, so nothing is copied.
"""

import sys
from collections.abc import Callable, Collection, Mapping
from functools import partial
from pathlib import Path

import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from stages.engine.local import run_all
from stages.papers.style import save_svg

Drawn = tuple[Figure, pd.DataFrame | None]  # a sketch has no numbers
Draw = Callable[[], Drawn]

_to_draw: dict[str, Draw] = {}  # what is being drawn, for the processes to inherit


def write_tables(tables: Mapping[str, pd.DataFrame], folder: Path) -> None:
    """Each table as <name>.csv."""
    for name, table in tables.items():
        table.to_csv(folder / f"{name}.csv", index=False)


def write_figures(
    figures: Mapping[str, Draw],
    folder: Path,
    digits: int,
    most: int | None,
    exact: Collection[str] = (),
    cropped: bool = True,
) -> None:
    """Each figure as <name>.svg and <name>.csv, side by side; columns `exact` are not rounded.

    Figures that are not cropped have a size and margins of their own.
    """
    forked = sys.platform == "linux"  # elsewhere a new process inherits nothing: one by one
    _to_draw.update(figures)
    try:
        save = partial(_save, folder, digits, exact, cropped)
        run_all(save, list(figures), "figures", most if forked else 1)
    finally:
        _to_draw.clear()


def _save(folder: Path, digits: int, exact: Collection[str], cropped: bool, name: str) -> None:
    figure, table = _to_draw[name]()
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    save_svg(figure, folder / f"{name}.svg", cropped)
    plt.close(figure)
    if table is not None:
        kept = {column: digits for column in table.select_dtypes("float") if column not in exact}
        table.round(kept).to_csv(folder / f"{name}.csv", index=False)
