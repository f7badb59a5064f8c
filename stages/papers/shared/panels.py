"""The data set that stands in for each of a paper's own, and the titles of panels."""

from collections.abc import Collection, Mapping

import pandas as pd

# the paper's name -> data sets of params.yaml for it, the preferred one first
Panels = Mapping[str, tuple[str, ...]]


def shown(panels: Panels, present: Collection[str]) -> dict[str, str]:
    """The paper's data sets that were run, each with ours."""
    datasets = {
        panel: next((name for name in names if name in present), "")
        for panel, names in panels.items()
    }
    return {panel: name for panel, name in datasets.items() if name}


def heading(panels: Panels, panel: str, dataset: str) -> str:
    """The title of a panel: the paper's name, with ours where another data set stands in."""
    return panel if dataset == panels[panel][0] else f"{panel}: {dataset}"


def no_runs() -> pd.DataFrame:
    """An empty table of results."""
    return pd.DataFrame(columns=["dataset", "model", "value"])
