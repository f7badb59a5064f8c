"""The job of embed for a data set."""

import shutil
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from stages.corpora import corpus as storage
from stages.corpora.vectors import out_of_vector_rates, vectors_for
from stages.engine.jobs import Job
from stages.settings import paths
from stages.settings.embedding import Pretrained, VectorKind
from stages.settings.files import write_json
from stages.settings.params import Settings
from stages.settings.seeds import entropy, generator

STATISTICS = ("stats.json", "lengths.csv")  # of the corpus, copied beside the vectors


@dataclass(frozen=True)
class Embedding:
    """A prepared data set whose words get vectors."""

    name: str
    kind_name: str
    kind: VectorKind
    seed: int


def job_of(settings: Settings, group: str, name: str) -> Job:
    """The job of one data set."""
    kind_name, corpus = settings.corpora[group], paths.corpus(name)
    kind = settings.embed.kinds[kind_name]
    files = [*storage.files(corpus), *(corpus / file for file in STATISTICS)]
    if isinstance(kind, Pretrained):
        files.append(Path(kind.file))
    work = Embedding(name, kind_name, kind, settings.seed)
    labels = {"stage": "embed", "dataset": name}
    return Job(f"embed {name}", work, tuple(files), (Path(__file__),), labels)


def write_vectors(work: Embedding, folder: Path) -> None:
    """An npz of vectors, and the share of words without a vector."""
    corpus = storage.load(paths.corpus(work.name))
    names = (work.name, "embed", work.kind_name)
    seed, draw = entropy(work.seed, *names), generator(work.seed, *names)
    vectors, has_vector = vectors_for(corpus, work.kind, seed, draw)
    np.savez(folder / "vectors.npz", vectors=vectors, found=has_vector)
    rates = {"kind": work.kind_name, **out_of_vector_rates(corpus, has_vector)}
    write_json(folder / "vectors.json", rates)
    for file in STATISTICS:
        shutil.copyfile(paths.corpus(work.name) / file, folder / file)
