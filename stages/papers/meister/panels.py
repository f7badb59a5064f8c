"""The paper's data sets and models, in its order, and what runs for each."""

from functools import partial

from stages.papers.shared import panels

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
OURS = {"shallow-softmax": "One-layer Transformer (Softmax)"}

shown = partial(panels.shown, PANELS)
heading = partial(panels.heading, PANELS)
