"""embed: the word vectors of one data set or group in data/vectors."""

import argparse
import shutil
from pathlib import Path

import numpy as np
from tqdm import tqdm

from stages.corpora import corpus as storage
from stages.corpora.vectors import out_of_vector_rates, vectors_for
from stages.settings import paths
from stages.settings.errors import UserError, one_of, stage
from stages.settings.files import read_json, replacing, write_json
from stages.settings.params import Settings, load
from stages.settings.seeds import entropy, generator


def write(settings: Settings, group: str, name: str, folder: Path) -> None:
    """An npz of vectors, and the corpus statistics with the share of words without a vector."""
    corpus = storage.load(paths.corpus(group, name))
    entry = settings.corpora[group]
    names = (name, "embed", entry.vectors)
    seed, draw = entropy(settings.seed, *names), generator(settings.seed, *names)
    kind = settings.embed.kinds[entry.vectors]
    vectors, has_vector = vectors_for(corpus, kind, Path(entry.source), seed, draw)
    folder.mkdir(exist_ok=True)
    np.savez(folder / "vectors.npz", vectors=vectors, found=has_vector)
    source = paths.corpus(group, name)
    rates = {"vectors": {"kind": entry.vectors, **out_of_vector_rates(corpus, has_vector)}}
    write_json(folder / "stats.json", read_json(source / "stats.json") | rates)
    shutil.copyfile(source / "lengths.csv", folder / "lengths.csv")


def main() -> None:
    """Vectors of every data set of the group."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("group", help="an entry of corpora: in params.yaml")
    group, settings = parser.parse_args().group, load()
    if group not in settings.corpora:
        raise UserError(f"corpora has no {group}; allowed: {one_of(settings.corpora)}")
    with replacing(paths.VECTORS / group) as folder:
        for name in tqdm(settings.members(group), f"embed {group}", disable=None, unit="data set"):
            write(settings, group, name, folder if name == group else folder / name)


if __name__ == "__main__":
    stage(main)
