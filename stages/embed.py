"""embed: the word vectors of one data set, of one kind, in data/vectors."""

import argparse
from pathlib import Path

import numpy as np
from tqdm import tqdm

from stages.corpora import corpus as storage
from stages.corpora.vectors import out_of_vector_rates, vectors_for
from stages.settings import paths
from stages.settings.errors import UserError, one_of, stage
from stages.settings.files import replacing, write_json
from stages.settings.params import load
from stages.settings.seeds import entropy, generator


def write(family: str, name: str, kind: str, source: Path, folder: Path) -> None:
    """An npz of vectors, and the share of tokens that have none of their own."""
    settings = load()
    corpus = storage.load(paths.corpus(family, name))
    names = (name, "embed", kind)
    seed, draw = entropy(settings.seed, *names), generator(settings.seed, *names)
    vectors, found = vectors_for(corpus, settings.embed.kinds[kind], source, seed, draw)
    folder.mkdir(exist_ok=True)
    np.savez(folder / "vectors.npz", vectors=vectors, found=found)
    write_json(folder / "stats.json", out_of_vector_rates(corpus, found))


def main() -> None:
    """Vectors of every data set of the family."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("family", help="an entry of corpora: in params.yaml")
    arguments.add_argument("kind", help="an entry of embed.kinds: in params.yaml")
    arguments.add_argument("--source", type=Path, required=True, help="where vectors come from")
    given = arguments.parse_args()
    settings = load()
    if given.kind not in settings.embed.kinds:
        raise UserError(f"no kind '{given.kind}'; allowed: {one_of(settings.embed.kinds)}")
    members = settings.members(given.family)
    with replacing(paths.VECTORS / given.family / given.kind) as folder:
        what = f"embed {given.family} {given.kind}"
        for name in tqdm(members, what, disable=None, unit="data set"):
            place = folder if name == given.family else folder / name
            write(given.family, name, given.kind, given.source, place)


if __name__ == "__main__":
    stage(main)
