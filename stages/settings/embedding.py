"""The `embed:` section: the kinds of word vectors, each named in params.yaml."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from stages.settings import paths
from stages.settings.section import Count, Section


def _in_folders(file: str) -> str:
    if not {paths.RAW, paths.OWN} & set(Path(file).parents):
        raise ValueError(f"{file} lies outside {paths.RAW}, {paths.OWN}")
    return file


class Pretrained(Section):
    """Vectors read from a text file (word and numbers per line) or an npz (words, vectors)."""

    method: Literal["pretrained"]
    file: Annotated[str, AfterValidator(_in_folders)]
    dimension: Count
    missing: Literal["zeros", "normal"]


class Word2Vec(Section):
    """CBOW vectors trained on the corpus itself (gensim)."""

    method: Literal["word2vec"]
    dimension: Count
    window: Count
    negative: Count
    epochs: Count
    min_count: Count
    trained_on: Literal["train+dev", "all"]
    unit_norm: bool
    missing: Literal["zeros", "normal"]


class Drawn(Section):
    """Random vectors: uniform on (-spread, spread), or normal with that standard deviation."""

    method: Literal["uniform", "normal"]
    dimension: Count
    spread: Annotated[float, Field(gt=0)]


VectorKind = Annotated[Pretrained | Word2Vec | Drawn, Field(discriminator="method")]
