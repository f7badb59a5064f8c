"""embed: the word vectors of one data set, of one kind, in data/vectors."""

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
    """An npz of vectors, and the share of tokens that have none of their own."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("dataset", help="an entry of corpora: in params.yaml")
    arguments.add_argument("kind", help="an entry of embed.kinds: in params.yaml")
    arguments.add_argument("--source", type=Path, required=True, help="where vectors come from")
    given = arguments.parse_args()
    settings = load()
    if given.kind not in settings.embed.kinds:
        raise Refusal(f"no kind '{given.kind}'; allowed: {one_of(settings.embed.kinds)}")
    corpus = storage.load(paths.CORPORA / given.dataset)
    names = (given.dataset, "embed", given.kind)
    vectors, found = vectors_for(
        corpus,
        settings.embed.kinds[given.kind],
        given.source,
        entropy(settings.seed, *names),
        generator(settings.seed, *names),
    )
    with replacing(paths.VECTORS / given.dataset / given.kind) as folder:
        np.savez(folder / "vectors.npz", vectors=vectors, found=found)
        write_json(folder / "stats.json", out_of_vector_rates(corpus, found))


if __name__ == "__main__":
    stage(main)
