"""The twelve data sets of the paper in the order of its Figures 3-5, and ours for each."""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from stages.settings.reading import read_yaml


@dataclass(frozen=True)
class Panel:
    """A data set of the paper: key in the released files, name, and our data sets for it."""

    key: str
    title: str
    candidates: list[str]  # data sets of params.yaml, the preferred one first
    task: str
    absent: str = ""  # why none is available by default

    def dataset(self, present: Collection[str]) -> str | None:
        """The data set that was run for the panel."""
        return next((name for name in self.candidates if name in present), None)


PANELS = [Panel(**entry) for entry in read_yaml(Path(__file__).with_name("panels.yaml"))]
PANEL_OF = {name: panel.key for panel in PANELS for name in panel.candidates}
OWN = {panel.candidates[0] for panel in PANELS}  # data sets with the paper's own texts
ENCODERS = {"bilstm": "BiLSTM", "cnn": "CNN", "average": "Average"}
ATTENTIONS = {"additive": "additive", "dot": "scaled dot"}


def heading(panel: Panel, dataset: str | None) -> str:
    """The title of a panel: the paper's name, with ours where another data set stands in."""
    return panel.title if dataset is None or dataset in OWN else f"{panel.title}: {dataset}"
