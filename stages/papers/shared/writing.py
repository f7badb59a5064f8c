"""Writes a report: tables as CSV, figures as SVG with a CSV of their numbers, claims, metrics.

Figures are drawn in parallel by forked processes. A job is the name of a figure only; the process
inherits the function that draws it and the results, so nothing is copied.
"""

import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from pathlib import Path

import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from stages.engine.local import run_all
from stages.papers.shared.fidelity import explained, share_inside
from stages.papers.shared.rules import FAILS, HOLDS, UNDECIDED, Record, counted
from stages.papers.shared.style import save_svg
from stages.settings.files import write_json

Drawn = tuple[Figure, pd.DataFrame | None]  # a schematic has no numbers
Draw = Callable[[], Drawn]
DIGITS = 4  # of numbers in figures

_to_draw: dict[str, Draw] = {}  # inherited by the forked processes


def write_tables(tables: Mapping[str, pd.DataFrame], folder: Path) -> None:
    """Each table as <name>.csv."""
    folder.mkdir(parents=True, exist_ok=True)
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
    """Each figure as <name>.svg and <name>.csv, in parallel; columns `exact` are not rounded.

    Figures that are not cropped keep their size and margins.
    """
    forked = sys.platform == "linux"  # other platforms do not fork: one process draws all
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


def write_report(
    folder: Path,
    processes: int | None,
    *,
    tables: Mapping[str, pd.DataFrame],
    plots: Mapping[str, pd.DataFrame],
    figures: Mapping[str, Draw],
    headline: Mapping[str, float | None],
    records: Sequence[Record],
    refused: pd.DataFrame,
    exact: Collection[str] = (),
    digits: int = DIGITS,
) -> None:
    """Everything in the folder of a paper; its metrics have the share of the table `fidelity`.

    `refused` are the runs that may not decide claims.
    """
    compared = explained(tables["fidelity"], refused)
    write_tables({**tables, "fidelity": compared}, folder / "tables")
    write_tables(plots, folder / "plots")
    write_figures(figures, folder / "figures", digits, processes, exact)
    write_claims(records, {**headline, "fidelity": share_inside(compared)}, folder)


def write_claims(
    records: Sequence[Record], headline: Mapping[str, float | None], folder: Path
) -> None:
    """claims.json, and metrics.json with the headline numbers and the counts of verdicts."""
    write_json(folder / "claims.json", list(records))
    counts = counted(records)  # the rest was not run
    names = {"claims_hold": HOLDS, "claims_fail": FAILS, "claims_undecided": UNDECIDED}
    verdicts = {name: counts[verdict] for name, verdict in names.items()}
    write_json(folder / "metrics.json", {**headline, **verdicts})
