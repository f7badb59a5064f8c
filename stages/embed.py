"""embed: the word vectors of one data set, every kind it asks for, in data/vectors."""

import argparse
from pathlib import Path

import numpy as np

from stages.corpora import corpus as storage
from stages.corpora.vectors import out_of_vector_rates, vectors_for
from stages.settings import paths
from stages.settings.files import replacing, write_json
from stages.settings.params import load
from stages.settings.refusal import Refusal, one_of, stage
from stages.settings.seeds import entropy, generator


def main() -> None:
    """One npz of vectors per kind, and the share of tokens that have none."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("dataset", help="an entry of corpora: in params.yaml")
    arguments.add_argument("--vectors", type=Path, required=True, help="where pretrained ones are")
    given = arguments.parse_args()
    settings = load()
    if given.dataset not in settings.corpora:
        raise Refusal(f"no corpus '{given.dataset}'; allowed: {one_of(settings.corpora)}")
    corpus = storage.load(paths.CORPORA / given.dataset)
    missing = {}
    with replacing(paths.VECTORS / given.dataset) as folder:
        for name in settings.corpora[given.dataset].kinds:
            names = (given.dataset, "embed", name)
            vectors, found = vectors_for(
                corpus, settings.embed.kinds[name], given.vectors,
                entropy(settings.seed, *names), generator(settings.seed, *names))
            np.savez(folder / f"{name}.npz", vectors=vectors, found=found)
            missing[name] = out_of_vector_rates(corpus, found)
        write_json(folder / "stats.json", {"out_of_vector": missing})


if __name__ == "__main__":
    stage(main)
