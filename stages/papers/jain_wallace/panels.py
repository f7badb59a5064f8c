"""The twelve data sets of the paper in the order of its Figures 3-5, and ours for each."""

from collections.abc import Collection
from dataclasses import dataclass


@dataclass(frozen=True)
class Panel:
    """A data set of the paper: key in the released files, name, and our data sets for it."""

    key: str
    title: str
    candidates: tuple[str, ...]  # data sets of params.yaml, the preferred one first
    task: str
    absent: str = ""  # why none is available by default

    def dataset(self, present: Collection[str]) -> str | None:
        """The data set that was run for the panel."""
        return next((name for name in self.candidates if name in present), None)


CNN = "no set by default: on BoolQ no model\nbeats the commonest answer"
MIMIC = "MIMIC-III may not be passed on;\nrun it from your own copy"
PANELS = (
    Panel("sst", "SST", ("sst", "rotten-tomatoes"), "classification"),
    Panel("imdb", "IMDB", ("imdb",), "classification"),
    Panel("tweet", "ADR Tweets", ("adr-tweets", "disaster-tweets"), "classification"),
    Panel("agnews", "AG News", ("ag-news", "bbc"), "classification"),
    Panel("20News_sports", "20 News Sports", ("newsgroups-sports",), "classification"),
    Panel("diab", "Diabetes", ("diabetes",), "classification", MIMIC),
    Panel("anemia", "Anemia", ("anemia",), "classification", MIMIC),
    Panel("cnn", "CNN QA", ("cnn", "boolq"), "question", CNN),
    Panel("babi_1", "bAbI 1", ("babi-files-1", "babi-1"), "question"),
    Panel("babi_2", "bAbI 2", ("babi-files-2", "babi-2"), "question"),
    Panel("babi_3", "bAbI 3", ("babi-files-3", "babi-3"), "question"),
    Panel("snli", "SNLI", ("snli",), "inference"),
)
PANEL_OF = {name: panel.key for panel in PANELS for name in panel.candidates}
OWN = {panel.candidates[0] for panel in PANELS}  # data sets with the paper's own texts
ENCODERS = {"bilstm": "BiLSTM", "cnn": "CNN", "average": "Average"}
ATTENTIONS = {"additive": "additive", "dot": "scaled dot"}


def heading(panel: Panel, dataset: str | None) -> str:
    """The title of a panel: the paper's name, with ours where another data set stands in."""
    return panel.title if dataset is None or dataset in OWN else f"{panel.title}: {dataset}"
