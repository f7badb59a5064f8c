"""The paper's data sets and models, in its order, and what runs for each."""

from collections.abc import Collection

PANELS = {
    "IMDb": ("imdb",),
    "20-News": ("newsgroups-sports",),
    "SST": ("sst", "rotten-tomatoes"),
}
ENCODERS = {"bilstm": "BiLSTM (tanh)", "transformer": "Transformer (dot)"}
MODELS = {
    "bilstm-softmax": "BiLSTM (Softmax)",
    "bilstm-sparsemax": "BiLSTM (Sparsemax)",
    "transformer-softmax": "Transformer (Softmax)",
    "transformer-sparsemax": "Transformer (Sparsemax)",
}
BAG = "bag-softmax"  # ours: no context at all


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
