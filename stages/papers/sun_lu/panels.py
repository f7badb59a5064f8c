"""The paper's data sets and ours for each; values of lambda, models, generated data sets."""

# the paper's name -> data sets of params.yaml for it, the preferred one first
PANELS = {
    "SST": ("sst", "rotten-tomatoes"),
    "IMDB": ("imdb",),
    "20News I": ("newsgroups-sports",),
    "20News II": ("newsgroups-three",),
}
BINARY, THREE = ("SST", "IMDB", "20News I"), "20News II"
SCALES = (0.001, 1.0, 10.0, 20.0, 50.0, 100.0, 10000.0)
MODELS = ("dp", "dp-l", "dp-a", "ad")
MODERATE = 10.0  # the lambda of the paper's figures
DATA_I, DATA_II, MULTICLASS = "synthetic-1", "synthetic-2", "synthetic-multiclass"
GENERATED = {
    "Data I": DATA_I,
    "Data II, 2 % noise": "synthetic-noise-2",
    "Data II": DATA_II,
    "Data II, 10 % noise": "synthetic-noise-10",
}
NOISE = (0, 2, 5, 10)  # percent of it in these
RATIOS = {"1:1": DATA_I} | {
    f"{positive}:{negative}": f"synthetic-ratio-{positive}-{negative}"
    for positive, negative in ((1, 2), (1, 5), (2, 1), (5, 1), (2, 5))
}
