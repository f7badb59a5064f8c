"""The four data sets and six architectures of the paper, in its order, and what runs for each."""

from collections.abc import Collection

# the paper's name -> data sets of params.yaml that are it or stand for it, the best first
PANELS = {
    "Yahoo": ("yahoo-answers",),
    "IMDB": ("imdb-10", "rent-the-runway"),
    "Amazon": ("amazon-5", "amazon-boxes"),
    "Yelp": ("yelp", "clothing"),
}
# left column HAN, right column FLAN; rows rnn, conv, noenc
MODELS = {
    "han-rnn": "HANrnn",
    "flan-rnn": "FLANrnn",
    "han-conv": "HANconv",
    "flan-conv": "FLANconv",
    "han-noenc": "HANnoenc",
    "flan-noenc": "FLANnoenc",
}
ENCODED = ("han-rnn", "flan-rnn", "han-conv", "flan-conv")
WITHOUT_ENCODER = ("han-noenc", "flan-noenc")


def shown(present: Collection[str]) -> dict[str, str]:
    """The paper's data sets that were run, and what ran for each."""
    found = {
        panel: next((name for name in names if name in present), "")
        for panel, names in PANELS.items()
    }
    return {panel: name for panel, name in found.items() if name}


def heading(panel: str, dataset: str) -> str:
    """What stands over a panel: the paper's name, and ours where another set stands in."""
    return panel if dataset == PANELS[panel][0] else f"{panel}: {dataset}"
