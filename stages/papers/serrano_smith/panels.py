"""The four data sets and six architectures of the paper, in its order, and what runs for each."""

from functools import partial

from stages.papers.shared import panels

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
RANKINGS = ("random", "attention", "gradient", "product")

shown = partial(panels.shown, PANELS)
heading = partial(panels.heading, PANELS)
