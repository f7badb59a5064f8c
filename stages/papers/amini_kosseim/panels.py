"""The paper's data sets in its order, what runs for each, and its two encoders."""

MOCK = {f"Mock-{kind}": (f"mock-{kind}",) for kind in ("1", "2", "5", "10", "1q", "2q", "3q", "4q")}
REAL = {
    "Diabetes": ("diabetes",),
    "Anemia": ("anemia",),
    "IMDB": ("imdb",),
    "SST": ("sst", "rotten-tomatoes"),
    "AgNews": ("ag-news", "bbc"),
    "20News": ("newsgroups-sports",),
}
PANELS = MOCK | REAL
OWN_TEXT = ("imdb", "newsgroups-sports")  # data sets with the text of the paper's own
CURVES = ("Diabetes", "Anemia", "SST", "IMDB")  # of Figure 2
MODELS = {"lstm": "LSTM", "mlp": "MLP"}
COLOURS = {"lstm": "C0", "mlp": "C1"}
