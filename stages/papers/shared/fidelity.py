"""Every published number beside ours, with the difference that noise alone may make.

`noise` is what the paper or its authors give: a deviation it prints, or the spread of a second run
of its own code; without either, the binomial error of a share. A cell is `inside` if ours differs
by no more.
"""

import numpy as np
import pandas as pd

from stages.statistics.ranks import WIDTH

COLUMNS = ["where", "cell", "dataset", "own_data", "published", "ours", "noise"]


def fidelity(cells: pd.DataFrame) -> pd.DataFrame:
    """Cells (COLUMNS) that both sides have, with `difference` and `inside`.

    `where` is the table or figure in the paper, `cell` names the number in it, `own_data` says
    whether ours is measured on the paper's own data set.
    """
    table = cells[COLUMNS].dropna(subset=["published", "ours"])
    difference = table["ours"] - table["published"]
    inside = difference.abs() <= table["noise"] + 1e-9
    return table.assign(difference=difference, inside=inside).round(4)


def explained(table: pd.DataFrame, refused: pd.DataFrame) -> pd.DataFrame:
    """The table with a `reason` beside every cell that is not inside, as far as it is known.

    `refused` are the runs that may not decide claims, see StudyResults.refused.
    """
    below = table["dataset"].isin(refused["dataset"])
    known = [table["inside"], ~table["own_data"].astype(bool), below]
    reasons = ["", "other data than the paper's", "a run of this data set is below its gate"]
    return table.assign(reason=np.select(known, reasons, "not known"))


def share_inside(table: pd.DataFrame) -> float | None:
    """The share of cells inside noise; None without cells."""
    return round(float(table["inside"].mean()), 4) if len(table) else None


def binomial(share: pd.Series, n: pd.Series) -> pd.Series:
    """The 95 % error of the difference of two shares, each of n documents."""
    return WIDTH * np.sqrt(2 * share * (1 - share) / n)
