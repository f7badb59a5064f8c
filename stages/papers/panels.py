"""Which data set stands for which of a paper's own, and what is written over a panel."""

from collections.abc import Collection, Mapping

import pandas as pd

# the paper's name -> data sets of params.yaml that are it or stand for it, the best first
Panels = Mapping[str, tuple[str, ...]]


def shown(panels: Panels, present: Collection[str]) -> dict[str, str]:
    """The paper's data sets that were run, and what ran for each."""
    found = {
        panel: next((name for name in names if name in present), "")
        for panel, names in panels.items()
    }
    return {panel: name for panel, name in found.items() if name}


def heading(panels: Panels, panel: str, dataset: str) -> str:
    """What stands over a panel: the paper's name, and ours where another set stands in."""
    return panel if dataset == panels[panel][0] else f"{panel}: {dataset}"


def no_runs() -> pd.DataFrame:
    """A table of results without a row: nothing was run."""
    return pd.DataFrame(columns=["dataset", "model", "value"])
